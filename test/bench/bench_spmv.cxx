/* Products with matrices in several types, in one run:

     bench_spmv [-n 64,128] [-dof 3] [-elasticity 64,128] [-gallery all|regular|irregular|NAME,...] [-file FILE] -types aijcusparse,fold,"fold -mat_fold_width
     8" [-repeats 7] [-json FILE]

   -n: the 27-point operator on an n^3 grid, with so many unknowns a node. -elasticity: the same assembled from elastic hexahedra, 3 unknowns a node.
   -gallery: matrices of test/support/bench_gallery.cxx. -file: a PETSc binary or Matrix Market (.mtx) file. A type may be followed by options that hold for it
   alone; `all`: PETSc's and cuSPARSE's, and Goza's in every precision. Types that are no Mat's: float:cds, float:cds:half, float:slicedell and
   float:slicedell:half, with vectors in single precision, and cuSPARSE's cusparse:csr1, csr2, coo1, coo2, sell, bsr1 and bsr (its algorithms, by number; csr1d:
   csr1 with its scalars on the device, as PETSc calls it; bsr: bsrmv, which is deprecated; both in blocks of the matrix's block size). One JSON line a
   measurement: the time is the median of `repeats` batches, each ended by a synchronisation; the copy bandwidth of the same run stands beside, and the largest
   difference from PETSc's aij on the host, relative to its largest value. */
#include "petscgoza.h"
#include "../support/matrix_market.hpp"
#include "../support/bench_gallery.hpp"
#include "../support/bench_timing.hpp"
#include "peers.hpp"
#include <petsc/private/matimpl.h>
#include <algorithm>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <thread>

using namespace goza_test;

struct Bench {
  PetscInt                 repeats = 7;
  std::vector<std::string> types; /* each with its own options behind it */
  FILE                    *json = NULL;
};

static void Report(const Bench &bench, const std::string &name, bool irregular, const std::string &type, Mat A, double nnz, PetscLogDouble first,
                   PetscLogDouble seconds, PetscLogDouble copy, PetscReal difference)
{
  for (FILE *f : {stdout, bench.json}) {
    if (!f) continue;
    fprintf(f,
            "{\"work\": \"spmv\", \"matrix\": \"%s\", \"irregular\": %s, \"type\": \"%s\", \"rows\": %" PetscInt_FMT ", \"cols\": %" PetscInt_FMT
            ", \"nnz\": %.0f, \"seconds\": %.4e, \"gflops\": %.1f, \"first\": %.3e, \"copy_TBs\": %.3f, \"difference_from_aij\": %.1e}\n",
            name.c_str(), irregular ? "true" : "false", type.c_str(), A->rmap->N, A->cmap->N, nnz, seconds, 2e-9 * nnz / seconds, first, 1e-12 * copy,
            (double)difference);
    fflush(f);
  }
}

/* One type of matrix, its own options behind its name; xs: what it is multiplied with. */
static PetscErrorCode MeasureMat(const Bench &bench, const std::string &name, bool irregular, const std::string &type, Mat A, double nnz,
                                 const std::vector<PetscScalar> &xs, Vec reference)
{
  Mat            B;
  Vec            x, y;
  PetscOptions   own;
  PetscLogDouble seconds = 0, first = 0, copy = 0;
  PetscReal      difference = 0;
  PetscScalar   *a;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, type.substr(0, type.find(' ')).c_str(), MAT_INITIAL_MATRIX, &B));
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, type.c_str() + std::min(type.find(' '), type.size())));
  PetscCall(PetscObjectSetOptions((PetscObject)B, own));
  PetscCall(MatSetFromOptions(B));
  PetscCall(PetscObjectSetOptions((PetscObject)B, NULL));
  PetscCall(PetscOptionsDestroy(&own));
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCall(VecGetArrayWrite(x, &a));
  std::copy(xs.begin(), xs.end(), a);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscCall(MedianSeconds(
    bench.repeats, y, [&] { return MatMult(B, x, y); }, &first, &seconds));
  PetscCall(Difference(y, reference, &difference));
  PetscCall(CopyBandwidth(bench.repeats, y, &copy));
  Report(bench, name, irregular, type, A, nnz, first, seconds, copy, difference);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A product that is no Mat's. */
static PetscErrorCode MeasureProduct(const Bench &bench, const std::string &name, bool irregular, const std::string &type, Mat A, double nnz, Vec reference,
                                     Product &product)
{
  Vec                      clock, y; /* clock: on the product's side, to wait with */
  PetscLogDouble           seconds = 0, first = 0, copy = 0;
  PetscReal                difference = 0;
  std::vector<PetscScalar> result;
  PetscScalar             *a;

  PetscFunctionBeginUser;
  PetscCall(VecCreate(PETSC_COMM_SELF, &clock));
  PetscCall(VecSetSizes(clock, 1000, 1000));
  PetscCall(VecSetType(clock, goza::petsc_on_device() ? VECCUDA : VECSTANDARD));
  PetscCall(VecSet(clock, 1));
  PetscCall(MedianSeconds(
    bench.repeats, clock, [&] { return goza::Guarded([&] { product.run(); }); }, &first, &seconds));
  PetscCall(goza::Guarded([&] { result = product.y(); }));
  PetscCall(VecDuplicate(reference, &y));
  PetscCall(VecGetArrayWrite(y, &a));
  std::copy(result.begin(), result.end(), a);
  PetscCall(VecRestoreArrayWrite(y, &a));
  PetscCall(Difference(y, reference, &difference));
  PetscCall(CopyBandwidth(bench.repeats, clock, &copy));
  Report(bench, name, irregular, type, A, nnz, first, seconds, copy, difference);
  PetscCall(VecDestroy(&clock));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A: aij. The reference is its product on the host. */
static PetscErrorCode Measure(const Bench &bench, const std::string &name, bool irregular, Mat A)
{
  Vec                      x, reference;
  MatInfo                  info;
  const PetscScalar       *a;
  std::vector<PetscScalar> xs;

  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(MatCreateVecs(A, &x, &reference));
  PetscCall(RandomVec(x));
  PetscCall(MatMult(A, x, reference));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCallCXX(xs.assign(a, a + A->cmap->n));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCall(VecDestroy(&x));
  for (const std::string &type : bench.types) {
    std::unique_ptr<Product> product;

    PetscCall(MakeProduct(type, A, xs, &product));
    if (product) PetscCall(MeasureProduct(bench, name, irregular, type, A, info.nz_used, reference, *product));
    else PetscCall(MeasureMat(bench, name, irregular, type, A, info.nz_used, xs, reference));
  }
  PetscCall(VecDestroy(&reference));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* While one matrix is measured, the next are made by other threads; as many as half the cores. */
static PetscErrorCode MeasureAll(const Bench &bench, const std::vector<BenchMatrix> &matrices)
{
  std::deque<std::future<Sparse>> coming;
  const std::size_t               ahead = std::max(1u, std::thread::hardware_concurrency() / 2);
  std::size_t                     next  = 0;

  PetscFunctionBeginUser;
  for (const BenchMatrix &m : matrices) {
    Sparse sparse;
    Mat    A;

    for (; next < matrices.size() && coming.size() < ahead; next++) coming.push_back(std::async(std::launch::async, matrices[next].make));
    PetscCallCXX(sparse = coming.front().get());
    coming.pop_front();
    PetscCall(as_mat(sparse, &A));
    PetscCall(MatSetBlockSize(A, m.bs));
    PetscCall(Measure(bench, m.name, m.irregular, A));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode MeasureFile(const Bench &bench, const char *file)
{
  Sparse    sparse;
  Mat       A;
  PetscBool market;

  PetscFunctionBeginUser;
  PetscCall(PetscStrendswith(file, ".mtx", &market));
  if (market) {
    PetscCall(goza_test::read_matrix_market(file, &sparse));
    PetscCall(as_mat(sparse, &A));
  } else {
    PetscViewer viewer;

    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, file, FILE_MODE_READ, &viewer));
    PetscCall(MatCreate(PETSC_COMM_SELF, &A));
    PetscCall(MatSetType(A, MATSEQAIJ));
    PetscCall(MatLoad(A, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
  }
  PetscCall(Measure(bench, file, true, A));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Choose(const std::vector<std::string> &names, std::vector<BenchMatrix> *chosen)
{
  PetscFunctionBeginUser;
  for (const std::string &name : names) {
    const std::size_t before = chosen->size();

    for (const BenchMatrix &m : bench_gallery()) {
      if (name == "all" || name == m.name || name == (m.irregular ? "irregular" : "regular")) chosen->push_back(m);
    }
    PetscCheck(chosen->size() > before, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "-gallery has no matrix %s", name.c_str());
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscInt                 sizes[16], nsizes = 16, dof = 1, elastic[16], nelastic = 16;
  char                     json[PETSC_MAX_PATH_LEN] = "", file[PETSC_MAX_PATH_LEN] = "";
  Bench                    bench;
  std::vector<std::string> names;
  std::vector<BenchMatrix> matrices;

  PetscCall(PetscInitialize(&argc, &argv, NULL, "Products with matrices in several types\n"));
  PetscCall(GozaInitializePackage());
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-n", sizes, &nsizes, NULL));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-elasticity", elastic, &nelastic, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dof", &dof, NULL));
  PetscCheck(dof > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-dof %" PetscInt_FMT " is not positive", dof);
  PetscCall(GetList("-gallery", {}, &names));
  PetscCall(GetList("-types", {MATAIJ, MATSLICEDELL, MATFOLD}, &bench.types));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &bench.repeats, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-file", file, sizeof(file), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", json, sizeof(json), NULL));
  PetscCheck(bench.repeats > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-repeats %" PetscInt_FMT " is not positive", bench.repeats);
  if (bench.types == std::vector<std::string>{"all"}) {
    bench.types = goza::petsc_on_device()
                  ? std::vector<std::string>{"aijcusparse", MATAUTOFORMAT, "cusparse:csr1", "cusparse:csr2", "cusparse:coo1", "cusparse:coo2", "cusparse:sell"}
                  : std::vector<std::string>{MATAIJ};
    for (const char *type : {MATCDS, MATFOLD, MATSLICEDELL})
      for (const char *precision : {"double", "single", "half"}) bench.types.push_back(std::string(type) + " -mat_" + type + "_precision " + precision);
  }
  if (!nsizes && !nelastic && names.empty() && !file[0]) nsizes = 1, sizes[0] = 32;
  for (PetscInt s = 0; s < nsizes; s++)
    matrices.push_back({"27-point " + std::to_string(sizes[s]) + "^3" + (dof > 1 ? " x " + std::to_string(dof) : ""), false,
                        [n = sizes[s], dof] { return stencil_27_points(n, dof); }, dof});
  for (PetscInt s = 0; s < nelastic; s++) {
    PetscCheck(elastic[s] > 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-elasticity %" PetscInt_FMT " has no element", elastic[s]);
    matrices.push_back({"elasticity " + std::to_string(elastic[s]) + "^3", false, [n = elastic[s]] { return elasticity_on_grid(n); }, 3});
  }
  PetscCall(Choose(names, &matrices));
  if (json[0]) {
    bench.json = fopen(json, "a");
    PetscCheck(bench.json, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-json: cannot open %s", json);
  }
  PetscCall(MeasureAll(bench, matrices));
  if (file[0]) PetscCall(MeasureFile(bench, file));
  if (bench.json) fclose(bench.json);
  PetscCall(PetscFinalize());
  return 0;
}
