/* Paper P2's study on this machine: the products of many matrices in every format, measured, and paper P3's indices.

     bench_locality [-families fit,report,p3 | -families NAME,...] [-sizes 5] [-repeats 5] [-copies 5] [-once] [-auto] -json FILE
     bench_locality -indices [-families ...] [-sizes 5] -json FILE

   JSON lines: one for the run, one for a matrix and format, and a last one that says that the run is whole; test/bench/locality_report.py makes
   tables and pictures of them, fit_model fits the model's constants to them. -sizes: of each family so many matrices, the smallest first (3: up to about two
   million entries).
   -indices: nothing is measured; one line for a matrix and order of reads, of paper P3's matrices for the lower triangle, too, for the papers' tables and
   figures (paper_tables.py).

   The time of a product depends by several percent on where in memory its arrays lie, and on what the caches went through before. So each format is measured on
   several copies (two of a large matrix), each made anew, with vectors of its own, measured and destroyed; in each round of copies the formats take their turn
   in another order. Other data is read through the
   caches first: arrays that were just written are read faster, by up to 20 %, than after anything else. A copy is measured in batches of MatMult() of about
   0.4 ms, after some that do not
   count: `seconds` is the time of a product that the host calls for, as a program sees it, and `device`, where there is one, that of a product whose launch has
   been waiting. Of a copy the median of its batches, of a format the median of its copies. Each copy of autoformat chooses anew. While one large matrix is
   measured, others are made by other threads.
   -once: CSR and Fold alone, one product each, for a profiler (counters.py).
   -auto: CSR and autoformat alone: `first` of the one over `seconds` of the other is what it costs before it has chosen. */
#include "petscgoza.h"
#include "../support/bench_timing.hpp"
#include "core/device/array.hpp"
#include "core/device/device_seconds.hpp"
#include "core/util/thread_clock.hpp"
#include "locality_models.hpp"
#include "mat/common/format_kind.hpp"
#include <petsc/private/matimpl.h>
#include <petsctime.h>
#include <algorithm>
#include <cstring>
#include <deque>
#include <future>
#include <random>
#include <string>
#include <thread>

using namespace goza_test;

struct Bench {
  PetscInt             repeats = 5, copies = 5;
  PetscBool            once = PETSC_FALSE, autos = PETSC_FALSE;
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

/* On a host the time of this thread alone. */
static PetscErrorCode Batch(PetscInt batch, Vec y, const std::function<PetscErrorCode()> &product, PetscLogDouble *seconds)
{
  PetscFunctionBeginUser;
  if (goza::petsc_on_device()) {
    PetscCall(BatchSeconds(batch, y, product, seconds));
    PetscFunctionReturn((PetscErrorCode)0);
  }
  const double begin = goza::thread_seconds();

  for (PetscInt k = 0; k < batch; k++) PetscCall(product());
  *seconds = (goza::thread_seconds() - begin) / batch;
  PetscFunctionReturn((PetscErrorCode)0);
}

/* One product and what waits for its end. */
static PetscErrorCode Once(Vec y, const std::function<PetscErrorCode()> &product, PetscLogDouble *seconds)
{
  PetscLogDouble t0, t1;

  PetscFunctionBeginUser;
  if (!goza::petsc_on_device()) {
    PetscCall(Batch(1, y, product, seconds));
    PetscFunctionReturn((PetscErrorCode)0);
  }
  PetscCall(PetscTime(&t0));
  PetscCall(product());
  PetscCall(Synchronise(y));
  PetscCall(PetscTime(&t1));
  *seconds = t1 - t0;
  PetscFunctionReturn((PetscErrorCode)0);
}

using Times = std::vector<PetscLogDouble>;

static PetscLogDouble Median(Times times)
{
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
}

/* What was found of one copy of a matrix in one format. */
struct Copy {
  PetscLogDouble first = 0, seconds = 0, device = 0; // of a product
  PetscLogDouble bytes = 0;
  std::string    what;
};

/* A matrix in one format. w: NULL for autoformat */
struct Line {
  std::string       label;
  std::string       type, options; // of the Mat
  const AskedWay   *w      = NULL;
  std::vector<Copy> copies = {};
};

static PetscErrorCode Print(const Bench &bench, const StudyMatrix &m, const Asked &asked, const Line &line, PetscLogDouble rate)
{
  const Sparse &A = asked.matrix;
  Times         first, seconds, device;

  PetscFunctionBeginUser;
  for (const Copy &c : line.copies) {
    first.push_back(c.first);
    seconds.push_back(c.seconds);
    device.push_back(c.device);
  }
  fprintf(bench.json,
          "{\"matrix\": \"%s\", \"family\": \"%s\", \"role\": \"%s\", \"format\": \"%s\", \"rows\": %lld, \"cols\": %lld, \"nnz\": %zu, \"seconds\": %.4e, "
          "\"device\": %.4e, \"first\": %.3e, \"bytes\": %.0f, \"copy_TBs\": %.3f, \"gflops\": %.2f, \"copies\": [",
          m.name.c_str(), m.family.c_str(), role_name(m.role), line.label.c_str(), (long long)A.rows, (long long)A.cols, A.col.size(), Median(seconds),
          Median(device), Median(first), line.copies[0].bytes, 1e-12 * rate, 2e-9 * (double)A.col.size() / Median(seconds));
  for (const Copy &c : line.copies)
    fprintf(bench.json, "%s{\"seconds\": %.4e, \"device\": %.4e, \"what\": \"%s\"}", &c == &line.copies[0] ? "" : ", ", c.seconds, c.device, c.what.c_str());
  fprintf(bench.json, "]");
  if (line.w) {
    fprintf(bench.json, ", \"model\": %.3f, \"paper\": %.2f, \"paper_corrected\": %.2f, ", line.w->cost.gflops, line.w->paper, line.w->corrected);
    print_locality(bench.json, *line.w);
  }
  if (line.w == &asked.choices[0]) fprintf(bench.json, ", \"analysis\": %.3e", AnalysisSeconds(bench, asked.matrix));
  fprintf(bench.json, "}\n");
  fflush(bench.json);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode DeviceSeconds(PetscInt batch, const std::function<PetscErrorCode()> &product, PetscLogDouble *seconds)
{
  PetscErrorCode error = (PetscErrorCode)0;

  PetscFunctionBeginUser;
  PetscCallCXX(*seconds = goza::device::seconds_of([&] {
                 for (PetscInt k = 0; k < batch && !error; k++) error = product();
               }));
  PetscCall(error);
  *seconds /= batch;
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Products until autoformat knows which it keeps. */
static PetscErrorCode Settle(Mat B, const std::function<PetscErrorCode()> &product)
{
  std::shared_ptr<goza::ParOperator<PetscScalar>> op;

  PetscFunctionBeginUser;
  for (int k = 0; k < 100; k++) {
    PetscCall(goza::MatFormatGetOperator(B, &op));
    if (!op || !op->diagonal_block().undecided()) break;
    op.reset(); /* who holds it ends their turns */
    PetscCall(product());
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode MeasureCopy(const Bench &bench, Mat B, Vec x, Vec y, Line &line)
{
  const double slow = 0.005, length = 4e-4, warm_up = 2e-3; // seconds: long enough to be told from one product; of a batch; before
  const auto   product = [=] { return MatMult(B, x, y); };
  std::shared_ptr<goza::ParOperator<PetscScalar>> op;
  Times                                           seconds, device;
  PetscLogDouble                                  once, t;
  Copy                                            c;

  PetscFunctionBeginUser;
  PetscCall(Once(y, product, &c.first));
  PetscCall(Settle(B, product));
  if (goza::petsc_on_device()) PetscCallCXX(goza::device::clear_caches());
  PetscCall(Once(y, product, &once));
  if (once < slow) {
    PetscCall(Batch(3, y, product, &once));
    PetscCall(Batch((PetscInt)std::min(500.0, warm_up / std::max(once, 1e-7)), y, product, &once));
    const PetscInt batch = (PetscInt)std::min(150.0, std::max(3.0, length / std::max(once, 1e-7)));

    for (PetscInt k = 0; k < bench.repeats; k++) {
      PetscCall(Batch(batch, y, product, &t));
      seconds.push_back(t);
      if (!goza::petsc_on_device()) continue;
      PetscCall(DeviceSeconds(batch, product, &t));
      device.push_back(t);
    }
  }
  c.seconds = seconds.empty() ? once : Median(seconds);
  c.device  = device.empty() && goza::petsc_on_device() ? once : Median(device);
  PetscCall(goza::MatFormatGetOperator(B, &op));
  c.bytes = op ? (double)op->bytes() : 0;
  c.what  = op ? op->diagonal_block().describe() : "csr, PETSc's own product";
  line.copies.push_back(c);
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

/* One copy in each format. */
static PetscErrorCode MeasureRound(const Bench &bench, Mat A, std::vector<Line> &lines, std::mt19937 &random, PetscLogDouble *rate)
{
  std::vector<Line *> turns;
  Mat                 csr, B;
  Vec                 x, y;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, lines[0].type.c_str(), MAT_INITIAL_MATRIX, &csr));
  PetscCall(MatCreateVecs(csr, &x, &y));
  PetscCall(RandomVec(x));
  PetscCall(CopyBandwidth(bench.repeats, y, rate)); // in the first round also wakes a GPU that has idled
  for (Line &line : lines) turns.push_back(&line);
  std::shuffle(turns.begin(), turns.end(), random);
  for (Line *line : turns) {
    if (line == &lines[0]) {
      PetscCall(MeasureCopy(bench, csr, x, y, *line));
      continue;
    }
    PetscCall(Convert(csr, line->type, line->options, &B));
    PetscCall(MeasureCopy(bench, B, x, y, *line));
    PetscCall(MatDestroy(&B));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&csr));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* For a profiler. */
static PetscErrorCode MultiplyOnce(Mat A, const Line &line)
{
  Mat B;
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(Convert(A, line.type, line.options, &B));
  PetscCall(MatCreateVecs(B, &x, &y));
  PetscCall(RandomVec(x));
  PetscCall(MatMult(B, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode MeasureMatrix(const Bench &bench, const StudyMatrix &m, Asked &asked)
{
  const PetscInt    copies = asked.sample.nnz < 2000000 ? bench.copies : std::min<PetscInt>(2, bench.copies);
  std::mt19937      random(7);
  std::vector<Line> lines;
  PetscLogDouble    rate = 0;
  Mat               A;

  PetscFunctionBeginUser;
  PetscCall(as_mat(asked.matrix, &A));
  if (asked.bs > 1) PetscCall(MatSetBlockSize(A, asked.bs));
  lines.push_back({"csr", goza::petsc_on_device() ? "aijcusparse" : MATAIJ, "", &asked.choices[0]});
  if (bench.once) {
    lines.push_back({"fold", MATFOLD, "-mat_fold_width auto", NULL});
    for (const Line &line : lines) {
      PetscCall(MultiplyOnce(A, line));
      fprintf(bench.json, "{\"matrix\": \"%s\", \"format\": \"%s\", \"rows\": %lld, \"nnz\": %zu}\n", m.name.c_str(), line.label.c_str(),
              (long long)asked.matrix.rows, asked.matrix.col.size());
    }
  } else {
    for (std::size_t k = 1; k < asked.choices.size() && !bench.autos; k++)
      lines.push_back({asked.choices[k].label, asked.choices[k].type, asked.choices[k].options, &asked.choices[k]});
    lines.push_back({"auto", MATAUTOFORMAT, "", NULL});
    lines.push_back({"auto-model", MATAUTOFORMAT, "-mat_autoformat_trials 1", NULL});
    for (PetscInt k = 0; k < copies; k++) PetscCall(MeasureRound(bench, A, lines, random, &rate));
    for (const Line &line : lines) PetscCall(Print(bench, m, asked, line, rate));
  }
  PetscCall(MatDestroy(&A));
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
static bool Quick(const StudyMatrix &m) { return m.role != Role::P3 && m.name.back() <= '3'; }

static PetscErrorCode Choose(std::vector<StudyMatrix> *chosen)
{
  char     *words[64];
  PetscInt  n = 64, sizes = 5;
  PetscBool set;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-sizes", &sizes, NULL));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-families", words, &n, &set));
  if (!set) n = 0;
  for (const StudyMatrix &m : study_gallery()) {
    bool take = !set;

    for (PetscInt k = 0; k < n; k++) take = take || words[k] == m.family || words[k] == m.name || words[k] == std::string(role_name(m.role));
    if (take && (m.role == Role::P3 || m.name.back() - '0' <= sizes)) chosen->push_back(m);
  }
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscFree(words[k]));
  PetscCheck(!chosen->empty(), PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "-families names no family, matrix or role (fit, report, p3)");
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Paper P3's are read whole. */
static void WriteIndices(FILE *json, const std::vector<StudyMatrix> &matrices, const std::string &command)
{
  char how[600];

  std::snprintf(how, sizeof(how), "\"date\": \"%s\", \"command\": \"%s\"", goza_test::Today().c_str(), command.c_str());
  for (const StudyMatrix &m : matrices) {
    const Sparse A = m.make();

    print_indices(json, m, "whole", A, indices_of(A, m.role == Role::P3 ? 0 : 200000), how);
    if (m.role == Role::P3) {
      const Sparse lower = lower_triangle(A);
      print_indices(json, m, "lower", lower, indices_of(lower, 0), how);
    }
    fflush(json);
  }
}

int main(int argc, char **argv)
{
  char                           json[PETSC_MAX_PATH_LEN] = "locality.json";
  Bench                          bench;
  PetscBool                      indices = PETSC_FALSE;
  std::vector<StudyMatrix>       matrices;
  std::deque<std::future<Asked>> coming;
  const std::size_t              ahead = std::max(1u, std::thread::hardware_concurrency() / 2);
  std::size_t                    next  = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, "Products of many matrices in every format\n"));
  PetscCall(GozaInitializePackage());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &bench.repeats, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-copies", &bench.copies, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-once", &bench.once, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-auto", &bench.autos, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-indices", &indices, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", json, sizeof(json), NULL));
  PetscCheck(bench.repeats > 0 && bench.copies > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-repeats %" PetscInt_FMT " or -copies %" PetscInt_FMT " is not positive", bench.repeats, bench.copies);
  PetscCall(Choose(&matrices));
  const goza::Space space = goza::default_space();
  bench.machine           = &goza::machine_for(space);
  bench.json              = fopen(json, "w");
  PetscCheck(bench.json, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-json: cannot open %s", json);
  const std::string command = goza_test::Command(argc, argv);

  if (indices) {
    PetscCallCXX(WriteIndices(bench.json, matrices, command));
    fclose(bench.json);
    PetscCall(PetscFinalize());
    return 0;
  }
  PetscCallCXX(fprintf(bench.json,
                       "{\"run\": \"products\", \"device\": \"%s\", \"space\": \"%s\", \"petsc\": \"%d.%d.%d\", \"command\": \"%s\", \"matrices\": %zu}\n",
                       goza::device_name(space).c_str(), goza::space_name(space), PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR,
                       command.c_str(), matrices.size()));
  const auto quick  = std::stable_partition(matrices.begin(), matrices.end(), Quick);
  const auto nquick = (std::size_t)(quick - matrices.begin());
  const auto begin  = [&] {
    coming.push_back(std::async(std::launch::async, [&bench, space, one = matrices[next]] {
      Asked asked = ask(one, *bench.machine, space);

      for (AskedWay &w : asked.choices) ask_paper(asked, w, *bench.machine);
      return asked;
    }));
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
  fprintf(bench.json, "{\"run\": \"whole\", \"matrices\": %zu}\n", matrices.size());
  fclose(bench.json);
  PetscCall(PetscFinalize());
  return 0;
}
