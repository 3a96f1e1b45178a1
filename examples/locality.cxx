static char help[] = "Locality of a matrix's reads of x in every format, and what the models of Tanabe 2014 predict from it (papers P2 and P3).\n\
  -file <file>                         : a PETSc binary or Matrix Market file, the latter plain or compressed by gzip\n\
  -gallery <name>                      : instead, one of the matrices of `make bench-locality`, like web_3 or G3_circuit\n\
  -n <nodes>                           : instead, the 27-point operator on a grid of n^3 nodes\n\
  -lower                               : of the matrix only what is on its diagonal and below: what a file holds of a symmetric one, and paper P3 counted\n\
  -platform auto|<name>|<file>         : whose lines, cache and bandwidth: auto, this machine's (the GPU's, with -goza_device host the CPU's), a known one's\n\
                                         (c2050, h200, host, epyc), or those of a file of -calibrate\n\
  -value_bytes 4|8, -index_bytes 2|4|8 : F and I of the models\n\
  -slice_height <rows>                 : of sliced ELL, a power of two\n\
  -fold_width <entries>                : of Fold (0: chosen from the row lengths) and of the rectangle, paper P3's Fold (0: the mean row)\n\
  -bs <unknowns>                       : of a node, for CDS\n\
  -what_if                             : adds what the models say if lines were read whole, hits were 30 % more, or memory gathered\n\
  -most_entries <number>               : read windows with about so many entries, and estimate the error; 0: read all\n\
  -json <file>                         : write the report there as JSON as well\n\
  -svg <folder>                        : write pictures there: density.svg, row_lengths.svg, intervals.svg (before and after Fold)\n\
  -calibrate [<file>]                  : instead, measure this machine's memory and print what was found; into the file, for -platform\n\
                                         and -goza_platform\n\n";

/*
   One rank. Nothing is multiplied or measured, but by -calibrate: all comes from the pattern. src/locality/ has the definitions and equations.

   Run lines:
     locality -n 12
     locality -n 40 -most_entries 200000 -platform host
     locality -n 9 -platform c2050 -fold_width 8 -slice_height 4 -what_if -json locality.json
     locality -gallery web_1 -svg pictures
*/
#include "../test/support/study_gallery.hpp"
#include "petsc/plugin.hpp"
#include "../test/support/matrix_market.hpp"
#include "../test/support/petsc_binary.hpp"
#include "locality/models.hpp"
#include "locality_pictures.hpp"
#include "petsc/errors.hpp"
#include "petscgoza.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <sys/stat.h>

using namespace goza;
using goza_test::HostCsr;

struct Settings {
  char            file[PETSC_MAX_PATH_LEN] = "", gallery[64] = "", json[PETSC_MAX_PATH_LEN] = "", svg[PETSC_MAX_PATH_LEN] = "";
  PetscInt        n = 0, value_bytes = 0, index_bytes = 4;
  PetscBool       what_if = PETSC_FALSE, lower = PETSC_FALSE;
  Machine         platform;
  AnalysisOptions analysis;
};

static PetscErrorCode FindPlatform(const std::string &name, Machine *platform)
{
  const Machine *known = find_machine(name);
  std::string    why;

  PetscFunctionBeginUser;
  if (name == "auto") {
    PetscCall(GozaInitializePackage());
    PetscCall(Guarded([&] { *platform = chosen_machine() ? *chosen_machine() : this_machine(default_space()); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  try {
    *platform = known ? *known : read_machine(name);
  } catch (const std::exception &e) {
    why = e.what();
  }
  PetscCheck(why.empty(), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "-platform %s: %s", name.c_str(), why.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options(Settings *s)
{
  char      name[PETSC_MAX_PATH_LEN] = "auto";
  PetscInt  most                     = 0;
  PetscBool set;

  PetscFunctionBeginUser;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Locality", NULL);
  PetscCall(PetscOptionsString("-file", "PETSc binary or Matrix Market file", NULL, s->file, s->file, sizeof(s->file), NULL));
  PetscCall(PetscOptionsString("-gallery", "A matrix of make bench-locality", NULL, s->gallery, s->gallery, sizeof(s->gallery), NULL));
  PetscCall(PetscOptionsInt("-n", "Nodes a side of the 27-point operator", NULL, s->n, &s->n, &set));
  PetscCall(PetscOptionsString("-platform", "auto, a known platform or a file of -calibrate", NULL, name, name, sizeof(name), NULL));
  PetscCall(PetscOptionsInt("-value_bytes", "Bytes of a value; 0: the platform's, else PetscScalar's", NULL, s->value_bytes, &s->value_bytes, NULL));
  PetscCall(PetscOptionsInt("-index_bytes", "Bytes of a column index", NULL, s->index_bytes, &s->index_bytes, NULL));
  PetscCall(PetscOptionsInt("-slice_height", "Rows in a slice of sliced ELL", NULL, s->analysis.slice_height, &s->analysis.slice_height, NULL));
  PetscCall(PetscOptionsInt("-fold_width", "Most entries in a line of Fold", NULL, s->analysis.fold_width, &s->analysis.fold_width, NULL));
  PetscCall(PetscOptionsInt("-bs", "Unknowns of a node", NULL, s->analysis.bs, &s->analysis.bs, NULL));
  PetscCall(PetscOptionsBool("-lower", "Only what is on the diagonal and below", NULL, s->lower, &s->lower, NULL));
  PetscCall(PetscOptionsBool("-what_if", "The models' what-if study", NULL, s->what_if, &s->what_if, NULL));
  PetscCall(PetscOptionsInt("-most_entries", "Entries to read; 0: all", NULL, most, &most, NULL));
  PetscCall(PetscOptionsString("-json", "File for the report", NULL, s->json, s->json, sizeof(s->json), NULL));
  PetscCall(PetscOptionsString("-svg", "Folder for pictures", NULL, s->svg, s->svg, sizeof(s->svg), NULL));
  PetscOptionsEnd();

  const AnalysisOptions &a = s->analysis;

  PetscCheck(set || s->file[0] || s->gallery[0], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Give a matrix: -file or -n or -gallery");
  PetscCheck(!!set + !!s->file[0] + !!s->gallery[0] == 1, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Give one matrix: -file or -n or -gallery");
  PetscCheck(!set || (s->n >= 0 && s->n <= 400), PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-n %" PetscInt_FMT " must be from 0 to 400", s->n);
  PetscCall(FindPlatform(name, &s->platform));
  if (!s->value_bytes) s->value_bytes = s->platform.value_bytes ? s->platform.value_bytes : (PetscInt)sizeof(PetscScalar);
  PetscCheck(s->value_bytes == 4 || s->value_bytes == 8, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-value_bytes %" PetscInt_FMT " must be 4 or 8",
             s->value_bytes);
  PetscCheck(s->index_bytes == 2 || s->index_bytes == 4 || s->index_bytes == 8, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-index_bytes %" PetscInt_FMT " must be 2, 4 or 8", s->index_bytes);
  PetscCheck(a.slice_height >= 1 && a.slice_height <= 128 && (a.slice_height & (a.slice_height - 1)) == 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-slice_height %" PetscInt_FMT " must be a power of two up to 128", a.slice_height);
  PetscCheck(a.fold_width >= 0 && a.fold_width <= 127, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-fold_width %" PetscInt_FMT " must be from 0 to 127",
             a.fold_width);
  PetscCheck(a.bs == 1 || a.bs == 2 || a.bs == 3 || a.bs == 6, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-bs %" PetscInt_FMT " must be 1, 2, 3 or 6", a.bs);
  PetscCheck(most >= 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-most_entries %" PetscInt_FMT " must not be negative", most);
  s->analysis.most_entries = most;
  PetscCallCXX(s->analysis.shift = line_shift(s->platform.line, (int)s->value_bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pattern of the 27-point operator on an n^3 grid */
static HostCsr Stencil(PetscInt n)
{
  HostCsr A;

  A.rows = A.cols = n * n * n;
  for (PetscInt z = 0; z < n; z++)
    for (PetscInt y = 0; y < n; y++)
      for (PetscInt x = 0; x < n; x++) {
        for (PetscInt k = 0; k < 27; k++) {
          const PetscInt i = x + k % 3 - 1, j = y + k / 3 % 3 - 1, l = z + k / 9 - 1;

          if (i >= 0 && i < n && j >= 0 && j < n && l >= 0 && l < n) A.col.push_back((l * n + j) * n + i);
        }
        A.ptr.push_back((PetscInt)A.col.size());
      }
  return A;
}

static PetscErrorCode FromGallery(const char *name, HostCsr *A)
{
  std::string names;

  PetscFunctionBeginUser;
  for (const goza_test::StudyMatrix &m : goza_test::study_gallery()) {
    if (m.name != name) {
      names += (names.empty() ? "" : " ") + m.name;
      continue;
    }
    PetscCallCXX(*A = m.make());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "-gallery %s is none of: %.3000s", name, names.c_str());
}

static PetscErrorCode Load(const Settings &s, HostCsr *A)
{
  PetscBool market, packed;

  PetscFunctionBeginUser;
  PetscCall(PetscStrendswith(s.file, ".mtx", &market));
  PetscCall(PetscStrendswith(s.file, ".mtx.gz", &packed));
  if (s.gallery[0]) PetscCall(FromGallery(s.gallery, A));
  else if (!s.file[0]) PetscCallCXX(*A = Stencil(s.n));
  else if (market || packed || goza_test::is_matrix_market(s.file)) PetscCall(goza_test::read_matrix_market(s.file, A));
  else PetscCall(goza_test::read_petsc_binary(s.file, A));
  if (s.lower) PetscCallCXX(*A = goza_test::lower_triangle(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* found: of `layouts`, CSR first */
static PetscErrorCode Pictures(const std::string &folder, const std::string &name, const Csr &A, const std::vector<LayoutLocality> &found)
{
  const LayoutLocality *fold = &found[0];

  PetscFunctionBeginUser;
  PetscCheck(!mkdir(folder.c_str(), 0777) || errno == EEXIST, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-svg: cannot make the folder %s: %s", folder.c_str(),
             strerror(errno));
  for (const LayoutLocality &f : found) {
    if (f.layout == Layout::Fold) fold = &f;
  }
  const bool ok = picture_density(folder + "/density.svg", name, A) && picture_row_lengths(folder + "/row_lengths.svg", name, A) &&
                  picture_intervals(folder + "/intervals.svg", name, {{"CSR", &found[0].locality.padded}, {"after Fold", &fold->locality.padded}});

  PetscCheck(ok, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "-svg: cannot write into %s: %s", folder.c_str(), strerror(errno));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Per cent */
static double Gain(double gflops, const Prediction &now) { return now.gflops > 0 ? 100 * (gflops / now.gflops - 1) : 0; }

/* Eq. 6 has no counterpart of eq. 7. */
static std::string GainOfGather(const Prediction &now)
{
  char text[32];

  if (now.small) return " by eq. 6, which knows no small matrices";
  std::snprintf(text, sizeof(text), " (%+.1f %%)", Gain(now.gather, now));
  return text;
}

static void Text(const Settings &s, const std::string &name, const RowStatistics &rows, const std::vector<LayoutLocality> &found,
                 const std::vector<Prediction> &predicted)
{
  printf("%s: rows %lld, columns %lld, nonzeros %lld, in a row: mean %.3f, most %lld, variance %.3f; bandwidth %lld, diagonals %lld\n", name.c_str(),
         (long long)rows.rows, (long long)rows.columns, (long long)rows.nnz, rows.mean, (long long)rows.longest, rows.variance, (long long)rows.bandwidth,
         (long long)rows.diagonals);
  printf("platform %s: lines of %d bytes, %d-byte values, %.4g GB/s; indices in reads, models of Tanabe 2014\n  %s\n", s.platform.name.c_str(), s.platform.line,
         (int)s.value_bytes, 1e-9 * s.platform.bandwidth, s.platform.source.c_str());
  printf("%-10s %9s %9s %9s %9s %9s %8s %7s %8s %8s\n", "format", "stored/nz", "spatial", "+-", "unpadded", "temporal", "+-", "hits %", "B/flop", "GF/s");
  for (std::size_t k = 0; k < found.size(); k++) {
    const LayoutLocality &f = found[k];
    const Prediction     &p = predicted[k];

    if (!f.present) printf("%-10s no diagonals that suit it\n", layout_name(f.layout));
    else
      printf("%-10s %9.3f %9.3f %9.2g %9.3f %9.2f %8.2g %7.1f %8.3f %8.2f%s\n", layout_name(f.layout), f.stored_per_nonzero(), f.locality.padded.spatial(),
             f.locality.spatial_error, f.locality.plain.spatial(), f.locality.padded.temporal(), f.locality.temporal_error, 100 * p.hit, p.bpf, p.gflops,
             p.small ? " (small: eq. 7)" : "");
    if (f.present && p.line_hit > 0)
      printf("%-10s   by the temporal index alone, figure 4's line: hits %.1f %%, %.2f GF/s\n", "", 100 * p.line_hit, p.line_gflops);
    if (f.present && s.what_if)
      printf("%-10s   what if: lines read whole %.2f GF/s (%+.1f %%), 30 %% more hits %.2f (%+.1f %%), memory that gathers %.2f%s\n", "", p.full_lines,
             Gain(p.full_lines, p), p.more_hits, Gain(p.more_hits, p), p.gather, GainOfGather(p).c_str());
  }
  printf("useful elements a line (csr): %.2f; %d window(s), %.1f %% of the rows%s\n", found[0].locality.useful_per_line(), found[0].locality.windows,
         100 * found[0].locality.share, found[0].locality.windows > 1 ? "; intervals longer than a window are not seen" : "");
}

static void JsonCounts(FILE *f, const char *name, const LocalityCounts &c)
{
  int last = reuse_bins;

  while (last > 0 && !c.intervals[last - 1]) last--;
  fprintf(f, "\"%s\": {\"reads\": %lld, \"runs\": %lld, \"reused\": %lld, \"spatial\": %.6g, \"temporal\": %.6g, \"intervals_log2\": [", name,
          (long long)c.reads, (long long)c.runs, (long long)c.reused, c.spatial(), c.temporal());
  for (int k = 0; k < last; k++) fprintf(f, "%s%lld", k ? ", " : "", (long long)c.intervals[k]);
  fprintf(f, "]}");
}

static std::string Quoted(const std::string &text)
{
  std::string quoted = "\"";

  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += (unsigned char)c < ' ' ? ' ' : c;
  }
  return quoted + "\"";
}

static void Json(FILE *f, const Settings &s, const std::string &name, const RowStatistics &rows, const std::vector<LayoutLocality> &found,
                 const std::vector<Prediction> &predicted)
{
  fprintf(f,
          "{\"matrix\": %s, \"rows\": %lld, \"columns\": %lld, \"nnz\": %lld, \"mean\": %.8g, \"longest\": %lld, \"variance\": %.8g, \"bandwidth\": %lld, "
          "\"diagonals\": %lld,\n",
          Quoted(name).c_str(), (long long)rows.rows, (long long)rows.columns, (long long)rows.nnz, rows.mean, (long long)rows.longest, rows.variance,
          (long long)rows.bandwidth, (long long)rows.diagonals);
  fprintf(f, " \"platform\": \"%s\", \"line_bytes\": %d, \"value_bytes\": %d, \"index_bytes\": %d, \"formats\": [", s.platform.name.c_str(), s.platform.line,
          (int)s.value_bytes, (int)s.index_bytes);
  for (std::size_t k = 0, written = 0; k < found.size(); k++) {
    const LayoutLocality &l = found[k];
    const Prediction     &p = predicted[k];

    if (!l.present) continue;
    fprintf(f,
            "%s\n  {\"format\": \"%s\", \"stored_per_nonzero\": %.6g, \"useful_per_line\": %.6g, \"windows\": %d, \"share\": %.6g, \"spatial_error\": %.4g, "
            "\"temporal_error\": %.4g,\n   ",
            written++ ? "," : "", layout_name(l.layout), l.stored_per_nonzero(), l.locality.useful_per_line(), l.locality.windows, l.locality.share,
            l.locality.spatial_error, l.locality.temporal_error);
    JsonCounts(f, "padded", l.locality.padded);
    fprintf(f, ",\n   ");
    JsonCounts(f, "plain", l.locality.plain);
    fprintf(f,
            ",\n   \"hit\": %.6g, \"bytes_per_flop\": %.6g, \"gflops\": %.6g, \"full_lines_gflops\": %.6g, \"more_hits_gflops\": %.6g, \"gather_gflops\": "
            "%.6g, \"line_hit\": %.6g, \"line_gflops\": %.6g, \"small_matrix\": %s}",
            p.hit, p.bpf, p.gflops, p.full_lines, p.more_hits, p.gather, p.line_hit, p.line_gflops, p.small ? "true" : "false");
  }
  fprintf(f, "\n ]}\n");
}

/* What was measured, to read and into a file. */
static PetscErrorCode Calibrate(const char *file)
{
  std::string text;

  PetscFunctionBeginUser;
  PetscCall(GozaInitializePackage());
  PetscCall(Guarded([&] {
    text = calibrate(default_space()).text();
    (void)machine_from_text(text, "the calibration"); /* it is one that -platform takes */
    if (file[0]) write_text(text, file);
  }));
  printf("%s", text.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Settings                    s;
  HostCsr                     A;
  RowStatistics               rows;
  std::vector<LayoutLocality> found;
  std::vector<Prediction>     predicted;
  std::string                 name;
  PetscMPIInt                 size;
  char                        file[PETSC_MAX_PATH_LEN] = "";
  PetscBool                   measure;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-calibrate", file, sizeof(file), &measure));
  if (measure) {
    PetscCall(Calibrate(file));
    PetscCall(PetscFinalize());
    return 0;
  }
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "This program runs on one rank; -mat_view ::ascii_info_detail shows a parallel matrix");
  PetscCall(Options(&s));
  PetscCall(Load(s, &A));
  name = s.file[0] ? s.file : s.gallery[0] ? s.gallery : "27-point " + std::to_string(s.n) + "^3";
  PetscCallCXX(rows = row_statistics(A.view()));
  for (Layout layout : layouts) {
    PetscCallCXX(found.push_back(analyse(A.view(), layout, s.analysis)));
    predicted.push_back(predict(s.platform, found.back(), rows.rows, rows.nnz, {(double)s.value_bytes, (double)s.index_bytes}));
  }
  Text(s, name, rows, found, predicted);
  if (s.json[0]) {
    FILE *f = fopen(s.json, "w");

    PetscCheck(f, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "-json: cannot open %s", s.json);
    Json(f, s, name, rows, found, predicted);
    PetscCheck(!fclose(f), PETSC_COMM_WORLD, PETSC_ERR_FILE_WRITE, "-json: cannot write %s", s.json);
  }
  if (s.svg[0]) PetscCall(Pictures(s.svg, name, A.view(), found));
  PetscCall(PetscFinalize());
  return 0;
}
