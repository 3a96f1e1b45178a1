/* PETSc alone, no Goza: how often is y + A' x of an AIJCUSPARSE wrong where several programs share a GPU under NVIDIA's MPS?

     nvidia-cuda-mps-control -d
     mpicc -O2 test/fuzz/transposed_under_mps.c $(pkg-config --cflags --libs $PETSC_DIR/$PETSC_ARCH/lib/pkgconfig/petsc.pc) -o transposed
     for k in 1 2 3 4; do mpiexec -n 4 ./transposed -use_gpu_aware_mpi 0 [-keep] [-explicit] & done; wait

   -keep: one matrix for all rounds and not a new one each; -explicit: with the transpose formed, which needs no atomic operations. */
#include <petscmat.h>

static const PetscInt n = 130, dense = 7;

static PetscErrorCode Make(PetscBool explicit_transpose, Mat *A, Vec *x, Vec *y)
{
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, MATAIJCUSPARSE));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++) {
    PetscCall(MatSetValue(*A, i, i, 20, INSERT_VALUES));
    for (PetscInt j = 0; i == dense && j < n; j++) PetscCall(MatSetValue(*A, i, j, 1 + j, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  if (explicit_transpose) PetscCall(MatSetOption(*A, MAT_FORM_EXPLICIT_TRANSPOSE, PETSC_TRUE));
  PetscCall(MatCreateVecs(*A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt           rounds = 100000, lo, hi, bad = 0, all;
  PetscBool          explicit_transpose = PETSC_FALSE, keep = PETSC_FALSE;
  Mat                A = NULL;
  Vec                x = NULL, y = NULL;
  const PetscScalar *got;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &rounds, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-explicit", &explicit_transpose, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-keep", &keep, NULL));
  for (PetscInt k = 1; k <= rounds; k++) {
    if (!A) PetscCall(Make(explicit_transpose, &A, &x, &y));
    PetscCall(VecSet(x, k));
    PetscCall(VecSet(y, 3));
    PetscCall(MatMultTransposeAdd(A, x, y, y));
    PetscCall(VecGetOwnershipRange(y, &lo, &hi));
    PetscCall(VecGetArrayRead(y, &got));
    for (PetscInt i = lo; i < hi; i++) {
      const PetscScalar want = 3 + k * (i == dense ? 1 + i : 20 + 1 + i);

      if (PetscAbsScalar(got[i - lo] - want) <= 1e-9 * PetscAbsScalar(want)) continue;
      bad++;
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "round %" PetscInt_FMT ", row %" PetscInt_FMT ": %g instead of %g\n", k, i, (double)PetscRealPart(got[i - lo]),
                            (double)PetscRealPart(want)));
    }
    PetscCall(VecRestoreArrayRead(y, &got));
    if (keep && k < rounds) continue;
    PetscCall(MatDestroy(&A));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
  }
  PetscCallMPI(MPI_Allreduce(&bad, &all, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " rounds, %" PetscInt_FMT " wrong values\n", rounds, all));
  return PetscFinalize();
}
