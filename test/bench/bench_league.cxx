/* Problems of the league, solved with what the command line says of -pc_type:

     bench_league -list                                              group, name, family, Krylov method, whether it is to be refused, sizes of each
     bench_league [-problem NAME,...] [-size 0|1|2|3] [-setups N] [-fused] [-warm_up] [-json FILE] -pc_type ...    one JSON line each, with the time of the
                                                                                   last of N set-ups from nothing; -warm_up: the first also before, untold

   The Krylov method is the problem's, or what is called fused of it; the tolerance 1e-7 of the true residual; the right-hand side is of hashed numbers,
   orthogonal to a null space. */
#include "petscgoza.h"
#include "league_fields.hpp"
#include <petsctime.h>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using namespace goza_test;

PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_goza(void); /* what -dll_append calls */

namespace {

/* sizes: of which a problem is there. */
PetscErrorCode List()
{
  PetscFunctionBeginUser;
  for (const LeagueProblem &p : league())
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\t%s\t%s\t%s\t%s\t%s\n", p.group.c_str(), p.name.c_str(), p.family == Family::tuned ? "tuned" : "reported",
                          p.ksp.c_str(), p.kind == Kind::refused ? "refused" : "solved", p.kind == Kind::given ? "0" : "0,1,2,3"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Assemble(const LeagueMatrix &m, Mat *A)
{
  MatNullSpace space = NULL, modes = NULL;

  PetscFunctionBeginUser;
  PetscCall(MatOf(m.A, m.fields.velocities ? 1 : m.bs, A));
  if (m.constant && m.marked) PetscCall(NullSpaceOf(m, *A, &space));
  if (m.dim && !m.fields.velocities) PetscCall(RigidBodyModes(m, &modes));
  if (space) PetscCall(MatSetNullSpace(*A, space));
  if (modes) PetscCall(MatSetNearNullSpace(*A, modes));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscCall(MatNullSpaceDestroy(&modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RightHandSide(const LeagueMatrix &m, Vec b)
{
  PetscScalar *array, sum = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArray(b, &array));
  for (PetscInt i = 0; i < m.A.rows; i++) {
    array[i] = coefficient(i, -1) - 1;
    if (i >= m.fields.velocities) sum += array[i];
  }
  for (PetscInt i = m.fields.velocities; m.constant && i < m.A.rows; i++) array[i] -= sum / static_cast<PetscReal>(m.A.rows - m.fields.velocities);
  PetscCall(VecRestoreArray(b, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* fusedgmres is flexible. */
const char *fused_of(const std::string &ksp)
{
  for (auto [method, fused] : {std::pair{"cg", "fusedcg"}, {"gmres", "fusedgmres"}, {"fgmres", "fusedgmres"}, {"bcgs", "fusedbcgs"}})
    if (ksp == method) return fused;
  return ksp.c_str();
}

PetscErrorCode Prepare(const LeagueProblem &p, const LeagueMatrix &m, Mat A, KSP *ksp)
{
  PetscBool fused = PETSC_FALSE;
  PC        pc;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-fused", &fused, NULL));
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, fused ? fused_of(p.ksp) : p.ksp.c_str()));
  PetscCall(KSPSetTolerances(*ksp, 1e-7, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  if (p.ksp == "gmres" || p.ksp == "bcgs" || p.ksp == "fgmres") PetscCall(KSPSetPCSide(*ksp, PC_RIGHT));
  else PetscCall(KSPSetNormType(*ksp, KSP_NORM_UNPRECONDITIONED));
  if (p.ksp == "gmres" || p.ksp == "fgmres") PetscCall(KSPGMRESSetRestart(*ksp, 100));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(KSPGetPC(*ksp, &pc));
  if (m.fields.velocities) PetscCall(SplitFields(m, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the lines go. */
PetscErrorCode Open(char (&path)[PETSC_MAX_PATH_LEN], FILE **out)
{
  PetscFunctionBeginUser;
  *path = '\0';
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", path, sizeof(path), NULL));
  PetscCall(PetscFOpen(PETSC_COMM_SELF, *path ? path : "stdout", "a", out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What every line begins with. */
PetscErrorCode Begin(const LeagueProblem &p, PetscInt size, FILE *out)
{
  char method[32] = "";

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-pc_type", method, sizeof(method), NULL));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, out,
                         "{\"what\": \"league\", \"group\": \"%s\", \"problem\": \"%s\", \"family\": \"%s\", \"size\": %" PetscInt_FMT
                         ", \"pc_type\": \"%s\", ",
                         p.group.c_str(), p.name.c_str(), p.family == Family::tuned ? "tuned" : "reported", size, method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode End(const char *path, FILE *out)
{
  PetscFunctionBeginUser;
  std::fflush(out); /* the next problem may be ended from outside */
  if (*path) PetscCall(PetscFClose(PETSC_COMM_SELF, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Report(const LeagueProblem &p, PetscInt size, Mat A, KSP ksp, Vec b, Vec x, const PetscLogDouble t[3])
{
  KSPConvergedReason reason;
  KSPType            ksp_type;
  Vec                r;
  PetscInt           its, rows;
  PetscReal          norm, residual;
  MatInfo            info;
  char               path[PETSC_MAX_PATH_LEN];
  FILE              *out;

  PetscFunctionBeginUser;
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatResidual(A, b, x, r));
  PetscCall(VecNorm(r, NORM_2, &residual));
  PetscCall(VecDestroy(&r));
  PetscCall(Open(path, &out));
  PetscCall(Begin(p, size, out));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, out, "\"rows\": %.0f, \"nnz\": %.0f, \"ksp_type\": \"%s\", ", (double)rows, info.nz_used, ksp_type));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, out, "\"setup_s\": %.4f, \"solve_s\": %.4f, \"iterations\": %" PetscInt_FMT ", \"reason\": \"%s\", \"residual\": ",
                         t[1] - t[0], t[2] - t[1], its, KSPConvergedReasons[reason]));
  if (PetscIsInfOrNanReal(residual)) PetscCall(PetscFPrintf(PETSC_COMM_SELF, out, "null}\n"));
  else PetscCall(PetscFPrintf(PETSC_COMM_SELF, out, "%.3g}\n", (double)(residual / norm)));
  PetscCall(End(path, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a problem that ends with an error. */
PetscErrorCode ReportError(const LeagueProblem &p, PetscInt size, std::string sentence)
{
  char  path[PETSC_MAX_PATH_LEN];
  FILE *out;

  PetscFunctionBeginUser;
  for (char &c : sentence)
    if (c == '"' || c == '\\' || c < ' ') c = c == '"' ? '\'' : ' ';
  PetscCall(Open(path, &out));
  PetscCall(Begin(p, size, out));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, out, "\"reason\": \"error\", \"message\": \"%s\"}\n", sentence.c_str()));
  PetscCall(End(path, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keeps the sentence of what went wrong first. */
PetscErrorCode KeepSentence(MPI_Comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType type, const char *sentence, void *kept)
{
  if (type == PETSC_ERROR_INITIAL && sentence) *static_cast<std::string *>(kept) = sentence;
  return code;
}

PetscErrorCode Solve(const LeagueProblem &p, PetscInt size, bool told)
{
  const LeagueMatrix m = p.make(static_cast<int>(size));
  Mat                A;
  Vec                x, b;
  KSP                ksp;
  PC                 pc;
  PetscLogDouble     t[3];
  PetscInt           setups = 1;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-setups", &setups, NULL));
  PetscCall(Assemble(m, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(RightHandSide(m, b));
  PetscCall(Prepare(p, m, A, &ksp));
  for (; setups > 1; setups--) {
    PetscCall(KSPSetUp(ksp));
    PetscCall(KSPReset(ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
  }
  PetscCall(PetscTime(&t[0]));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(SetUpFields(pc));
  PetscCall(PetscTime(&t[1]));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscTime(&t[2]));
  if (told) PetscCall(Report(p, size, A, ksp, b, x, t));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* None: all. An error of one problem is a line of its own, and the next one begins. */
PetscErrorCode SolveEach(const std::vector<std::string> &names, PetscInt size)
{
  std::vector<const LeagueProblem *> problems;
  PetscBool                          warm_up = PETSC_FALSE;

  PetscFunctionBeginUser;
  for (const LeagueProblem &p : league()) {
    if (names.empty() || std::find(names.begin(), names.end(), p.name) != names.end()) problems.push_back(&p);
  }
  PetscCheck(names.empty() || problems.size() == names.size(), PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "-problem: not all are problems: see -list");
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-warm_up", &warm_up, NULL));
  if (warm_up && !problems.empty()) PetscCall(Solve(*problems.front(), size, false));
  for (const LeagueProblem *p : problems) {
    std::string sentence;

    PetscCall(PetscPushErrorHandler(KeepSentence, &sentence));
    const PetscErrorCode failed = Solve(*p, size, true);
    PetscCall(PetscPopErrorHandler());
    if (failed) PetscCall(ReportError(*p, size, sentence));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run()
{
  char                    *given[256];
  PetscInt                 size = 0, n = 256;
  PetscBool                list = PETSC_FALSE;
  std::vector<std::string> names;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-list", &list, NULL));
  if (list) {
    PetscCall(List());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-problem", given, &n, NULL));
  for (PetscInt k = 0; k < n; k++) {
    names.emplace_back(given[k]);
    PetscCall(PetscFree(given[k]));
  }
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-size", &size, NULL));
  PetscCheck(size >= 0 && size < 4, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-size %" PetscInt_FMT " is none of 0, 1, 2, 3", size);
  PetscCall(SolveEach(names, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscDLLibraryRegister_goza());
  PetscCall(Run());
  PetscCall(PetscFinalize());
  PetscFunctionReturn(PETSC_SUCCESS);
}
