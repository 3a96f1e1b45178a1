/* One problem, solved with what the command line says of -ksp_type and -pc_type:

     bench_defaults -problem wind_constant|wind_rotating|wind_central|hubs|stretched [-n 128] [-nz 1] [-eps 1e-2] [-links 4] [-ratio 1.15] [-json FILE]
     [-setups N] [-solves N] [-ksp_type ...] [-pc_type ...]

   One JSON line: rows, iterations, reason, true residual, seconds of the last of N set-ups from nothing, of the first solve after it and of the fastest of
   -solves. The right-hand side is of hashed numbers, the same on any number of ranks. */
#include "petscgoza.h"
#include "../support/operators.hpp"
#include "../support/sparse.hpp"
#include "petsc/compat.hpp"
#include <petscksp.h>
#include <petsctime.h>
#include <cstdio>
#include <string>

using namespace goza_test;

PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_goza(void); /* what -dll_append calls */

namespace {

PetscErrorCode Describe(Entry *e, std::string *name)
{
  char      problem[64] = "wind_constant";
  PetscInt  n = 128, nz = 1, links = 4;
  PetscReal eps = 1e-2, ratio = 1.15;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-problem", problem, sizeof(problem), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-nz", &nz, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-links", &links, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-eps", &eps, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-ratio", &ratio, NULL));
  *name = problem;
  if (*name == "wind_constant") *e = convection(n, n, nz, eps, Wind::constant);
  else if (*name == "wind_rotating") *e = convection(n, n, nz, eps, Wind::rotating);
  else if (*name == "wind_central") *e = convection(n, n, nz, eps, Wind::constant, Scheme::central);
  else if (*name == "hubs") *e = hubs(n, links);
  else if (*name == "stretched") *e = stretched7(n, n, nz, ratio);
  else SETERRQ(PETSC_COMM_WORLD, PETSC_ERR_ARG_UNKNOWN_TYPE, "no problem is called %s", problem);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Assemble(const Entry &e, Mat *A)
{
  PetscLayout              layout;
  std::vector<PetscInt>    ptr(1, 0), col;
  std::vector<PetscScalar> val;

  PetscFunctionBeginUser;
  PetscCall(PetscLayoutCreateFromSizes(PETSC_COMM_WORLD, PETSC_DECIDE, e.rows, 1, &layout));
  for (PetscInt i = layout->rstart; i < layout->rend; i++) {
    Row row;

    e.row(i, row);
    col.insert(col.end(), row.col.begin(), row.col.end());
    val.insert(val.end(), row.val.begin(), row.val.end());
    ptr.push_back((PetscInt)col.size());
  }
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, layout->n, layout->n, e.rows, e.cols));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, ptr.data(), col.data(), val.data()));
  PetscCall(MatMPIAIJSetPreallocationCSR(*A, ptr.data(), col.data(), val.data()));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RightHandSide(Vec b)
{
  PetscInt first, last;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(b, &first, &last));
  for (PetscInt i = first; i < last; i++) PetscCall(VecSetValue(b, i, coefficient(i, -1) - 1, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All set-ups but the last one. */
PetscErrorCode SetUpBefore(KSP ksp, Mat A)
{
  PetscInt setups = 1;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-setups", &setups, NULL));
  for (; setups > 1; setups--) {
    PetscCall(KSPSetUp(ksp));
    PetscCall(KSPReset(ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first of -solves, then the fastest. */
PetscErrorCode TimeSolves(KSP ksp, Vec b, Vec x, PetscLogDouble *first, PetscLogDouble *best)
{
  PetscInt       solves = 1;
  PetscLogDouble before, after;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-solves", &solves, NULL));
  for (PetscInt k = 0; k < PetscMax(solves, 1); k++) {
    PetscCall(PetscTime(&before));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(PetscTime(&after));
    if (k == 0) *best = *first = after - before;
    *best = PetscMin(*best, after - before);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve()
{
  Entry              e;
  std::string        name;
  Mat                A;
  Vec                x, b, r;
  KSP                ksp;
  KSPConvergedReason reason;
  KSPType            ksp_type;
  PCType             pc_type;
  PC                 pc;
  MatInfo            info;
  PetscInt           its;
  PetscReal          norm, residual;
  PetscLogDouble     t[2], first = 0, best = 0;
  PetscMPIInt        ranks;
  char               path[PETSC_MAX_PATH_LEN] = "";

  PetscFunctionBeginUser;
  PetscCall(Describe(&e, &name));
  PetscCall(Assemble(e, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(RightHandSide(b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(SetUpBefore(ksp, A));
  PetscCall(PetscTime(&t[0]));
  PetscCall(KSPSetUp(ksp));
  PetscCall(PetscTime(&t[1]));
  PetscCall(TimeSolves(ksp, b, x, &first, &best));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &pc_type));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatResidual(A, b, x, r));
  PetscCall(VecNorm(r, NORM_2, &residual));
  PetscCall(VecDestroy(&r));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", path, sizeof(path), NULL));
  FILE *out = NULL;
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, *path ? path : "stdout", "a", &out));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, out,
                         "{\"problem\": \"%s\", \"rows\": %" PetscInt_FMT ", \"nnz\": %.0f, \"ranks\": %d, \"ksp_type\": \"%s\", \"pc_type\": \"%s\", "
                         "\"setup_s\": %.4f, \"solve_s\": %.4f, \"best_solve_s\": %.4f, \"iterations\": %" PetscInt_FMT
                         ", \"reason\": \"%s\", \"residual\": %.3g}\n",
                         name.c_str(), e.rows, info.nz_used, ranks, ksp_type, pc_type, t[1] - t[0], first, best, its, KSPConvergedReasons[reason],
                         (double)(residual / norm)));
  if (*path) PetscCall(PetscFClose(PETSC_COMM_WORLD, out));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscDLLibraryRegister_goza());
  PetscCall(Solve());
  PetscCall(PetscFinalize());
  PetscFunctionReturn(PETSC_SUCCESS);
}
