static char help[] = "Poisson's equation as in poisson, assembled by the program's own kernel straight into the diagonals of a matrix that is nothing else.\n\
  -n <nodes>                                     : nodes a side\n\
  -coefficient constant|random|layered|lognormal : k, one value an element; spread over a factor of -contrast, drawn with -seed\n\
  -setups <number>                               : set the solver up so many times, each from nothing, report the fastest, and the first\n\
  -solves <number>                               : solve so many times, report the fastest, and the first\n\
  -resolve                                       : change the values in the same nonzero pattern, then set up and solve again\n\n";

/*
   With nvcc the kernel runs where the matrix is, on a GPU; without, it is a loop on the host. The program neither includes nor links Goza: the type comes from

     -dll_append <path>/libgoza.so -mat_type cds -mat_cds_keep_aij no

   and two functions that the type composes on its matrices say which diagonals there are and where their values are. No index and no second copy of a value
   exist: 27 points in half storage take 112 bytes a row, and the matrix may have more nonzeros than a PetscInt counts.

   Run lines:
     poisson_diagonals -n 17 -mat_type cds -mat_cds_keep_aij no -ksp_type fusedcg -pc_type saamg
     poisson_diagonals -n 21 -coefficient random -mat_type cds -mat_cds_keep_aij no -pc_type jacobi -setups 2 -resolve
*/
#include <petscksp.h>
#include "box.hpp"
#include "poisson_problem.hpp"

constexpr PetscInt points = 27;

/* body(node) for every node, on the GPU or on the host */
#if defined(__CUDACC__)
template <class Body> __global__ void Kernel(PetscInt n, Body body)
{
  const PetscInt64 node = (PetscInt64)blockIdx.x * blockDim.x + threadIdx.x;

  if (node < n) body((PetscInt)node);
}
#endif

template <class Body> static PetscErrorCode ForEachNode(PetscMemType where, PetscInt n, const Body &body)
{
  PetscFunctionBeginUser;
  if (PetscMemTypeHost(where)) {
    for (PetscInt node = 0; node < n; node++) body(node);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#if defined(__CUDACC__)
  const int threads = 128;

  PetscCheck(cudaDeviceSynchronize() == cudaSuccess, PETSC_COMM_SELF, PETSC_ERR_GPU, "What came before failed on the device");
  Kernel<<<(unsigned)(((PetscInt64)n + threads - 1) / threads), threads>>>(n, body);
  const cudaError_t failed = cudaDeviceSynchronize();
  PetscCheck(failed == cudaSuccess, PETSC_COMM_SELF, PETSC_ERR_GPU, "The kernel failed: %s", cudaGetErrorString(failed));
  PetscFunctionReturn(PETSC_SUCCESS);
#else
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix is on a device, and this program was compiled without nvcc");
#endif
}

/* A node of the grid, and the elements around it: call(element, the node's corner in it) */
struct Around {
  PetscInt at[3];

  HD Around(const Problem &P, PetscInt node) : at{node % P.nodes[0], node / P.nodes[0] % P.nodes[1], node / P.nodes[0] / P.nodes[1]} { }

  template <class Call> HD void elements(const Problem &P, const Call &call) const
  {
    for (PetscInt corner = 0; corner < 8; corner++) {
      PetscInt e[3];
      bool     inside = true;

      for (PetscInt d = 0; d < 3; d++) {
        e[d]   = at[d] - q1::Bit(corner, d);
        inside = inside && e[d] >= 0 && e[d] < P.nodes[d] - 1;
      }
      if (inside) call(e, corner);
    }
  }
};

/* A node's row of the matrix, into the diagonals: value d of row i at values[d * ld + i] */
struct WriteRow {
  Problem      P;
  PetscInt     n, point[2 * points]; /* of each diagonal: which of the 27 neighbours it holds, 9 (dz + 1) + 3 (dy + 1) + dx + 1 */
  PetscInt64   ld;
  PetscScalar *values;

  HD void operator()(PetscInt node) const
  {
    const Around around(P, node);
    PetscScalar  row[points];

    for (PetscInt p = 0; p < points; p++) row[p] = 0;
    around.elements(P, [&](const PetscInt e[], PetscInt a) {
      PetscScalar Ke[8][8], be[8];

      ElementSystem(&P, e, Ke, be);
      for (PetscInt c = 0; c < 8; c++)
        row[13 + q1::Bit(c, 0) - q1::Bit(a, 0) + 3 * (q1::Bit(c, 1) - q1::Bit(a, 1)) + 9 * (q1::Bit(c, 2) - q1::Bit(a, 2))] += Ke[a][c];
    });
    for (PetscInt d = 0; d < n; d++) values[d * ld + node] = row[point[d]];
  }
};

struct WriteRightHandSide {
  Problem      P;
  PetscScalar *b;

  HD void operator()(PetscInt node) const
  {
    PetscScalar sum = 0;

    Around(P, node).elements(P, [&](const PetscInt e[], PetscInt a) {
      PetscScalar Ke[8][8], be[8];

      ElementSystem(&P, e, Ke, be);
      sum += be[a];
    });
    b[node] = sum;
  }
};

struct WriteExact {
  Problem      P;
  PetscScalar *u;

  HD void operator()(PetscInt node) const
  {
    const Around around(P, node);
    PetscReal    x[3];

    for (PetscInt d = 0; d < 3; d++) x[d] = P.h[d] * around.at[d];
    u[node] = Exact(x);
  }
};

template <class Body> static PetscErrorCode FillVector(const Problem *P, Vec v)
{
  PetscScalar *a;
  PetscMemType where;
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayWriteAndMemType(v, &a, &where));
  PetscCall(ForEachNode(where, n, Body{*P, a}));
  PetscCall(VecRestoreArrayWriteAndMemType(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The 27 offsets, ascending; 2 a side are not told apart, but 3 are */
static PetscErrorCode CreateMatrix(const Problem *P, Mat *A)
{
  const PetscInt N = P->nodes[0] * P->nodes[1] * P->nodes[2];
  PetscInt       offset[points];
  PetscErrorCode (*set)(Mat, PetscInt, const PetscInt[]) = nullptr;

  PetscFunctionBeginUser;
  for (PetscInt p = 0; p < points; p++) offset[p] = p % 3 - 1 + P->nodes[0] * (p / 3 % 3 - 1 + P->nodes[1] * (p / 9 - 1));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, N, N, N, N));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE)); /* before the first value: half of them are stored */
  PetscCall(MatSetOption(*A, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscCall(PetscObjectQueryFunction((PetscObject)*A, "MatCDSSetDiagonals_C", &set));
  PetscCheck(set, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "This program wants -dll_append libgoza.so -mat_type cds -mat_cds_keep_aij no");
  PetscCall((*set)(*A, points, offset));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Assemble(const Problem *P, Mat A, Vec b)
{
  WriteRow        body = {};
  const PetscInt *offset;
  PetscMemType    where;
  PetscInt        rows;
  PetscErrorCode (*get)(Mat, PetscInt *, const PetscInt *[], PetscInt64 *, PetscScalar *[], PetscMemType *) = nullptr;

  PetscFunctionBeginUser;
  body.P = *P;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatCDSGetDiagonals_C", &get));
  PetscCall((*get)(A, &body.n, &offset, &body.ld, &body.values, &where));
  for (PetscInt d = 0; d < body.n; d++) {
    for (PetscInt p = 0; p < points; p++) {
      if (offset[d] == p % 3 - 1 + P->nodes[0] * (p / 3 % 3 - 1 + P->nodes[1] * (p / 9 - 1))) body.point[d] = p;
    }
  }
  PetscCall(MatGetLocalSize(A, &rows, nullptr));
  PetscCall(ForEachNode(where, rows, body));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(FillVector<WriteRightHandSide>(P, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a GPU's memory holds, of everyone's */
static void PrintMemory(const char *when)
{
#if defined(__CUDACC__)
  size_t available, all;

  if (cudaMemGetInfo(&available, &all) == cudaSuccess)
    (void)PetscPrintf(PETSC_COMM_WORLD, "device memory %s: %.3f GB\n", when, (double)(all - available) / 1e9);
#else
  (void)when;
#endif
}

/* Without a third vector: b is spent, and x changes its sign */
static PetscErrorCode Check(const Problem *P, Mat A, Vec b, Vec x, PetscReal *residual, PetscReal *error)
{
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecScale(x, -1));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(VecNorm(b, NORM_2, residual));
  *residual /= norm;
  PetscCall(FillVector<WriteExact>(P, b));
  PetscCall(VecAXPY(b, 1, x));
  PetscCall(VecNorm(b, NORM_INFINITY, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(const Problem *P, PetscInt setups, PetscInt solves, KSP ksp, Mat A, Vec b, Vec x)
{
  PetscLogDouble     start, end, assembly, setup = 0, first_setup = 0, first = 0, best = PETSC_MAX_REAL;
  PetscReal          residual, error;
  PetscInt           its, N;
  KSPConvergedReason reason;
  MatType            type;

  PetscFunctionBeginUser;
  PetscCall(Now(&start));
  PetscCall(Assemble(P, A, b));
  PetscCall(Now(&end));
  assembly = end - start;
  PrintMemory("after assembly");
  PetscCall(SetUp(setups, ksp, A, &setup, &first_setup));
  PrintMemory("after the set-up");
  for (PetscInt k = 0; k < solves; k++) {
    PetscCall(Now(&start));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Now(&end));
    if (!k) first = end - start;
    best = PetscMin(best, end - start);
  }
  PrintMemory("after the solve");
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(Check(P, A, b, x, &residual, &error));
  PetscCall(MatGetSize(A, &N, nullptr));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "N %" PetscInt_FMT ", mat %s, assembly %.4f s, set-up %.4f s (first %.4f s), %" PetscInt_FMT
                        " iterations, solve %.4f s (first %.4f s), residual %.3e",
                        N, type, (double)assembly, (double)setup, (double)first_setup, its, (double)best, (double)first, (double)residual));
  if (P->coefficient == CONSTANT) PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", largest error %.3e", (double)error));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", %s\n", KSPConvergedReasons[reason]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Problem     P = {};
  PetscInt    n = 17, setups = 1, solves = 1;
  PetscBool   resolve = PETSC_FALSE;
  PetscMPIInt size;
  KSP         ksp;
  Mat         A;
  Vec         b, x;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  P.contrast     = 100;
  P.scale        = 1;
  P.dirichlet[0] = PETSC_TRUE;
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "Poisson's equation into diagonals", nullptr);
  PetscCall(PetscOptionsInt("-n", "Nodes a side", nullptr, n, &n, nullptr));
  PetscCall(PetscOptionsEList("-coefficient", "The coefficient k", nullptr, Coefficients, 4, Coefficients[P.coefficient], &P.coefficient, nullptr));
  PetscCall(PetscOptionsReal("-contrast", "Largest k over smallest", nullptr, P.contrast, &P.contrast, nullptr));
  PetscCall(PetscOptionsInt("-seed", "Of the random coefficients", nullptr, P.seed, &P.seed, nullptr));
  PetscCall(PetscOptionsInt("-setups", "Number of set-ups, the fastest is reported", nullptr, setups, &setups, nullptr));
  PetscCall(PetscOptionsInt("-solves", "Number of solves, the fastest is reported", nullptr, solves, &solves, nullptr));
  PetscCall(PetscOptionsBool("-resolve", "Change the values, set up and solve again", nullptr, resolve, &resolve, nullptr));
  PetscOptionsEnd();
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "Matrices of diagonals alone are of one rank");
  PetscCheck(n > 2 && n <= 1290, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-n %" PetscInt_FMT " is not from 3 to 1290", n); /* 1290^3 < 2^31 */
  PetscCheck(setups > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-setups %" PetscInt_FMT " must be at least 1", setups);
  PetscCheck(solves > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-solves %" PetscInt_FMT " must be at least 1", solves);
  PetscCheck(P.contrast >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-contrast %g must be at least 1", (double)P.contrast);
  for (PetscInt d = 0; d < 3; d++) {
    P.nodes[d] = n;
    P.h[d]     = (PetscReal)1 / (n - 1);
  }
  q1::Stiffness(P.h, P.K);

  PetscCall(CreateMatrix(&P, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-7, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(Solve(&P, setups, solves, ksp, A, b, x));
  if (resolve) {
    P.scale = 2;
    P.seed++;
    PetscCall(Solve(&P, 1, solves, ksp, A, b, x)); /* all that depends on the pattern alone is kept */
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
