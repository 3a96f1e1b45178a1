#include "detail_view.hpp"
#include "block_figures.hpp"
#include "held_settings.hpp"
#include "petsc/compat.hpp"
#include "locality/models.hpp"
#include "mat/slicedell/slicedell.hpp"
#include <petsc/private/petscimpl.h>
#include <algorithm>
#include <array>

namespace goza::choice {
namespace {

constexpr std::int64_t most_entries = 1 << 20;                                                      // of a block, for each format
constexpr int          row_figures = 8, layout_figures = 11, what_if_figures = 3, line_figures = 2; // the last of the layout's
constexpr int          nlayouts = sizeof(layouts) / sizeof(layouts[0]), nfigures = row_figures + nlayouts * layout_figures;

/* A format, with the settings in which it is looked at. */
struct Asked {
  AnalysisOptions options;
  Bytes           bytes;
  std::string     name;
  bool            in_use = false;
};

/* Every format as it is by default, and the one in use as it is; names are of this rank's block. */
std::array<Asked, nlayouts> all_asked(const Csr &block, const DetailOf &of)
{
  const HeldSettings          held = settings_of(of.held);
  std::array<Asked, nlayouts> all;

  for (int k = 0; k < nlayouts; k++) {
    Asked &one = all[k];

    one.in_use               = held.known && held.choice.layout == layouts[k];
    one.name                 = one.in_use ? held.name() : layout_name(layouts[k]);
    one.options.slice_height = sliced_ell_height(of.machine.space(), block.nrows, block.nnz);
    if (one.in_use) {
      one.options = held.analysis;
      one.bytes   = {held.bytes.F, held.bytes.I, sizeof(PetscScalar)};
      if (held.choice.layout == Layout::SlicedEll) one.options.block = held.choice.block;
    }
    one.options.shift        = line_shift(of.machine.line, sizeof(PetscScalar)); // x is of PetscScalars, whatever is stored
    one.options.most_entries = most_entries;
  }
  return all;
}

/* figure [nfigures] stays as it is where a rank has nothing to say. */
void figures_of(const Csr &block, const DetailOf &of, const std::array<Asked, nlayouts> &all, double *figure)
{
  const RowStatistics rows = row_statistics(block);

  if (!rows.nnz) return;
  for (double value : {double(rows.rows), double(rows.columns), double(rows.nnz), rows.mean, double(rows.longest), rows.variance, double(rows.bandwidth),
                       double(rows.diagonals)})
    *figure++ = value;
  for (int k = 0; k < nlayouts; k++) {
    const LayoutLocality found = analyse(block, layouts[k], all[k].options);
    const Prediction     p     = predict(of.machine, found, rows.rows, rows.nnz, all[k].bytes);

    if (found.present) {
      const double values[layout_figures] = {p.S,
                                             found.locality.plain.spatial(),
                                             found.locality.padded.temporal(),
                                             100 * p.hit,
                                             p.bpf,
                                             p.gflops,
                                             p.full_lines,
                                             p.more_hits,
                                             p.gather,
                                             100 * p.line_hit,
                                             p.line_gflops};

      std::copy(values, values + layout_figures, figure);
    }
    figure += layout_figures;
  }
}

PetscErrorCode PrintRange(PetscViewer viewer, const char *name, double least, double most)
{
  PetscFunctionBegin;
  if (least == most) PetscCall(PetscViewerASCIIPrintf(viewer, "%s %.4g", name, least));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "%s %.4g to %.4g", name, least, most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A line of n figures. */
PetscErrorCode PrintFigures(PetscViewer viewer, const char *mark, const char *head, const char *const names[], int n, const double *least, const double *most)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s%-9s ", mark, head));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
  for (int k = 0; k < n; k++) PetscCall(PrintRange(viewer, names[k], least[k], most[k]));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintAll(PetscViewer viewer, const std::array<Asked, nlayouts> &all, bool what_if, const double *least, const double *most)
{
  static const char *const row_names[row_figures] = {"rows",   ", columns",  ", nonzeros",  ", in a row: mean",
                                                     ", most", ", variance", "; bandwidth", ", diagonals"};
  static const char *const layout_names[layout_figures] =
    {"spatial index",         ", without padding",     "; temporal index",           "; hits %", "; B/flop", "; GF/s",
     "lines read whole GF/s", "; 30 % more hits GF/s", "; memory that gathers GF/s", "hits %",   "; GF/s"};
  constexpr int first_line = layout_figures - line_figures, first_if = first_line - what_if_figures;

  PetscFunctionBegin;
  PetscCall(PrintFigures(viewer, "  ", "blocks:", row_names, row_figures, least, most));
  for (int k = 0; k < nlayouts; k++) {
    const double *l = least + row_figures + k * layout_figures, *m = most + row_figures + k * layout_figures;

    if (l[0] > m[0]) continue; /* no rank can hold its block so */
    PetscCall(PrintFigures(viewer, all[k].in_use ? "* " : "  ", all[k].name.c_str(), layout_names, first_if, l, m));
    if (m[first_line] > 0)
      PetscCall(PrintFigures(viewer, "    ", "by the index alone (figure 4):", layout_names + first_line, line_figures, l + first_line, m + first_line));
    if (what_if) PetscCall(PrintFigures(viewer, "    ", "what if:", layout_names + first_if, what_if_figures, l + first_if, m + first_if));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatViewLocality(Mat A, const DetailOf &of, PetscViewer viewer)
{
  std::array<Asked, nlayouts> all;
  double                      least[nfigures], most[nfigures];
  PetscBool                   what_if = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(((PetscObject)A)->options, ((PetscObject)A)->prefix, "-mat_locality_what_if", &what_if, NULL));
  const auto find = [&](const Csr &block, double *figure) {
    all = all_asked(block, of);
    figures_of(block, of, all, figure);
  };
  PetscCall(MatBlockFigures(of.pattern, nfigures, std::cref(find), least, most)); /* a copy would ask for memory */
  if (least[0] > most[0]) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Locality: the diagonal blocks have no entries\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  Locality of the diagonal blocks, least to most over the ranks; * in use, with its own settings; rectangle: the "
                                           "Fold of Tomimori 2012\n"));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  Models of Tanabe 2014 for platform %s: lines of %d bytes, %.4g kB of %s, %.4g GB/s; %s\n",
                                   of.machine.name.c_str(), of.machine.line, 1e-3 * of.machine.cache, of.machine.gpu ? "first cache" : "a core's own cache",
                                   1e-9 * of.machine.bandwidth, of.machine.source.c_str()));
  PetscCall(PrintAll(viewer, all, what_if, least, most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::choice
