/* Paper P2's study on this machine: the products of many matrices in every format, measured.

     bench_locality [-families fit,report,p3 | -matrices NAME,...] [-repeats 5] -json FILE

   One JSON line a matrix and format; test/bench/locality_report.py makes tables and pictures of them. The time is the median of MatMult() over batches
   that end with a synchronisation. While one matrix is measured, the next are made by other threads. */
#include "petscgoza.h"
#include "../support/study_gallery.hpp"
#include "../support/timing.hpp"
#include "goza.hpp"
#include "mat/cds/diagonals.hpp"
#include "mat/common/format_kind.hpp"
#include <petsc/private/matimpl.h>
#include <algorithm>
#include <deque>
#include <future>
#include <string>
#include <thread>

using namespace goza_test;

struct Way {
  const char *label, *type, *options;
};

/* Every format at its own choices, and at those that autoformat may take instead. */
static const Way ways[] = {
  {"slicedell", MATSLICEDELL, ""},
  {"slicedell-32", MATSLICEDELL, "-mat_slicedell_slice_height 32"},
  {"slicedell-long", MATSLICEDELL, "-mat_slicedell_index 32"},
  {"fold", MATFOLD, ""},
  {"fold-8", MATFOLD, "-mat_fold_width 8"},
  {"fold-16", MATFOLD, "-mat_fold_width 16"},
  {"fold-32", MATFOLD, "-mat_fold_width 32"},
  {"cds-full", MATCDS, "-mat_cds_storage full"},
  {"cds-half", MATCDS, ""},
};

struct Bench {
  PetscInt repeats = 5;
  FILE    *json    = NULL;
};

static std::string Quoted(const std::string &text)
{
  return "\"" + text + "\"";
}

/* One line: B's product as it is now. */
static PetscErrorCode Measure(const Bench &bench, const StudyMatrix &m, const char *label, Mat B)
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
  fprintf(bench.json, "{\"matrix\": %s, \"family\": %s, \"role\": \"%s\", \"format\": \"%s\", \"rows\": %lld, \"cols\": %lld, \"nnz\": %.0f, \"seconds\": %.4e, \"first\": %.3e, \"bytes\": %lld, \"copy_TBs\": %.3f, \"what\": %s}\n",
          Quoted(m.name).c_str(), Quoted(m.family).c_str(), role_name(m.role), label, (long long)B->rmap->n, (long long)B->cmap->n, info.nz_used, seconds, first,
          op ? (long long)op->bytes() : 0LL, 1e-12 * copy, Quoted(op ? op->diagonal_block().describe() : "").c_str());
  fflush(bench.json);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode MeasureWay(const Bench &bench, const StudyMatrix &m, const Way &way, Mat B)
{
  PetscOptions own;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(B, way.type, MAT_INPLACE_MATRIX, &B));
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, way.options));
  PetscCall(PetscObjectSetOptions((PetscObject)B, own));
  PetscCall(MatSetFromOptions(B));
  PetscCall(PetscObjectSetOptions((PetscObject)B, NULL));
  PetscCall(PetscOptionsDestroy(&own));
  PetscCall(Measure(bench, m, way.label, B));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode MeasureMatrix(const Bench &bench, const StudyMatrix &m, Sparse &sparse)
{
  Mat                   A, B;
  const PetscInt        bs    = m.name.find("3x3") != std::string::npos ? 3 : m.name.find("6x6") != std::string::npos ? 6 : 1;
  const goza::Diagonals found = goza::find_diagonals(sparse.view(), bs, 0.6);

  PetscFunctionBeginUser;
  PetscCall(as_mat(sparse, &A));
  if (bs > 1) PetscCall(MatSetBlockSize(A, bs));
  PetscCall(MatConvert(A, goza::petsc_on_device() ? "aijcusparse" : MATAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatDestroy(&A));
  PetscCall(Measure(bench, m, "csr", B));
  for (const Way &way : ways) {
    if (std::string(way.type) == MATCDS && 2 * found.inside < found.nnz) continue; /* made for another kind of matrix */
    PetscCall(MeasureWay(bench, m, way, B));
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
  const std::size_t               ahead = std::max(1u, std::thread::hardware_concurrency() / 2);
  std::size_t                     next  = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, "Products of many matrices in every format\n"));
  PetscCall(GozaInitializePackage());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &bench.repeats, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", json, sizeof(json), NULL));
  PetscCheck(bench.repeats > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-repeats %" PetscInt_FMT " is not positive", bench.repeats);
  PetscCall(Choose(&matrices));
  bench.json = fopen(json, "w");
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
