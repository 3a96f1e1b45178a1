/* Paper P2's study on this machine: the products of many matrices in every format, measured, and paper P3's indices.

     bench_locality [-families fit,report,p3 | -families NAME,...] [-repeats 5] [-copies 5] [-once] -json FILE

   JSON lines: one for a matrix and format, one for a matrix and order of reads; test/bench/locality_report.py makes tables and pictures of them.

   Where in memory a matrix lies changes the time of its product by several percent, so each format is measured on several copies (two of a large matrix), each with vectors of its
   own, and what is measured just before counts, too: in each round all copies of all formats take their turn in another order. A turn is MatMult() in two batches of about 0.4 ms, with
   the matrix and x in L2 as far as they fit: `seconds` is the time of a product that the host calls for, as a program sees it, and `device`, where there is one, that of a product whose
   launch has been waiting. Of each copy the median over the rounds, of a format the median over its copies. Each copy of autoformat chooses anew. While one large matrix is measured,
   others are made by other threads. -once: CSR and Fold alone, one product each, for a profiler. */
#include "petscgoza.h"
#include "../support/bench_timing.hpp"
#include "core/array.hpp"
#include "core/device_seconds.hpp"
#include "locality_models.hpp"
#include "mat/common/format_kind.hpp"
#include <petsc/private/matimpl.h>
#include <petsctime.h>
#include <algorithm>
#include <deque>
#include <future>
#include <random>
#include <string>
#include <thread>

using namespace goza_test;

struct Bench {
  PetscInt             repeats = 5, copies = 5;
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

using Times = std::vector<PetscLogDouble>;

static PetscLogDouble Median(Times times)
{
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
}

struct Copy {
  Mat   B = NULL;
  Vec   x = NULL, y = NULL; // those of the first line
  Times seconds, device;    // of a product, by rounds
};

/* A matrix in one format. w: NULL for autoformat */
struct Line {
  std::string       label;
  std::string       type, options; // of the Mat
  const AskedWay   *w      = NULL;
  std::vector<Copy> copies = {};
  PetscLogDouble    first  = 0; // product
};

static std::string What(Mat B)
{
  std::shared_ptr<goza::ParOperator<PetscScalar>> op;

  return goza::MatFormatGetOperator(B, &op) == PETSC_SUCCESS && op ? op->diagonal_block().describe() : "csr, PETSc's own product";
}

static PetscErrorCode Print(const Bench &bench, const StudyMatrix &m, const Asked &asked, const Line &line, PetscLogDouble copy)
{
  const Mat                                       B = line.copies[0].B;
  MatInfo                                         info;
  std::shared_ptr<goza::ParOperator<PetscScalar>> op;
  Times                                           seconds, device;

  PetscFunctionBeginUser;
  for (const Copy &c : line.copies) {
    seconds.push_back(Median(c.seconds));
    device.push_back(Median(c.device));
  }
  PetscCall(MatGetInfo(B, MAT_LOCAL, &info));
  PetscCall(goza::MatFormatGetOperator(B, &op));
  fprintf(bench.json, "{\"matrix\": \"%s\", \"family\": \"%s\", \"role\": \"%s\", \"format\": \"%s\", \"rows\": %lld, \"cols\": %lld, \"nnz\": %.0f, \"seconds\": %.4e, \"device\": %.4e, \"first\": %.3e, \"bytes\": %lld, \"copy_TBs\": %.3f, \"gflops\": %.2f, \"copies\": [",
          m.name.c_str(), m.family.c_str(), role_name(m.role), line.label.c_str(), (long long)B->rmap->n, (long long)B->cmap->n, info.nz_used, Median(seconds), Median(device),
          line.first, op ? (long long)op->bytes() : 0LL, 1e-12 * copy, 2e-9 * info.nz_used / Median(seconds));
  for (std::size_t k = 0; k < line.copies.size(); k++)
    fprintf(bench.json, "%s{\"seconds\": %.4e, \"device\": %.4e, \"what\": \"%s\"}", k ? ", " : "", seconds[k], device[k], What(line.copies[k].B).c_str());
  fprintf(bench.json, "]");
  if (line.w) {
    fprintf(bench.json, ", \"model\": %.3f, \"paper\": %.2f, \"paper_corrected\": %.2f, ", line.w->cost.gflops, line.w->paper, line.w->corrected);
    print_traits(bench.json, asked, *line.w);
  }
  if (line.w == &asked.ways[0]) fprintf(bench.json, ", \"analysis\": %.3e", AnalysisSeconds(bench, asked.matrix));
  fprintf(bench.json, "}\n");
  fflush(bench.json);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A copy's turn of a round. */
static PetscErrorCode Turn(Copy &c)
{
  const double   length  = 4e-4; // seconds of a batch
  const auto     product = [&c] { return MatMult(c.B, c.x, c.y); };
  PetscLogDouble seconds;

  PetscFunctionBeginUser;
  PetscCall(BatchSeconds(3, c.y, product, &seconds));
  const PetscInt batch = (PetscInt)std::min(150.0, std::max(3.0, length / std::max(seconds, 1e-7)));

  if (goza::petsc_on_device()) {
    PetscErrorCode error = PETSC_SUCCESS;

    PetscCallCXX(seconds = goza::device::seconds_of([&] {
                   for (PetscInt k = 0; k < batch && !error; k++) error = product();
                 }));
    PetscCall(error);
    c.device.push_back(seconds / batch);
  }
  PetscCall(BatchSeconds(batch, c.y, product, &seconds));
  c.seconds.push_back(seconds);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Measure(const Bench &bench, const StudyMatrix &m, const Asked &asked, std::vector<Line> &lines)
{
  VecType              type;
  PetscLogDouble       copy, begin, now;
  std::vector<Copy *>  turns;
  std::mt19937         random(7);
  const PetscLogDouble slow = 0.005, warm_up = 0.03; // seconds: long enough to be told from one product; a GPU that has idled begins slowly

  PetscFunctionBeginUser;
  PetscCall(VecGetType(lines[0].copies[0].y, &type));
  PetscCall(CopyBandwidth(bench.repeats, type, &copy));
  for (std::size_t k = 0; k < lines[0].copies.size(); k++) {
    for (Line &line : lines) {
      Copy          &c       = line.copies[k];
      const auto     product = [&c] { return MatMult(c.B, c.x, c.y); };
      PetscLogDouble first, second;

      PetscCall(Once(c.y, product, &first));
      PetscCall(Once(c.y, product, &second));
      if (k == 0) line.first = first;
      if (second < slow) turns.push_back(&c);
      else c.seconds = c.device = {second};
    }
  }
  PetscCall(PetscTime(&begin));
  do {
    for (const Copy *c : turns) PetscCall(MatMult(c->B, c->x, c->y));
    for (const Copy *c : turns) PetscCall(Synchronise(c->y));
    PetscCall(PetscTime(&now));
  } while (now - begin < warm_up);
  for (PetscInt r = 0; r < bench.repeats; r++) {
    std::shuffle(turns.begin(), turns.end(), random);
    for (Copy *c : turns) PetscCall(Turn(*c));
  }
  for (const Line &line : lines) PetscCall(Print(bench, m, asked, line, copy));
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

static PetscErrorCode MeasureMatrix(const Bench &bench, const StudyMatrix &m, Asked &asked)
{
  const std::string csr    = goza::petsc_on_device() ? "aijcusparse" : MATAIJ;
  const PetscInt    copies = asked.sample.nnz < 2000000 ? bench.copies : std::min<PetscInt>(2, bench.copies);
  std::vector<Line> lines;
  Mat               A;

  PetscFunctionBeginUser;
  PetscCall(as_mat(asked.matrix, &A));
  if (asked.bs > 1) PetscCall(MatSetBlockSize(A, asked.bs));
  lines.push_back({"csr", csr, "", &asked.ways[0]});
  if (bench.once) lines.push_back({"fold", MATFOLD, "-mat_fold_width auto", NULL});
  else {
    for (std::size_t k = 1; k < asked.ways.size(); k++) lines.push_back({asked.ways[k].label, asked.ways[k].type, asked.ways[k].options, &asked.ways[k]});
    lines.push_back({"auto", MATAUTOFORMAT, "", NULL});
    lines.push_back({"auto-model", MATAUTOFORMAT, "-mat_autoformat_trials 1", NULL});
  }
  for (PetscInt k = 0; k < (bench.once ? 1 : copies); k++) {
    for (Line &line : lines) {
      Copy c;

      if (&line == &lines[0]) PetscCall(MatConvert(A, csr.c_str(), MAT_INITIAL_MATRIX, &c.B));
      else PetscCall(Convert(lines[0].copies[k].B, line.type, line.options, &c.B));
      if (&line == &lines[0]) {
        PetscCall(MatCreateVecs(c.B, &c.x, &c.y));
        PetscCall(RandomVec(c.x));
      } else {
        c.x = lines[0].copies[k].x;
        c.y = lines[0].copies[k].y;
      }
      line.copies.push_back(c);
    }
  }
  PetscCall(MatDestroy(&A));
  if (bench.once) {
    for (const Line &line : lines) PetscCall(MatMult(line.copies[0].B, line.copies[0].x, line.copies[0].y));
  } else PetscCall(Measure(bench, m, asked, lines));
  for (Copy &c : lines[0].copies) {
    PetscCall(VecDestroy(&c.x));
    PetscCall(VecDestroy(&c.y));
  }
  for (Line &line : lines) {
    for (Copy &c : line.copies) PetscCall(MatDestroy(&c.B));
  }
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
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-copies", &bench.copies, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-once", &bench.once, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", json, sizeof(json), NULL));
  PetscCheck(bench.repeats > 0 && bench.copies > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-repeats %" PetscInt_FMT " or -copies %" PetscInt_FMT " is not positive",
             bench.repeats, bench.copies);
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
