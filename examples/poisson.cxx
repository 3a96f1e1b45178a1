static char help[] = "Poisson's equation -div(k grad u) = f on the unit cube with trilinear hexahedra on a DMDA.\n\
  -n <nodes>                                     : nodes a side (or -da_grid_x, -da_grid_y, -da_grid_z)\n\
  -coefficient constant|random|layered|lognormal : k, one value an element; spread over a factor of -contrast, drawn with -seed\n\
  -dirichlet xm,xp,ym,yp,zm,zp                   : the faces where u is given; on the others k du/dn is\n\
  -assemble coo|setvalues                        : MatSetValuesCOO() with 27 entries a row, or MatSetValuesStencil() element by element\n\
  -setups <number>                               : set the solver up so many times, each from nothing, report the fastest, and the first if it is another\n\
  -solves <number>                               : solve so many times, report the fastest, and the first if it is another\n\
  -resolve                                       : change the values in the same nonzero pattern, then set up and solve again\n\
  -json <file>                                   : append the results, one line of JSON a set-up\n\n";

/*
   An ordinary PETSc program: it neither includes nor links Goza. The types come from the command line,

     -dll_append <path>/libgoza.so -dm_mat_type slicedell -pc_type saamg

   The matrix has the 27 diagonals of trilinear hexahedra (Dirichlet nodes keep their couplings, with value zero, so that each
   diagonal is whole). Dirichlet nodes are eliminated from the element matrices, rows and columns, which keeps the matrix
   symmetric positive definite; their diagonal is the sum of the element diagonals, so that it has the size of its neighbours'
   for any k and any grid.

   The right-hand side is that of u = 1 + x^3 + x y^2 + y z^3 with k = 1. For a constant coefficient that u is the solution:
   the error in L2 is printed and falls by four when n-1 doubles.

   Run lines:
     poisson -n 17
     poisson -n 33 -pc_type gamg
     poisson -n 17 -coefficient lognormal -contrast 1e4 -dirichlet zm,zp -assemble setvalues -solves 2 -resolve
     poisson -da_grid_x 21 -da_grid_y 9 -da_grid_z 13 -coefficient random -json poisson.json
*/
#include <petscdmda.h>
#include <petscksp.h>
#include "box.hpp"
#include "poisson_problem.hpp"

static const char *const Assemblies[] = {"coo", "setvalues"};

enum { COO, SETVALUES };

struct Solver {
  DM            da;
  Problem       problem;
  PetscInt      assemble;
  PetscScalar  *coo; /* values of the owned rows, [rows][27] */
  PetscLogStage setup, solve;
};

struct Result {
  const char        *what;
  PetscLogDouble     assemble, setup, first_setup, solve, first; /* seconds; setup, solve: the fastest, first: the first, with all that is done once */
  PetscInt           its;
  PetscReal          residual, error; /* ||b - A x|| / ||b||, L2 norm of u_h - u (-1 where u is not known) */
  KSPConvergedReason reason;
};

/* ---- the linear system ---- */

/* The pattern for MatSetValuesCOO(): entry 9(dz+1) + 3(dy+1) + (dx+1) of a row is its coupling to the node at that offset,
   -1 (ignored by PETSc) outside the domain */
static PetscErrorCode CreateMatrix(Solver *S, Mat *A)
{
  ISLocalToGlobalMapping map;
  const PetscInt        *global;
  PetscInt               s[3], w[3], gs[3], gw[3], *rows, *cols;
  PetscCount             n, entry = 0;

  PetscFunctionBeginUser;
  PetscCall(DMSetMatrixPreallocateSkip(S->da, (PetscBool)(S->assemble == COO)));
  PetscCall(DMSetMatrixPreallocateOnly(S->da, (PetscBool)(S->assemble == COO))); /* DMDA of 3.18 knows no Skip: at least fill no zeros */
  PetscCall(DMCreateMatrix(S->da, A));
  PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SPD_ETERNAL, PETSC_TRUE));
  if (S->assemble == SETVALUES) PetscFunctionReturn(PETSC_SUCCESS);

  PetscCall(DMDAGetCorners(S->da, &s[0], &s[1], &s[2], &w[0], &w[1], &w[2]));
  PetscCall(DMDAGetGhostCorners(S->da, &gs[0], &gs[1], &gs[2], &gw[0], &gw[1], &gw[2]));
  PetscCall(DMGetLocalToGlobalMapping(S->da, &map));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &global));
  n = (PetscCount)27 * w[0] * w[1] * w[2];
  PetscCall(PetscMalloc2(n, &rows, n, &cols));
  PetscCall(PetscMalloc1(n, &S->coo));
  for (PetscInt k = s[2]; k < s[2] + w[2]; k++) {
    for (PetscInt j = s[1]; j < s[1] + w[1]; j++) {
      for (PetscInt i = s[0]; i < s[0] + w[0]; i++) {
        for (PetscInt c = 0; c < 27; c++, entry++) {
          const PetscInt x = i + c % 3 - 1, y = j + c / 3 % 3 - 1, z = k + c / 9 - 1;
          const bool     inside = x >= 0 && y >= 0 && z >= 0 && x < S->problem.nodes[0] && y < S->problem.nodes[1] && z < S->problem.nodes[2];

          rows[entry] = global[i - gs[0] + gw[0] * (j - gs[1] + gw[1] * (k - gs[2]))];
          cols[entry] = inside ? global[x - gs[0] + gw[0] * (y - gs[1] + gw[1] * (z - gs[2]))] : -1;
        }
      }
    }
  }
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &global));
  PetscCall(MatSetPreallocationCOO(*A, n, rows, cols));
  PetscCall(PetscFree2(rows, cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each rank visits the elements that touch its nodes and adds to its own rows only, so that COO assembly and the right-hand side
   need no communication; -assemble setvalues instead adds each element once and leaves other ranks' rows to PETSc */
static PetscErrorCode Assemble(Solver *S, Mat A, Vec b)
{
  PetscScalar ***rhs, Ke[8][8], be[8];
  PetscInt       s[3], w[3], e[3];

  PetscFunctionBeginUser;
  PetscCall(DMDAGetCorners(S->da, &s[0], &s[1], &s[2], &w[0], &w[1], &w[2]));
  if (S->assemble == COO) PetscCall(PetscArrayzero(S->coo, (size_t)27 * w[0] * w[1] * w[2]));
  else PetscCall(MatZeroEntries(A));
  PetscCall(VecSet(b, 0));
  PetscCall(DMDAVecGetArray(S->da, b, &rhs));
  for (e[2] = PetscMax(s[2] - 1, 0); e[2] < PetscMin(s[2] + w[2], S->problem.nodes[2] - 1); e[2]++) {
    for (e[1] = PetscMax(s[1] - 1, 0); e[1] < PetscMin(s[1] + w[1], S->problem.nodes[1] - 1); e[1]++) {
      for (e[0] = PetscMax(s[0] - 1, 0); e[0] < PetscMin(s[0] + w[0], S->problem.nodes[0] - 1); e[0]++) {
        MatStencil corner[8] = {};

        ElementSystem(&S->problem, e, Ke, be);
        for (PetscInt a = 0; a < 8; a++) {
          const PetscInt i = e[0] + q1::Bit(a, 0), j = e[1] + q1::Bit(a, 1), k = e[2] + q1::Bit(a, 2);

          corner[a].i = i;
          corner[a].j = j;
          corner[a].k = k;
          if (i < s[0] || j < s[1] || k < s[2] || i >= s[0] + w[0] || j >= s[1] + w[1] || k >= s[2] + w[2]) continue;
          rhs[k][j][i] += be[a];
          if (S->assemble == COO) {
            PetscScalar *row = S->coo + (size_t)27 * (i - s[0] + w[0] * (j - s[1] + (size_t)w[1] * (k - s[2])));

            for (PetscInt c = 0; c < 8; c++)
              row[13 + q1::Bit(c, 0) - q1::Bit(a, 0) + 3 * (q1::Bit(c, 1) - q1::Bit(a, 1)) + 9 * (q1::Bit(c, 2) - q1::Bit(a, 2))] += Ke[a][c];
          }
        }
        if (S->assemble == SETVALUES && e[0] >= s[0] && e[1] >= s[1] && e[2] >= s[2])
          PetscCall(MatSetValuesStencil(A, 8, corner, 8, corner, &Ke[0][0], ADD_VALUES));
      }
    }
  }
  PetscCall(DMDAVecRestoreArray(S->da, b, &rhs));
  if (S->assemble == COO) PetscCall(MatSetValuesCOO(A, S->coo, INSERT_VALUES));
  else {
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The L2 norm of u_h - u */
static PetscErrorCode Error(const Solver *S, Vec u, PetscReal *error)
{
  Vec            local;
  PetscScalar ***uh;
  PetscInt       s[3], w[3], e[3];
  PetscReal      x[3], xi[3], sum = 0;

  PetscFunctionBeginUser;
  PetscCall(DMGetLocalVector(S->da, &local));
  PetscCall(DMGlobalToLocalBegin(S->da, u, INSERT_VALUES, local));
  PetscCall(DMGlobalToLocalEnd(S->da, u, INSERT_VALUES, local));
  PetscCall(DMDAGetCorners(S->da, &s[0], &s[1], &s[2], &w[0], &w[1], &w[2]));
  PetscCall(DMDAVecGetArray(S->da, local, &uh));
  for (e[2] = s[2]; e[2] < PetscMin(s[2] + w[2], S->problem.nodes[2] - 1); e[2]++) {
    for (e[1] = s[1]; e[1] < PetscMin(s[1] + w[1], S->problem.nodes[1] - 1); e[1]++) {
      for (e[0] = s[0]; e[0] < PetscMin(s[0] + w[0], S->problem.nodes[0] - 1); e[0]++) {
        for (PetscInt q = 0; q < 8; q++) {
          PetscReal difference;

          for (PetscInt d = 0; d < 3; d++) xi[d] = q1::GaussPoint(q1::Bit(q, d));
          Position(&S->problem, e, xi, x);
          difference = -Exact(x);
          for (PetscInt a = 0; a < 8; a++) difference += PetscRealPart(uh[e[2] + q1::Bit(a, 2)][e[1] + q1::Bit(a, 1)][e[0] + q1::Bit(a, 0)]) * q1::Shape(a, xi);
          sum += difference * difference * S->problem.h[0] * S->problem.h[1] * S->problem.h[2] / 8;
        }
      }
    }
  }
  PetscCall(DMDAVecRestoreArray(S->da, local, &uh));
  PetscCall(DMRestoreLocalVector(S->da, &local));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  *error = PetscSqrtReal(sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solving and reporting ---- */

static PetscErrorCode AssembleAndSolve(Solver *S, PetscInt setups, PetscInt solves, KSP ksp, Mat A, Vec b, Vec x, Result *result)
{
  PetscLogDouble start, end;
  PetscReal      norm;

  PetscFunctionBeginUser;
  PetscCall(Now(&start));
  PetscCall(Assemble(S, A, b));
  PetscCall(Now(&end));
  result->assemble = end - start;

  PetscCall(PetscLogStagePush(S->setup));
  PetscCall(SetUp(setups, ksp, A, &result->setup, &result->first_setup));
  PetscCall(PetscLogStagePop());

  result->solve = PETSC_MAX_REAL;
  PetscCall(PetscLogStagePush(S->solve));
  for (PetscInt n = 0; n < solves; n++) {
    PetscCall(Now(&start));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Now(&end));
    result->solve = PetscMin(result->solve, end - start);
    if (n == 0) result->first = end - start;
  }
  PetscCall(PetscLogStagePop());
  PetscCall(KSPGetIterationNumber(ksp, &result->its));
  PetscCall(KSPGetConvergedReason(ksp, &result->reason));

  /* b - A x takes b's place, which the next assembly makes anew: no memory for another vector */
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecScale(x, -1));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(VecScale(x, -1));
  PetscCall(VecNorm(b, NORM_2, &result->residual));
  result->residual /= norm;
  result->error = -1;
  if (S->problem.coefficient == CONSTANT) PetscCall(Error(S, x, &result->error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(const Solver *S, PetscInt setups, PetscInt solves, KSP ksp, Mat A, Vec x, const Result *result, const char json[])
{
  PC          pc;
  MatInfo     info;
  MatType     mat;
  VecType     vec;
  KSPType     method;
  PCType      preconditioner;
  PetscMPIInt ranks;
  PetscInt    N;
  char        error[64] = "", first_setup[32] = "", first[32] = "", residual[32];
  FILE       *file;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(MatGetSize(A, &N, nullptr));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatGetType(A, &mat));
  PetscCall(VecGetType(x, &vec));
  PetscCall(KSPGetType(ksp, &method));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &preconditioner));
  if (result->error >= 0) PetscCall(PetscSNPrintf(error, sizeof(error), ", L2 error %.4e", (double)result->error));
  if (setups > 1) PetscCall(PetscSNPrintf(first_setup, sizeof(first_setup), " (first %.4f s)", (double)result->first_setup));
  if (solves > 1) PetscCall(PetscSNPrintf(first, sizeof(first), " (first %.4f s)", (double)result->first));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s: N %" PetscInt_FMT ", nnz %.0f, mat %s, pc %s, set-up %.4f s%s, %" PetscInt_FMT
                        " iterations, solve %.4f s%s, residual %.3e%s, %s\n",
                        result->what, N, (double)info.nz_used, mat, preconditioner, (double)result->setup, first_setup, result->its, (double)result->solve,
                        first, (double)result->residual, error, KSPConvergedReasons[result->reason]));
  if (!json[0]) PetscFunctionReturn(PETSC_SUCCESS);

  /* JSON knows no NaN, no infinity and no "100." (which PETSc makes of %g) */
  PetscCall(PetscSNPrintf(residual, sizeof(residual), PetscIsInfOrNanReal(result->residual) ? "null" : "%.6e", (double)result->residual));
  if (result->error >= 0) PetscCall(PetscSNPrintf(error, sizeof(error), ", \"l2_error\": %.6e", (double)result->error));
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, json, "a", &file));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file,
                         "{\"program\": \"poisson\", \"what\": \"%s\", \"petsc\": \"%d.%d.%d\", \"ranks\": %d, \"nodes\": [%" PetscInt_FMT ", %" PetscInt_FMT
                         ", %" PetscInt_FMT "], \"coefficient\": \"%s\", \"contrast\": %.6e, \"assembly\": \"%s\", ",
                         result->what, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, ranks, S->problem.nodes[0], S->problem.nodes[1],
                         S->problem.nodes[2], Coefficients[S->problem.coefficient], (double)S->problem.contrast, Assemblies[S->assemble]));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file,
                         "\"N\": %" PetscInt_FMT ", \"nnz\": %.0f, \"mat_type\": \"%s\", \"vec_type\": \"%s\", \"ksp_type\": \"%s\", \"pc_type\": \"%s\", ", N,
                         (double)info.nz_used, mat, vec, method, preconditioner));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file,
                         "\"assemble_s\": %.6f, \"setup_s\": %.6f, \"iterations\": %" PetscInt_FMT ", \"solves\": %" PetscInt_FMT
                         ", \"solve_s\": %.6f, \"first_solve_s\": %.6f, \"residual\": %s%s, \"reason\": \"%s\"}\n",
                         (double)result->assemble, (double)result->setup, result->its, solves, (double)result->solve, (double)result->first, residual, error,
                         KSPConvergedReasons[result->reason]));
  PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options(Solver *S, PetscInt *n, PetscInt *setups, PetscInt *solves, PetscBool *resolve, char json[], size_t length)
{
  char     *faces[6];
  PetscInt  nfaces = 6;
  PetscBool set;

  PetscFunctionBeginUser;
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "Poisson's equation, trilinear hexahedra", nullptr);
  PetscCall(PetscOptionsInt("-n", "Nodes a side", nullptr, *n, n, nullptr));
  PetscCall(
    PetscOptionsEList("-coefficient", "The coefficient k", nullptr, Coefficients, 4, Coefficients[S->problem.coefficient], &S->problem.coefficient, nullptr));
  PetscCall(PetscOptionsReal("-contrast", "Largest k over smallest", nullptr, S->problem.contrast, &S->problem.contrast, nullptr));
  PetscCall(PetscOptionsInt("-seed", "Of the random coefficients", nullptr, S->problem.seed, &S->problem.seed, nullptr));
  PetscCall(PetscOptionsStringArray("-dirichlet", "Faces where u is given: xm,xp,ym,yp,zm,zp", nullptr, faces, &nfaces, &set));
  PetscCall(PetscOptionsEList("-assemble", "The way of assembly", nullptr, Assemblies, 2, Assemblies[S->assemble], &S->assemble, nullptr));
  PetscCall(PetscOptionsInt("-setups", "Number of set-ups, the fastest is reported", nullptr, *setups, setups, nullptr));
  PetscCall(PetscOptionsInt("-solves", "Number of solves, the fastest is reported", nullptr, *solves, solves, nullptr));
  PetscCall(PetscOptionsBool("-resolve", "Change the values, set up and solve again", nullptr, *resolve, resolve, nullptr));
  PetscCall(PetscOptionsString("-json", "File to append the results to", nullptr, json, json, length, nullptr));
  PetscOptionsEnd();

  PetscCheck(*setups > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-setups %" PetscInt_FMT " must be at least 1", *setups);
  PetscCheck(*solves > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-solves %" PetscInt_FMT " must be at least 1", *solves);
  PetscCheck(S->problem.contrast >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-contrast %g must be at least 1", (double)S->problem.contrast);
  if (!set) S->problem.dirichlet[0] = PETSC_TRUE;
  if (set) PetscCall(MarkFaces(nfaces, faces, S->problem.dirichlet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Solver    S      = {};
  Result    result = {};
  PetscInt  n = 17, setups = 1, solves = 1;
  PetscBool resolve    = PETSC_FALSE;
  char      json[4096] = "";
  KSP       ksp;
  Mat       A;
  Vec       b, x;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  S.problem.contrast = 100;
  S.problem.scale    = 1;
  PetscCall(Options(&S, &n, &setups, &solves, &resolve, json, sizeof(json)));
  PetscCall(PetscLogStageRegister("Setup", &S.setup));
  PetscCall(PetscLogStageRegister("Solve", &S.solve));

  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, n, n, n, PETSC_DECIDE, PETSC_DECIDE,
                         PETSC_DECIDE, 1, 1, nullptr, nullptr, nullptr, &S.da));
  PetscCall(DMSetFromOptions(S.da));
  PetscCall(DMSetUp(S.da));
  PetscCall(DMDAGetInfo(S.da, nullptr, &S.problem.nodes[0], &S.problem.nodes[1], &S.problem.nodes[2], nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                        nullptr, nullptr, nullptr));
  for (PetscInt d = 0; d < 3; d++) {
    PetscCheck(S.problem.nodes[d] > 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "An element needs two nodes in each direction, not %" PetscInt_FMT,
               S.problem.nodes[d]);
    S.problem.h[d] = (PetscReal)1 / (S.problem.nodes[d] - 1);
  }
  q1::Stiffness(S.problem.h, S.problem.K);

  PetscCall(CreateMatrix(&S, &A));
  PetscCall(DMCreateGlobalVector(S.da, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A)); /* before the options: the default PC depends on the matrix */
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-7, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(ksp));

  result.what = "solve";
  PetscCall(AssembleAndSolve(&S, setups, solves, ksp, A, b, x, &result));
  PetscCall(Report(&S, setups, solves, ksp, A, x, &result, json));
  if (resolve && result.reason > 0) {
    S.problem.scale = 2;
    S.problem.seed++;
    result.what = "resolve";
    PetscCall(AssembleAndSolve(&S, 1, solves, ksp, A, b, x, &result)); /* all that depends on the pattern alone is kept */
    PetscCall(Report(&S, 1, solves, ksp, A, x, &result, json));
  }

  PetscCall(PetscFree(S.coo));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&S.da));
  PetscCall(PetscFinalize());
  return result.reason > 0 ? 0 : 1;
}
