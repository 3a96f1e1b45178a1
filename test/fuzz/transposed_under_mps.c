/* How often is y + A' x wrong where several programs share a GPU under NVIDIA's MPS? By default of PETSc's AIJCUSPARSE alone, without Goza.

     nvidia-cuda-mps-control -d
     mpicc -O2 test/fuzz/transposed_under_mps.c $(pkg-config --cflags --libs $PETSC_DIR/$PETSC_ARCH/lib/pkgconfig/petsc.pc) -o transposed
     for k in 1 2 3 4; do mpiexec -n 4 ./transposed -use_gpu_aware_mpi 0 [-keep] [-explicit] & done; wait

   -keep: one matrix for all rounds and not a new one each; -explicit: with the transpose formed, which needs no atomic operations; -size: rows; -types
   aijcusparse,fold,cds: in turn, Goza's with -dll_append; -product: A x before, and checked, too. All numbers are whole, so that sums are exact in any order. */
#include <petscmat.h>

enum {
  dense     = 7, /* the row that has all columns */
  shown     = 20,
  types_max = 8
};

typedef struct {
  PetscInt  n;
  PetscBool explicit_transpose, keep, product;
} Wish;

static PetscInt far_of(PetscInt i, PetscInt n) { return (i + n / 2) % n; } /* another rank's column */

static PetscErrorCode Make(const Wish *wish, const char *type, Mat *A, Vec *x, Vec *y, Vec *z)
{
  const PetscInt n = wish->n;
  PetscInt       lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++) {
    PetscCall(MatSetValue(*A, i, i, 20, ADD_VALUES));
    PetscCall(MatSetValue(*A, i, far_of(i, n), 3, ADD_VALUES));
    for (PetscInt j = 0; i == dense && j < n; j++) PetscCall(MatSetValue(*A, i, j, 1 + j, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  if (wish->explicit_transpose) PetscCall(MatSetOption(*A, MAT_FORM_EXPLICIT_TRANSPOSE, PETSC_TRUE));
  PetscCall(MatCreateVecs(*A, x, y));
  PetscCall(VecDuplicate(*y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of x = k */
static PetscScalar product(const Wish *wish, PetscInt i, PetscInt k) { return k * (23 + (i == dense ? wish->n * (wish->n + 1) / 2 : 0)); }

static PetscScalar transposed(const Wish *wish, PetscInt j, PetscInt k)
{
  (void)wish;
  return 3 + k * (23 + 1 + j);
}

static PetscErrorCode Check(const Wish *wish, const char *what, Vec got, PetscInt k, PetscScalar (*want)(const Wish *, PetscInt, PetscInt), PetscInt *bad)
{
  const PetscScalar *array;
  PetscInt           lo, hi;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(got, &lo, &hi));
  PetscCall(VecGetArrayRead(got, &array));
  for (PetscInt i = lo; i < hi; i++) {
    if (array[i - lo] == want(wish, i, k)) continue;
    if (++*bad <= shown)
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, round %" PetscInt_FMT ", row %" PetscInt_FMT " of %" PetscInt_FMT " to %" PetscInt_FMT ": %g instead of %g\n",
                            what, k, i, lo, hi, (double)PetscRealPart(array[i - lo]), (double)PetscRealPart(want(wish, i, k))));
  }
  PetscCall(VecRestoreArrayRead(got, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const Wish *wish, const char *type, PetscInt rounds)
{
  Mat      A = NULL;
  Vec      x = NULL, y = NULL, z = NULL;
  PetscInt bad[2] = {0, 0}, all[2];

  PetscFunctionBeginUser;
  for (PetscInt k = 1; k <= rounds; k++) {
    if (!A) PetscCall(Make(wish, type, &A, &x, &y, &z));
    PetscCall(VecSet(x, k));
    PetscCall(VecSet(y, 3));
    if (wish->product) PetscCall(MatMult(A, x, z));
    PetscCall(MatMultTransposeAdd(A, x, y, y));
    PetscCall(Check(wish, "y + A' x", y, k, transposed, bad));
    if (wish->product) PetscCall(Check(wish, "A x", z, k, product, bad + 1));
    if (wish->keep && k < rounds) continue;
    PetscCall(MatDestroy(&A));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&z));
  }
  PetscCallMPI(MPI_Allreduce(bad, all, 2, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s, %" PetscInt_FMT " rows, %" PetscInt_FMT " rounds: %" PetscInt_FMT " wrong values of y + A' x, %" PetscInt_FMT " of A x\n", type,
                        wish->n, rounds, all[0], all[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Wish      wish   = {130, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};
  PetscInt  rounds = 100000, n = types_max;
  char     *types[types_max];
  PetscBool set;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &rounds, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-size", &wish.n, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-explicit", &wish.explicit_transpose, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-keep", &wish.keep, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-product", &wish.product, NULL));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-types", types, &n, &set));
  if (!set) PetscCall(Run(&wish, MATAIJCUSPARSE, rounds));
  for (PetscInt t = 0; set && t < n; t++) {
    PetscCall(Run(&wish, types[t], rounds));
    PetscCall(PetscFree(types[t]));
  }
  return PetscFinalize();
}
