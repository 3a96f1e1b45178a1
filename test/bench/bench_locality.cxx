/* Paper P2's study on this machine: the products of many matrices in every format, measured.

     bench_locality [-families fit,report,p3 | -matrices NAME,...] [-repeats 5] -json FILE

   One JSON line a matrix and format; test/bench/locality_report.py makes tables and pictures of them. The time is the median of MatMult() over batches
   that end with a synchronisation. While one matrix is measured, the next are made by other threads. */
#include "petscgoza.h"
#include "../support/study_gallery.hpp"
#include "../support/bench_timing.hpp"
#include "goza.hpp"
#include "locality/cost.hpp"
#include "locality/models.hpp"
#include "mat/cds/diagonals.hpp"
#include "mat/common/format_kind.hpp"
#include "mat/slicedell/sliced_ell.hpp"
#include <petsc/private/matimpl.h>
#include <petsctime.h>
#include <algorithm>
#include <deque>
#include <future>
#include <string>
#include <thread>

using namespace goza_test;

struct Run {
  const char *label, *type, *options;
  goza::Way   way; /* param 0 of sliced ELL: its own choice */
};

/* Every format at the choices that autoformat has, and its own ones. */
static const Run runs[] = {
  {"slicedell", MATSLICEDELL, "-mat_slicedell_slice_height auto", {goza::Layout::SlicedEll, 0}},
  {"slicedell-32", MATSLICEDELL, "-mat_slicedell_slice_height 32", {goza::Layout::SlicedEll, 32}},
  {"fold-8", MATFOLD, "-mat_fold_width 8", {goza::Layout::Fold, 8}},
  {"fold-16", MATFOLD, "-mat_fold_width 16", {goza::Layout::Fold, 16}},
  {"fold-32", MATFOLD, "-mat_fold_width 32", {goza::Layout::Fold, 32}},
  {"cds-full", MATCDS, "-mat_cds_storage full", {goza::Layout::CdsFull, 1}},
  {"cds-half", MATCDS, "-mat_cds_storage auto", {goza::Layout::CdsHalf, 1}},
  {"auto", MATAUTOFORMAT, "-mat_autoformat_trials 5", {goza::Layout::Csr, 0}},
  {"auto-model", MATAUTOFORMAT, "-mat_autoformat_trials 1", {goza::Layout::Csr, 0}},
};

struct Bench {
  PetscInt             repeats = 5;
  FILE                *json    = NULL;
  const goza::Machine *machine = NULL;
};

/* What the models make of a matrix in a format, in GF/s: ours, and the paper's without and with its correction for small matrices. */
struct Models {
  double ours = 0, paper = 0, corrected = 0, sampling = 0; /* sampling: seconds of the sample and our model's figures */
};

static Models Ask(const Bench &bench, const Sparse &A, const goza::Sample &sample, goza::Way way)
{
  const goza::Platform *platform = goza::find_platform(bench.machine->device ? "h200" : "host");
  goza::AnalysisOptions options;
  Models                models;
  PetscLogDouble        t0, t1;

  (void)PetscTime(&t0);
  models.ours = goza::cost_of(*bench.machine, sample, way, goza::traits_of(sample, way, goza::caches_of(*bench.machine))).gflops;
  (void)PetscTime(&t1);
  models.sampling      = t1 - t0;
  options.shift        = goza::line_shift(platform->line, sizeof(PetscScalar));
  options.most_entries = 200000;
  if (way.layout == goza::Layout::SlicedEll) options.slice_height = way.param;
  if (way.layout == goza::Layout::Fold) options.fold_width = way.param;
  if (way.layout >= goza::Layout::CdsFull) options.bs = way.param;
  const goza::LayoutLocality found = goza::analyse(A.view(), way.layout, options);
  const goza::Prediction     p     = goza::predict(*platform, found, sample.rows, sample.nnz, sizeof(PetscScalar), sizeof(PetscInt));

  models.paper = models.corrected = p.gflops;
  if (sample.rows < 70000 && found.density() > 0)
    models.corrected = 1e-9 * goza::flops_small(platform->bandwidth, p.hit, p.S, (double)sample.nnz / found.density());
  return models;
}

static std::string Quoted(const std::string &text)
{
  return "\"" + text + "\"";
}

/* One line: B's product as it is now. */
static PetscErrorCode Measure(const Bench &bench, const StudyMatrix &m, const char *label, Mat B, const Models &models)
{
  Vec                                             x, y;
  PetscLogDouble                                  first = 0, seconds = 0, copy = 0;
  MatInfo                                         info;
  VecType                                         type;
  std::shared_ptr<goza::ParOperator<PetscScalar>> op;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCall(RandomVec(x));
  PetscCall(MedianSeconds(
    bench.repeats, y, [&] { return MatMult(B, x, y); }, &first, &seconds, 0.005));
  PetscCall(VecGetType(y, &type));
  PetscCall(CopyBandwidth(bench.repeats, type, &copy));
  PetscCall(MatGetInfo(B, MAT_LOCAL, &info));
  PetscCall(goza::MatFormatGetOperator(B, &op));
  fprintf(bench.json, "{\"matrix\": %s, \"family\": %s, \"role\": \"%s\", \"format\": \"%s\", \"rows\": %lld, \"cols\": %lld, \"nnz\": %.0f, \"seconds\": %.4e, \"first\": %.3e, \"bytes\": %lld, \"copy_TBs\": %.3f, \"gflops\": %.2f, \"model\": %.2f, \"paper\": %.2f, \"paper_corrected\": %.2f, \"sampling\": %.3e, \"what\": %s}\n",
          Quoted(m.name).c_str(), Quoted(m.family).c_str(), role_name(m.role), label, (long long)B->rmap->n, (long long)B->cmap->n, info.nz_used, seconds, first,
          op ? (long long)op->bytes() : 0LL, 1e-12 * copy, 2e-9 * info.nz_used / seconds, models.ours, models.paper, models.corrected, models.sampling,
          Quoted(op ? op->diagonal_block().describe() : "csr, PETSc's own product").c_str());
  fflush(bench.json);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode MeasureRun(const Bench &bench, const StudyMatrix &m, const Run &run, Mat B, const Models &models)
{
  PetscOptions own;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(B, run.type, MAT_INPLACE_MATRIX, &B));
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, run.options));
  PetscCall(PetscObjectSetOptions((PetscObject)B, own));
  PetscCall(MatSetFromOptions(B));
  PetscCall(PetscObjectSetOptions((PetscObject)B, NULL));
  PetscCall(PetscOptionsDestroy(&own));
  PetscCall(Measure(bench, m, run.label, B, models));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode MeasureMatrix(const Bench &bench, const StudyMatrix &m, Sparse &sparse)
{
  Mat                   A, B;
  const PetscInt        bs    = m.name.find("3x3") != std::string::npos ? 3 : m.name.find("6x6") != std::string::npos ? 6 : 1;
  const goza::Diagonals found = goza::find_diagonals(sparse.view(), bs, 0.6);
  goza::Sample          sample;
  Models                models;
  PetscLogDouble        t0, t1;

  PetscFunctionBeginUser;
  PetscCall(as_mat(sparse, &A));
  if (bs > 1) PetscCall(MatSetBlockSize(A, bs));
  PetscCall(MatConvert(A, goza::petsc_on_device() ? "aijcusparse" : MATAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscTime(&t0));
  PetscCallCXX(sample = goza::take_sample(sparse.view()));
  PetscCall(PetscTime(&t1));
  PetscCallCXX(models = Ask(bench, sparse, sample, {goza::Layout::Csr, 0}));
  models.sampling += t1 - t0;
  PetscCall(Measure(bench, m, "csr", B, models));
  for (const Run &run : runs) {
    goza::Way way = run.way;

    if (std::string(run.type) == MATCDS && 2 * found.inside < found.nnz) continue; /* made for another kind of matrix */
    if (way.layout >= goza::Layout::CdsFull) way.param = bs;
    if (way.layout == goza::Layout::SlicedEll && !way.param) way.param = goza::sliced_ell_height(goza::default_space(), sample.rows, sample.nnz);
    if (std::string(run.type) == MATAUTOFORMAT) models = Models();
    else PetscCallCXX(models = Ask(bench, sparse, sample, way));
    PetscCall(MeasureRun(bench, m, run, B, models));
  }
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Choose(std::vector<StudyMatrix> *chosen)
{
  char     *words[64];
  PetscInt  n = 64;
  PetscBool set;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-families", words, &n, &set));
  if (!set) n = 0;
  for (const StudyMatrix &m : study_gallery()) {
    bool take = !set;

    for (PetscInt k = 0; k < n; k++) take = take || words[k] == m.family || words[k] == m.name || words[k] == std::string(role_name(m.role));
    if (take) chosen->push_back(m);
  }
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscFree(words[k]));
  PetscCheck(!chosen->empty(), PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "-families names no family, matrix or role (fit, report, p3)");
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  char                            json[PETSC_MAX_PATH_LEN] = "locality.json";
  Bench                           bench;
  std::vector<StudyMatrix>        matrices;
  std::deque<std::future<Sparse>> coming;
  const std::size_t               ahead = std::max(1u, std::thread::hardware_concurrency() / 4);
  std::size_t                     next  = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, "Products of many matrices in every format\n"));
  PetscCall(GozaInitializePackage());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &bench.repeats, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", json, sizeof(json), NULL));
  PetscCheck(bench.repeats > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-repeats %" PetscInt_FMT " is not positive", bench.repeats);
  PetscCall(Choose(&matrices));
  bench.machine = &goza::machine_for(goza::default_space());
  bench.json    = fopen(json, "w");
  PetscCheck(bench.json, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-json: cannot open %s", json);
  for (const StudyMatrix &m : matrices) {
    Sparse sparse;

    for (; next < matrices.size() && coming.size() < ahead; next++) coming.push_back(std::async(std::launch::async, matrices[next].make));
    PetscCallCXX(sparse = coming.front().get());
    coming.pop_front();
    PetscCall(MeasureMatrix(bench, m, sparse));
  }
  fclose(bench.json);
  PetscCall(PetscFinalize());
  return 0;
}
