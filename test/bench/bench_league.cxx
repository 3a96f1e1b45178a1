/* Problems of the league, solved with what the command line says of -pc_type:

     bench_league -list                                                           group, name, family, Krylov method of each
     bench_league [-problem NAME,...] [-size 0|1|2|3] [-setups N] [-fused] [-json FILE] -pc_type ...    one JSON line each, with the time of the last of N
                                                                                                   set-ups from nothing

   The Krylov method is the problem's, or what is called fused of it; the tolerance 1e-7 of the true residual; the right-hand side is of hashed numbers,
   orthogonal to a null space. */
#include "petscgoza.h"
#include "../support/league.hpp"
#include "petsc/compat.hpp"
#include <petscksp.h>
#include <petsctime.h>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using namespace goza_test;

PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_goza(void); /* what -dll_append calls */

namespace
{

PetscErrorCode List()
{
  PetscFunctionBeginUser;
  for (const LeagueProblem &p : league())
    PetscCall(
      PetscPrintf(PETSC_COMM_SELF, "%s\t%s\t%s\t%s\n", p.group.c_str(), p.name.c_str(), p.family == Family::tuned ? "tuned" : "reported", p.ksp.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Assemble(const LeagueMatrix &m, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, m.A.rows, m.A.cols, m.A.rows, m.A.cols));
  PetscCall(MatSetBlockSize(*A, m.bs));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, m.A.ptr.data(), m.A.col.data(), m.A.val.data()));
  if (m.constant && m.marked) {
    MatNullSpace constants;

    PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, &constants));
    PetscCall(MatSetNullSpace(*A, constants));
    PetscCall(MatNullSpaceDestroy(&constants));
  }
  if (m.dim) {
    MatNullSpace modes;
    Vec          x;

    PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, m.dim, static_cast<PetscInt>(m.places.size()), m.places.data(), &x));
    PetscCall(MatNullSpaceCreateRigidBody(x, &modes));
    PetscCall(MatSetNearNullSpace(*A, modes));
    PetscCall(MatNullSpaceDestroy(&modes));
    PetscCall(VecDestroy(&x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RightHandSide(const LeagueMatrix &m, Vec b)
{
  PetscScalar *array, sum = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArray(b, &array));
  for (PetscInt i = 0; i < m.A.rows; i++) sum += array[i] = coefficient(i, -1) - 1;
  for (PetscInt i = 0; m.constant && i < m.A.rows; i++) array[i] -= sum / static_cast<PetscReal>(m.A.rows);
  PetscCall(VecRestoreArray(b, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Prepare(const LeagueProblem &p, Mat A, KSP *ksp)
{
  PetscBool fused = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-fused", &fused, NULL));
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, fused && (p.ksp == "cg" || p.ksp == "gmres" || p.ksp == "bcgs") ? ("fused" + p.ksp).c_str() : p.ksp.c_str()));
  PetscCall(KSPSetTolerances(*ksp, 1e-7, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  if (p.ksp == "gmres" || p.ksp == "bcgs") PetscCall(KSPSetPCSide(*ksp, PC_RIGHT));
  else PetscCall(KSPSetNormType(*ksp, KSP_NORM_UNPRECONDITIONED));
  if (p.ksp == "gmres") PetscCall(KSPGMRESSetRestart(*ksp, 100));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Report(const LeagueProblem &p, PetscInt size, Mat A, KSP ksp, Vec b, Vec x, const PetscLogDouble t[3])
{
  KSPConvergedReason reason;
  KSPType            ksp_type;
  PC                 pc;
  PCType             pc_type;
  Vec                r;
  PetscInt           its, rows;
  PetscReal          norm, residual;
  MatInfo            info;
  char               path[PETSC_MAX_PATH_LEN] = "";
  FILE              *out                      = NULL;

  PetscFunctionBeginUser;
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &pc_type));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatResidual(A, b, x, r));
  PetscCall(VecNorm(r, NORM_2, &residual));
  PetscCall(VecDestroy(&r));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", path, sizeof(path), NULL));
  PetscCall(PetscFOpen(PETSC_COMM_SELF, *path ? path : "stdout", "a", &out));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, out,
                         "{\"what\": \"league\", \"group\": \"%s\", \"problem\": \"%s\", \"family\": \"%s\", \"size\": %" PetscInt_FMT
                         ", \"rows\": %.0f, \"nnz\": %.0f, \"ksp_type\": \"%s\", \"pc_type\": \"%s\", ",
                         p.group.c_str(), p.name.c_str(), p.family == Family::tuned ? "tuned" : "reported", size, (double)rows, info.nz_used, ksp_type,
                         pc_type));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, out,
                         "\"setup_s\": %.4f, \"solve_s\": %.4f, \"iterations\": %" PetscInt_FMT ", \"reason\": \"%s\", \"residual\": %.3g}\n", t[1] - t[0],
                         t[2] - t[1], its, KSPConvergedReasons[reason], (double)(residual / norm)));
  std::fflush(out); /* the next problem may be ended from outside */
  if (*path) PetscCall(PetscFClose(PETSC_COMM_SELF, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve(const LeagueProblem &p, PetscInt size)
{
  const LeagueMatrix m = p.make(static_cast<int>(size));
  Mat                A;
  Vec                x, b;
  KSP                ksp;
  PetscLogDouble     t[3];
  PetscInt           setups = 1;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-setups", &setups, NULL));
  PetscCall(Assemble(m, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(RightHandSide(m, b));
  PetscCall(Prepare(p, A, &ksp));
  for (; setups > 1; setups--) {
    PetscCall(KSPSetUp(ksp));
    PetscCall(KSPReset(ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
  }
  PetscCall(PetscTime(&t[0]));
  PetscCall(KSPSetUp(ksp));
  PetscCall(PetscTime(&t[1]));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscTime(&t[2]));
  PetscCall(Report(p, size, A, ksp, b, x, t));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* None: all. An error of one problem is reported, and the next one begins. */
PetscErrorCode SolveEach(const std::vector<std::string> &names, PetscInt size)
{
  std::vector<const LeagueProblem *> problems;

  PetscFunctionBeginUser;
  for (const LeagueProblem &p : league()) {
    if (names.empty() || std::find(names.begin(), names.end(), p.name) != names.end()) problems.push_back(&p);
  }
  PetscCheck(names.empty() || problems.size() == names.size(), PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "-problem: not all are problems: see -list");
  if (problems.size() == 1) PetscCall(Solve(*problems[0], size));
  else
    for (const LeagueProblem *p : problems) {
      PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
      const PetscErrorCode failed = Solve(*p, size);
      PetscCall(PetscPopErrorHandler());
      if (failed) PetscCall(PetscFPrintf(PETSC_COMM_SELF, stderr, "%s: error %d\n", p->name.c_str(), (int)failed));
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
