static char help[] = "Darcy flow -div(K grad p) = f in a cube, cell-centred finite volumes (7 points) on a DMDA: the test problems of paper P5.\n\
  -n <cells>                                  : cells a side (or -da_grid_x, -da_grid_y, -da_grid_z)\n\
  -permeability constant|lognormal|blocks     : K, one value a cell\n\
  -sigma <s> -correlation <cells>             : lognormal: log K has this standard deviation, and a Gaussian correlation of this length\n\
  -contrast <c> -block <cells>                : blocks: cubes of so many cells with K = 1 or c\n\
  -anisotropy <a>                             : K in the direction of z is a times the others\n\
  -seed <number>                              : of the random fields\n\
  -dirichlet xm,xp,ym,yp,zm,zp                : the faces where p = 0; nothing flows through the others\n\
  -setups <number>                            : set the solver up so many times, each from nothing, report the fastest, and the first if it is another\n\
  -solves <number>                            : solve so many times, report the fastest\n\
  -json <file>                                : append the result, one line of JSON\n\n";

/*
   An ordinary PETSc program: it neither includes nor links Goza. The types come from the command line,

     -dll_append <path>/libgoza.so -dm_mat_type slicedell -pc_type saamg

   The right-hand side is a source of 1 in each cell. Faces between cells conduct with the harmonic mean of their K.

   Run lines:
     darcy -n 20
     darcy -n 20 -permeability lognormal -ksp_type bicg -pc_type jacobi
     darcy -n 16 -permeability blocks -contrast 1e4 -block 4 -dirichlet zm -setups 2 -solves 2
     darcy -da_grid_x 9 -da_grid_y 14 -da_grid_z 11 -anisotropy 100 -json darcy.json
*/
#include <petscdmda.h>
#include <petscksp.h>
#include "box.hpp"
#include "permeability.hpp"

struct Problem {
  Permeability K;
  PetscReal    anisotropy;
  PetscBool    dirichlet[6];
};

/* What flows between two cells for a difference in p of 1: area * K / distance, in units of the cell's edge length */
static inline PetscReal Transmissibility(PetscReal K, PetscReal L) { return 2 * K * L / (K + L); }

static PetscErrorCode Assemble(DM da, const Problem *P, Mat A, Vec b)
{
  PetscInt               s[3], w[3], n[3];
  std::vector<PetscReal> K;
  PetscInt               g[3], gw[3];

  PetscFunctionBeginUser;
  PetscCall(DMDAGetInfo(da, nullptr, &n[0], &n[1], &n[2], nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
  PetscCall(DMDAGetCorners(da, &s[0], &s[1], &s[2], &w[0], &w[1], &w[2]));
  for (int d = 0; d < 3; d++) { /* with the neighbours */
    g[d]  = s[d] - 1;
    gw[d] = w[d] + 2;
  }
  PetscCallCXX(K = P->K.field(n, g, gw));
  const auto at = [&](PetscInt i, PetscInt j, PetscInt k) { return K[(i - g[0]) + gw[0] * ((j - g[1]) + (size_t)gw[1] * (k - g[2]))]; };

  for (PetscInt k = s[2]; k < s[2] + w[2]; k++) {
    for (PetscInt j = s[1]; j < s[1] + w[1]; j++) {
      for (PetscInt i = s[0]; i < s[0] + w[0]; i++) {
        MatStencil      row = {}, col[7] = {};
        PetscScalar     v[7], diagonal   = 0;
        PetscInt        entries = 0;
        const PetscReal here    = at(i, j, k);

        row.i = i, row.j = j, row.k = k;
        for (int face = 0; face < 6; face++) {
          const int       d    = face / 2;
          const PetscInt  x[3] = {i + (d == 0 ? 2 * (face % 2) - 1 : 0), j + (d == 1 ? 2 * (face % 2) - 1 : 0), k + (d == 2 ? 2 * (face % 2) - 1 : 0)};
          const PetscReal a    = d == 2 ? P->anisotropy : 1;

          if (x[d] < 0 || x[d] >= n[d]) { /* half a cell to the boundary */
            if (P->dirichlet[face]) diagonal += 2 * a * here;
            continue;
          }
          const PetscReal t = a * Transmissibility(here, at(x[0], x[1], x[2]));

          col[entries].i = x[0], col[entries].j = x[1], col[entries].k = x[2];
          v[entries++] = -t;
          diagonal += t;
        }
        col[entries] = row;
        v[entries++] = diagonal;
        PetscCall(MatSetValuesStencil(A, 1, &row, entries, col, v, INSERT_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(VecSet(b, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options(Problem *P, PetscInt *n, PetscInt *setups, PetscInt *solves, char json[], size_t length)
{
  char     *faces[6];
  PetscInt  nfaces = 6;
  PetscBool set;

  PetscFunctionBeginUser;
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "Darcy flow, 7-point finite volumes", nullptr);
  PetscCall(PetscOptionsInt("-n", "Cells a side", nullptr, *n, n, nullptr));
  PetscCall(PetscOptionsEList("-permeability", "The permeability K", nullptr, Permeability::names, 3, Permeability::names[P->K.kind], &P->K.kind, nullptr));
  PetscCall(PetscOptionsReal("-sigma", "Standard deviation of log K", nullptr, P->K.sigma, &P->K.sigma, nullptr));
  PetscCall(PetscOptionsInt("-correlation", "Length of correlation in cells", nullptr, P->K.correlation, &P->K.correlation, nullptr));
  PetscCall(PetscOptionsReal("-contrast", "Largest K over smallest", nullptr, P->K.contrast, &P->K.contrast, nullptr));
  PetscCall(PetscOptionsInt("-block", "Cells a side of a block", nullptr, P->K.block, &P->K.block, nullptr));
  PetscCall(PetscOptionsReal("-anisotropy", "K in z over K in x", nullptr, P->anisotropy, &P->anisotropy, nullptr));
  PetscCall(PetscOptionsInt("-seed", "Of the random fields", nullptr, P->K.seed, &P->K.seed, nullptr));
  PetscCall(PetscOptionsStringArray("-dirichlet", "Faces where p = 0: xm,xp,ym,yp,zm,zp", nullptr, faces, &nfaces, &set));
  PetscCall(PetscOptionsInt("-setups", "Number of set-ups, the fastest is reported", nullptr, *setups, setups, nullptr));
  PetscCall(PetscOptionsInt("-solves", "Number of solves, the fastest is reported", nullptr, *solves, solves, nullptr));
  PetscCall(PetscOptionsString("-json", "File to append the result to", nullptr, json, json, length, nullptr));
  PetscOptionsEnd();

  PetscCheck(*setups > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-setups %" PetscInt_FMT " must be at least 1", *setups);
  PetscCheck(*solves > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-solves %" PetscInt_FMT " must be at least 1", *solves);
  PetscCheck(P->K.sigma >= 0 && P->K.sigma <= 10, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-sigma %g is not in [0, 10]", (double)P->K.sigma);
  PetscCheck(P->K.correlation >= 0 && P->K.correlation <= 100, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-correlation %" PetscInt_FMT " is not in 0..100",
             P->K.correlation);
  PetscCheck(P->K.contrast > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-contrast %g must be positive", (double)P->K.contrast);
  PetscCheck(P->K.block > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-block %" PetscInt_FMT " must be at least 1", P->K.block);
  PetscCheck(P->anisotropy > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-anisotropy %g must be positive", (double)P->anisotropy);
  if (!set) P->dirichlet[0] = P->dirichlet[1] = PETSC_TRUE;
  if (set) PetscCall(MarkFaces(nfaces, faces, P->dirichlet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Problem            P = {};
  PetscInt           n = 20, setups = 1, solves = 1, N, its;
  char               json[PETSC_MAX_PATH_LEN] = "", name[32], first[32] = "";
  DM                 da;
  Mat                A;
  Vec                b, x, r;
  KSP                ksp;
  PC                 pc;
  MatType            mat;
  KSPType            method;
  PCType             preconditioner;
  PetscReal          residual, norm;
  PetscLogDouble     start = 0, end = 0, setup = 0, first_setup = 0, solve = PETSC_MAX_REAL;
  KSPConvergedReason reason;
  PetscMPIInt        ranks;

  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  P.anisotropy = 1;
  PetscCall(Options(&P, &n, &setups, &solves, json, sizeof(json)));
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, n, n, PETSC_DECIDE, PETSC_DECIDE,
                         PETSC_DECIDE, 1, 1, nullptr, nullptr, nullptr, &da));
  PetscCall(DMSetFromOptions(da));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(DMCreateGlobalVector(da, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(Assemble(da, &P, A, b));

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-7, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(SetUp(setups, ksp, A, &setup, &first_setup));
  for (PetscInt k = 0; k < solves; k++) {
    PetscCall(Now(&start));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Now(&end));
    solve = PetscMin(solve, end - start);
  }
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &residual));
  PetscCall(VecNorm(b, NORM_2, &norm));
  residual /= norm;

  PetscCall(VecGetSize(b, &N));
  PetscCall(MatGetType(A, &mat));
  PetscCall(KSPGetType(ksp, &method));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &preconditioner));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (setups > 1) PetscCall(PetscSNPrintf(first, sizeof(first), " (first %.4f s)", (double)first_setup));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "solve: N %" PetscInt_FMT ", mat %s, pc %s, set-up %.4f s%s, %" PetscInt_FMT " iterations, solve %.4f s, residual %.3e, %s\n", N, mat,
                        preconditioner, (double)setup, first, its, (double)solve, (double)residual, KSPConvergedReasons[reason]));
  if (json[0]) {
    FILE *file;

    PetscCall(PetscSNPrintf(name, sizeof(name), PetscIsInfOrNanReal(residual) ? "null" : "%.6e", (double)residual)); /* JSON knows no NaN */
    PetscCall(PetscFOpen(PETSC_COMM_WORLD, json, "a", &file));
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file,
                           "{\"program\": \"darcy\", \"ranks\": %d, \"N\": %" PetscInt_FMT
                           ", \"permeability\": \"%s\", \"anisotropy\": %.6e, \"mat_type\": \"%s\", \"ksp_type\": \"%s\", \"pc_type\": \"%s\", "
                           "\"setup_s\": %.6f, \"iterations\": %" PetscInt_FMT ", \"solves\": %" PetscInt_FMT
                           ", \"solve_s\": %.6f, \"residual\": %s, \"reason\": \"%s\"}\n",
                           ranks, N, Permeability::names[P.K.kind], (double)P.anisotropy, mat, method, preconditioner, (double)setup, its, solves,
                           (double)solve, name, KSPConvergedReasons[reason]));
    PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&da));
  PetscCall(PetscFinalize());
  return reason > 0 ? 0 : 1;
}
