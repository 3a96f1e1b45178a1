/* Table A.1 and figures 6 and 7 of paper P1 (Miura 2015) on this machine:

     bench_cds [-sizes 64x64x64,128x128x128,256x256x256,512x256x256] [-repeats 7] [-cg true] [-json FILE]

   Poisson's equation on a box of trilinear hexahedra, u given on the bottom and top faces, no flux through the others. The paper's eight kernels (its
   figure 5: all diagonals or half of them; the loop over them unrolled or not; the output declared __restrict__ or not), Goza's kernels, and aijcusparse.
   One JSON line each: time of a product; GFLOPS = 2 nnz / t; bandwidth by the paper's formula, (nnz + 2 N) 8 / t with all entries even where half are
   stored, and of what is really read and written; the paper's own GFLOPS; and CG without preconditioner to 1e-12 of the first residual. One more line for
   each grid has both bandwidths of the paper's best half case over that of a copy (the paper: by its formula 85 % of the card's). */
#include "petsc/plugin.hpp"
#include "mat/cds/cds.hpp"
#include "petsc/errors.hpp"
#include "petsc/vec_access.hpp"
#include "petscgoza.h"
#include "../support/bench_gallery.hpp"
#include "../support/bench_timing.hpp"
#include "paper_cds.hpp"

using namespace goza;
using namespace goza_test;

/* --- the problem: K x M x M + M x K x M + M x M x K of linear elements of length 1 in each direction */

static PetscReal Stiffness(PetscInt i, PetscInt j, PetscInt n) { return i != j ? -1 : (i > 0) + (i + 1 < n); }

static PetscReal Mass(PetscInt i, PetscInt j, PetscInt n) { return i != j ? 1. / 6 : ((i > 0) + (i + 1 < n)) / 3.; }

static Sparse Poisson(const PetscInt n[3])
{
  return stencil_27_points(n, 1, [n](PetscInt i, PetscInt j) -> PetscReal {
    const PetscInt at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]}, to[3] = {j % n[0], j / n[0] % n[1], j / n[0] / n[1]};
    PetscReal      k[3], m[3];

    for (PetscInt z : {at[2], to[2]}) {
      if (z == 0 || z + 1 == n[2]) return i == j; /* Dirichlet: the row and, for symmetry, the column of the identity */
    }
    for (int d = 0; d < 3; d++) {
      k[d] = Stiffness(at[d], to[d], n[d]);
      m[d] = Mass(at[d], to[d], n[d]);
    }
    return k[0] * m[1] * m[2] + m[0] * k[1] * m[2] + m[0] * m[1] * k[2];
  });
}

/* --- a product of any kind as a matrix, so that all of them are in the same CG */

struct Product {
  std::function<void(const PetscScalar *, PetscScalar *)> apply;
  Space                                                   space;
  Stage                                                   staged_x, staged_y;
};

static PetscErrorCode MatMult_Product(Mat A, Vec x, Vec y)
{
  Product *p;
  VecRead  in;
  VecWrite out;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(A, &p));
  PetscCall(use_petsc_stream());
  PetscCall(in.get(x, p->space, p->staged_x));
  PetscCall(out.get(y, p->space, p->staged_y));
  PetscCall(Guarded([&] { p->apply(in.data(), out.data()); }));
  PetscCall(out.restore());
  PetscCall(in.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Bench {
  PetscInt    repeats = 7, n[3];
  PetscBool   cg      = PETSC_TRUE;
  FILE       *json    = NULL;
  double      nnz     = 0;
  std::string how; // it was measured: fields of a line
  Vec         b = NULL, x = NULL, y = NULL;
};

static PetscErrorCode SolveCG(const Bench &bench, Mat A, PetscInt *its, PetscLogDouble *seconds, PetscReal *reduction)
{
  KSP            ksp;
  PetscLogDouble t0, t1;
  PetscReal      first, last;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  {
    PC pc;

    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCNONE));
  }
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 20000));
  PetscCall(KSPSetUp(ksp));
  PetscCall(Synchronise(bench.b));
  PetscCall(PetscTime(&t0));
  PetscCall(KSPSolve(ksp, bench.b, bench.x));
  PetscCall(Synchronise(bench.x));
  PetscCall(PetscTime(&t1));
  *seconds = t1 - t0;
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(VecNorm(bench.b, NORM_2, &first));
  PetscCall(KSPGetResidualNorm(ksp, &last));
  *reduction = last / first;
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bandwidths over that of a copy in the same run */
struct Shares {
  double paper_formula = 0, real = 0;
};

/* stored: values of the matrix that are held; paper: its GFLOPS, or 0 */
static PetscErrorCode Measure(const Bench &bench, const char *name, Mat A, double stored, double index_bytes, double paper, Shares *shares)
{
  PetscLogDouble first, seconds, copy, cg_seconds = 0;
  PetscInt       its       = 0;
  PetscReal      reduction = 0;
  const double   rows = (double)bench.n[0] * bench.n[1] * bench.n[2], formula_bytes = 8 * (bench.nnz + 2 * rows),
               real_bytes = 8 * (stored + 2 * rows) + index_bytes;

  PetscFunctionBeginUser;
  PetscCall(MedianSeconds(
    bench.repeats, bench.y, [&] { return MatMult(A, bench.b, bench.y); }, &first, &seconds));
  PetscCall(CopyBandwidth(bench.repeats, bench.y, &copy));
  *shares = {formula_bytes / seconds / copy, real_bytes / seconds / copy};
  if (bench.cg) PetscCall(SolveCG(bench, A, &its, &cg_seconds, &reduction));
  for (FILE *f : {stdout, bench.json}) {
    if (!f) continue;
    fprintf(f,
            "{\"work\": \"cds\", \"grid\": \"%dx%dx%d\", \"case\": \"%s\", \"seconds\": %.4e, \"gflops\": %.1f, \"paper_formula_GBs\": %.1f, \"real_GBs\": "
            "%.1f, \"copy_GBs\": %.1f, \"paper_gflops\": %.2f, \"cg_iterations\": %d, \"cg_seconds\": %.4f, \"cg_reduction\": %.1e, %s}\n",
            (int)bench.n[0], (int)bench.n[1], (int)bench.n[2], name, seconds, 2e-9 * bench.nnz / seconds, 1e-9 * formula_bytes / seconds,
            1e-9 * real_bytes / seconds, 1e-9 * copy, paper, (int)its, cg_seconds, (double)reduction, bench.how.c_str());
    fflush(f);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MeasureProduct(const Bench &bench, const char *name, Space space, const std::function<void(const PetscScalar *, PetscScalar *)> &apply,
                                     double stored, double paper, Shares *shares)
{
  Product  p{apply, space, {}, {}};
  PetscInt n;
  VecType  vectype;
  Mat      A;

  PetscFunctionBeginUser;
  PetscCall(VecGetSize(bench.b, &n));
  PetscCall(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, &p, &A));
  PetscCall(VecGetType(bench.b, &vectype));
  PetscCall(MatShellSetVecType(A, vectype)); /* CG's own vectors on the same side */
  PetscCall(MatShellSetOperation(A, MATOP_MULT, (void (*)(void))MatMult_Product));
  PetscCall(Measure(bench, name, A, stored, 0, paper, shares));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The product and w'(A x), in one pass and apart: what a step of CG needs. */
static PetscErrorCode MeasureDot(const Bench &bench, const Cds<PetscScalar, PetscScalar> &cds)
{
  const Space        space = cds.space();
  Stage              stage_x, stage_y;
  Array<PetscScalar> result(space, 1);
  FusedSums          sums(space);
  PetscLogDouble     first, together, apart;
  VecRead            in;
  VecWrite           out;

  PetscFunctionBeginUser;
  PetscCall(in.get(bench.b, space, stage_x));
  PetscCall(out.get(bench.y, space, stage_y));
  const PetscScalar *x = in.data();
  PetscScalar       *y = out.data();
  PetscCall(MedianSeconds(
    bench.repeats, bench.x,
    [&] {
      return Guarded([&] {
        cds.apply_dots(x, {x, y, false, &sums});
        add_up(space, sums, result.data(), nullptr);
      });
    },
    &first, &together));
  PetscCall(out.restore());
  PetscCall(in.restore());
  PetscCall(MedianSeconds(
    bench.repeats, bench.y,
    [&] {
      PetscScalar dot;

      PetscFunctionBeginUser;
      PetscCall(in.get(bench.b, space, stage_x));
      PetscCall(out.get(bench.y, space, stage_y));
      PetscCall(Guarded([&] { cds.apply(in.data(), Assign<PetscScalar>{out.data()}); }));
      PetscCall(out.restore());
      PetscCall(in.restore());
      PetscCall(VecDot(bench.b, bench.y, &dot));
      PetscFunctionReturn(PETSC_SUCCESS);
    },
    &first, &apart));
  for (FILE *f : {stdout, bench.json}) {
    if (f)
      fprintf(f, "{\"work\": \"cds_dot\", \"grid\": \"%dx%dx%d\", \"together\": %.4e, \"product_and_VecDot\": %.4e}\n", (int)bench.n[0], (int)bench.n[1],
              (int)bench.n[2], together, apart);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MeasureSize(Bench &bench, int which)
{
  Sparse      sparse;
  Mat         A;
  const Space space = default_space();
  Shares      shares, best;
  const char *best_half = "";

  PetscFunctionBeginUser;
  PetscCallCXX(sparse = Poisson(bench.n));
  bench.nnz = (double)sparse.col.size();
  PetscCall(as_mat(sparse, &A));
  if (petsc_on_device()) PetscCall(MatConvert(A, "aijcusparse", MAT_INPLACE_MATRIX, &A));
  PetscCall(MatCreateVecs(A, &bench.x, &bench.b));
  PetscCall(VecDuplicate(bench.b, &bench.y));
  PetscCall(RandomVec(bench.b));
  PetscCall(Measure(bench, petsc_on_device() ? "aijcusparse" : "aij", A, bench.nnz, 4 * bench.nnz, 0, &shares));
  PetscCall(MatDestroy(&A));
  for (bool half : {false, true}) {
    CdsOptions                                     options;
    std::unique_ptr<Cds<PetscScalar, PetscScalar>> cds;
    Array<PetscInt>                                offset(space);
    PaperMatrix                                    P{};
    double                                         stored = 0;

    options.storage = half ? CdsStorage::Half : CdsStorage::Full;
    PetscCall(use_petsc_stream());
    PetscCall(Guarded([&] {
      const Array<PetscInt>    ptr(space, sparse.ptr.data(), sparse.ptr.size()), col(space, sparse.col.data(), sparse.col.size());
      const Array<PetscScalar> val(space, sparse.val.data(), sparse.val.size());

      cds = std::make_unique<Cds<PetscScalar, PetscScalar>>(space, options);
      cds->build({space, sparse.rows, sparse.cols, ptr.data(), col.data(), val.data(), (PetscInt)sparse.col.size()});
      const CdsView<PetscScalar> v = cds->view();
      offset                       = Array<PetscInt>(space, v.offset, v.ndiag);
      P                            = {v.nrows, v.ndiag, v.ld, v.val, offset.data()};
      stored                       = (double)v.ndiag * (double)v.ld;
    }));
    PetscCheck(P.ndiag == (half ? 14 : 27), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d diagonals", (int)P.ndiag);
    for (const PaperCase &c : paper_cases) {
      if (c.half != half) continue;
      PetscCall(MeasureProduct(
        bench, c.name, space, [&](const PetscScalar *x, PetscScalar *y) { c.product(space, P, x, y); }, stored, which < 4 ? c.gflops[which] : 0, &shares));
      if (half && shares.real > best.real) {
        best      = shares;
        best_half = c.name;
      }
    }
    PetscCall(MeasureProduct(
      bench, half ? "Goza half" : "Goza full", space, [&](const PetscScalar *x, PetscScalar *y) { cds->apply(x, Assign<PetscScalar>{y}); }, stored, 0,
      &shares));
    if (half) PetscCall(MeasureDot(bench, *cds));
  }
  for (FILE *f : {stdout, bench.json}) {
    if (!f) continue;
    fprintf(f, "{\"work\": \"cds_best_half\", \"grid\": \"%dx%dx%d\", \"case\": \"%s\", \"paper_formula_over_copy\": %.3f, \"real_over_copy\": %.3f}\n",
            (int)bench.n[0], (int)bench.n[1], (int)bench.n[2], best_half, best.paper_formula, best.real);
  }
  for (Vec *v : {&bench.b, &bench.x, &bench.y}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const char *const paper_sizes[]            = {"64x64x64", "128x128x128", "256x256x256", "512x256x256"};
  char                     json[PETSC_MAX_PATH_LEN] = "", *sizes[16];
  PetscInt                 nsizes                   = 16;
  Bench                    bench;

  PetscCall(PetscInitialize(&argc, &argv, NULL, "The table of paper P1: products in compressed diagonal storage\n"));
  PetscCall(GozaInitializePackage());
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-sizes", sizes, &nsizes, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &bench.repeats, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-cg", &bench.cg, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", json, sizeof(json), NULL));
  PetscCheck(bench.repeats > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-repeats %" PetscInt_FMT " is not positive", bench.repeats);
  bench.how = RunFields(default_space(), argc, argv);
  if (json[0]) {
    bench.json = fopen(json, "w");
    PetscCheck(bench.json, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-json: cannot open %s", json);
  }
  if (!nsizes) {
    for (const char *size : paper_sizes) PetscCall(PetscStrallocpy(size, &sizes[nsizes++]));
  }
  for (PetscInt s = 0; s < nsizes; s++) {
    int n[3], which = 4;

    PetscCheck(std::sscanf(sizes[s], "%dx%dx%d", n, n + 1, n + 2) == 3 && n[0] > 2 && n[1] > 2 && n[2] > 2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "-sizes: %s is not like 64x64x64", sizes[s]);
    PetscCheck(27.0 * n[0] * n[1] * n[2] <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "-sizes: %s has more entries than this PETSc's indices count", sizes[s]);
    for (int k = 0; k < 3; k++) bench.n[k] = n[k];
    for (int k = 0; k < 4; k++) {
      if (!std::strcmp(sizes[s], paper_sizes[k])) which = k;
    }
    PetscCall(MeasureSize(bench, which));
    PetscCall(PetscFree(sizes[s]));
  }
  if (bench.json) fclose(bench.json);
  PetscCall(PetscFinalize());
  return 0;
}
