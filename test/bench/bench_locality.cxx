/* Paper P2's study on this machine: the products of many matrices in every format, measured, and paper P3's indices.

     bench_locality [-families fit,report,p3 | -families NAME,...] [-repeats 5] [-once] -json FILE

   JSON lines: one for a matrix and format, one for a matrix and order of reads; test/bench/locality_report.py makes tables and pictures of them. The time is the
   median of MatMult() over batches that end with a synchronisation; the formats take turns, and short products are repeated more often. While one large matrix is measured, others are made by other
   threads. -once: CSR and Fold alone, one product each, for a profiler. */
#include "petscgoza.h"
#include "../support/bench_timing.hpp"
#include "core/array.hpp"
#include "locality_models.hpp"
#include "mat/common/format_kind.hpp"
#include <petsc/private/matimpl.h>
#include <petsctime.h>
#include <algorithm>
#include <deque>
#include <future>
#include <string>
#include <thread>

using namespace goza_test;

struct Bench {
  PetscInt             repeats = 5;
  PetscBool            once    = PETSC_FALSE;
  FILE                *json    = NULL;
  const goza::Machine *machine = NULL;
};

/* Seconds of the sample, the model and the choice, where the matrix is: the median of seven. */
static double AnalysisSeconds(const Bench &bench, const Sparse &A)
{
  const goza::Space           space = goza::default_space();
  goza::Array<PetscInt>       ptr(space, A.ptr.data(), A.ptr.size()), col(space, A.col.data(), A.col.size());
  goza::DecisionInput         input;
  std::vector<PetscLogDouble> times;

  input.space   = space;
  input.machine = bench.machine;
  for (int k = 0; k < 8; k++) {
    PetscLogDouble t0, t1;

    (void)PetscTime(&t0);
    (void)goza::decide({space, A.rows, A.cols, ptr.data(), col.data(), nullptr, (PetscInt)A.col.size()}, input);
    (void)PetscTime(&t1);
    if (k) times.push_back(t1 - t0); // the first finds memory
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/* One product and what waits for its end. */
static PetscErrorCode Once(Vec y, const std::function<PetscErrorCode()> &product, PetscLogDouble *seconds)
{
  PetscLogDouble t0, t1;

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&t0));
  PetscCall(product());
  PetscCall(Synchronise(y));
  PetscCall(PetscTime(&t1));
  *seconds = t1 - t0;
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A matrix in one format. w: NULL for autoformat */
struct Line {
  std::string     label;
  Mat             B     = NULL;
  const AskedWay *w     = NULL;
  PetscLogDouble  first = 0, seconds = 0;
};

static PetscErrorCode Print(const Bench &bench, const StudyMatrix &m, const Asked &asked, const Line &line, PetscLogDouble copy)
{
  MatInfo                                         info;
  std::shared_ptr<goza::ParOperator<PetscScalar>> op;

  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(line.B, MAT_LOCAL, &info));
  PetscCall(goza::MatFormatGetOperator(line.B, &op));
  fprintf(bench.json, "{\"matrix\": \"%s\", \"family\": \"%s\", \"role\": \"%s\", \"format\": \"%s\", \"rows\": %lld, \"cols\": %lld, \"nnz\": %.0f, \"seconds\": %.4e, \"first\": %.3e, \"bytes\": %lld, \"copy_TBs\": %.3f, \"gflops\": %.2f, \"what\": \"%s\"",
          m.name.c_str(), m.family.c_str(), role_name(m.role), line.label.c_str(), (long long)line.B->rmap->n, (long long)line.B->cmap->n, info.nz_used, line.seconds,
          line.first, op ? (long long)op->bytes() : 0LL, 1e-12 * copy, 2e-9 * info.nz_used / line.seconds, op ? op->diagonal_block().describe().c_str() : "csr, PETSc's own product");
  if (line.w) {
    fprintf(bench.json, ", \"model\": %.3f, \"paper\": %.2f, \"paper_corrected\": %.2f, ", line.w->cost.gflops, line.w->paper, line.w->corrected);
    print_traits(bench.json, asked, *line.w);
  }
  if (line.w == &asked.ways[0]) fprintf(bench.json, ", \"analysis\": %.3e", AnalysisSeconds(bench, asked.matrix));
  fprintf(bench.json, "}\n");
  fflush(bench.json);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Measure(const Bench &bench, const StudyMatrix &m, const Asked &asked, std::vector<Line> &lines)
{
  Vec                                          x, y;
  VecType                                      type;
  PetscLogDouble                               copy;
  std::vector<std::function<PetscErrorCode()>> bodies;
  std::vector<Line *>                          of;
  std::vector<PetscLogDouble>                  medians;
  const double                                 slow = 0.02; // seconds: long enough to be told from one product

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(lines[0].B, &x, &y));
  PetscCall(RandomVec(x));
  PetscCall(VecGetType(y, &type));
  PetscCall(CopyBandwidth(bench.repeats, type, &copy));
  for (Line &line : lines) {
    const auto product = [B = line.B, x, y] { return MatMult(B, x, y); };

    PetscCall(Once(y, product, &line.first));
    PetscCall(Once(y, product, &line.seconds));
    if (line.seconds >= slow) continue;
    bodies.push_back(product);
    of.push_back(&line);
  }
  PetscCall(MedianSecondsInTurn(asked.sample.nnz < 2000000 ? 3 * bench.repeats : bench.repeats, y, bodies, &medians, 0.004));
  for (std::size_t i = 0; i < of.size(); i++) of[i]->seconds = medians[i];
  for (const Line &line : lines) PetscCall(Print(bench, m, asked, line, copy));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Convert(Mat B, const std::string &type, const std::string &options, Mat *C)
{
  PetscOptions own;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(B, type.c_str(), MAT_INITIAL_MATRIX, C));
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, options.c_str()));
  PetscCall(PetscObjectSetOptions((PetscObject)*C, own));
  PetscCall(MatSetFromOptions(*C));
  PetscCall(PetscObjectSetOptions((PetscObject)*C, NULL));
  PetscCall(PetscOptionsDestroy(&own));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* For a profiler. */
static PetscErrorCode MultiplyOnce(Mat B)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCall(RandomVec(x));
  PetscCall(MatMult(B, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode MeasureMatrix(const Bench &bench, const StudyMatrix &m, Asked &asked)
{
  std::vector<Line> lines(1);
  Mat               A;
  const auto        add = [&](const std::string &label, const std::string &type, const std::string &options, const AskedWay *w) -> PetscErrorCode {
    Line line;

    PetscFunctionBeginUser;
    line.label = label;
    line.w     = w;
    PetscCall(Convert(lines[0].B, type, options, &line.B));
    lines.push_back(line);
    PetscFunctionReturn((PetscErrorCode)0);
  };

  PetscFunctionBeginUser;
  lines[0].label = "csr";
  lines[0].w     = &asked.ways[0];
  PetscCall(as_mat(asked.matrix, &A));
  if (asked.bs > 1) PetscCall(MatSetBlockSize(A, asked.bs));
  PetscCall(MatConvert(A, goza::petsc_on_device() ? "aijcusparse" : MATAIJ, MAT_INITIAL_MATRIX, &lines[0].B));
  PetscCall(MatDestroy(&A));
  if (bench.once) {
    PetscCall(add("fold", MATFOLD, "-mat_fold_width auto", NULL));
    for (const Line &line : lines) PetscCall(MultiplyOnce(line.B));
  } else {
    for (std::size_t k = 1; k < asked.ways.size(); k++) PetscCall(add(asked.ways[k].label, asked.ways[k].type, asked.ways[k].options, &asked.ways[k]));
    PetscCall(add("auto", MATAUTOFORMAT, "", NULL));
    PetscCall(add("auto-model", MATAUTOFORMAT, "-mat_autoformat_trials 1", NULL));
    PetscCall(Measure(bench, m, asked, lines));
  }
  for (Line &line : lines) PetscCall(MatDestroy(&line.B));
  print_indices(bench.json, m, asked);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode MeasureNext(const Bench &bench, const StudyMatrix &m, std::deque<std::future<Asked>> &coming)
{
  Asked asked;

  PetscFunctionBeginUser;
  PetscCallCXX(asked = coming.front().get());
  coming.pop_front();
  PetscCall(MeasureMatrix(bench, m, asked));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The three smallest of a family: up to about two million entries */
static bool Quick(const StudyMatrix &m)
{
  return m.role != Role::P3 && m.name.back() <= '3';
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
  char                           json[PETSC_MAX_PATH_LEN] = "locality.json";
  Bench                          bench;
  std::vector<StudyMatrix>       matrices;
  std::deque<std::future<Asked>> coming;
  const std::size_t              ahead = std::max(1u, std::thread::hardware_concurrency() / 2);
  std::size_t                    next  = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, "Products of many matrices in every format\n"));
  PetscCall(GozaInitializePackage());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &bench.repeats, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-once", &bench.once, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", json, sizeof(json), NULL));
  PetscCheck(bench.repeats > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-repeats %" PetscInt_FMT " is not positive", bench.repeats);
  PetscCall(Choose(&matrices));
  const goza::Space space = goza::default_space();
  bench.machine           = &goza::machine_for(space);
  bench.json              = fopen(json, "w");
  PetscCheck(bench.json, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-json: cannot open %s", json);
  const auto quick  = std::stable_partition(matrices.begin(), matrices.end(), Quick);
  const auto nquick = (std::size_t)(quick - matrices.begin());
  const auto begin  = [&] {
    coming.push_back(
       std::async(std::launch::async, [&bench, space, one = matrices[next]] { return ask(one, *bench.machine, space, one.role == Role::P3 && !bench.once); }));
  };

  while (next < nquick) { // launches count in short products: other threads must not be busy
    for (; next < nquick && coming.size() < 8 * ahead; next++) begin();
    for (auto &c : coming) c.wait();
    for (std::size_t k = next - coming.size(); !coming.empty(); k++) PetscCall(MeasureNext(bench, matrices[k], coming));
  }
  for (std::size_t k = nquick; k < matrices.size(); k++) {
    for (; next < matrices.size() && coming.size() < ahead; next++) begin();
    PetscCall(MeasureNext(bench, matrices[k], coming));
  }
  fclose(bench.json);
  PetscCall(PetscFinalize());
  return 0;
}
