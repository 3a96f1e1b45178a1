#include "detail_view.hpp"
#include "block_figures.hpp"
#include "petsc/compat.hpp"
#include "locality/models.hpp"
#include <algorithm>

namespace goza::choice
{

namespace
{

constexpr std::int64_t most_entries = 1 << 20; // of a block, for each format
constexpr int          row_figures = 8, layout_figures = 7;
constexpr int          nlayouts = sizeof(layouts) / sizeof(layouts[0]), nfigures = row_figures + nlayouts * layout_figures;

/* figure [nfigures] stays as it is where a rank has nothing to say. */
void figures_of(const Csr &block, const Platform &platform, PetscInt slice_height, double *figure)
{
  AnalysisOptions     options;
  const RowStatistics rows = row_statistics(block);

  if (!rows.nnz) return;
  options.shift        = line_shift(platform.line, sizeof(PetscScalar));
  options.slice_height = slice_height;
  options.most_entries = most_entries;
  for (double value :
       {double(rows.rows), double(rows.columns), double(rows.nnz), rows.mean, double(rows.longest), rows.variance, double(rows.bandwidth), double(rows.diagonals)})
    *figure++ = value;
  for (Layout layout : layouts) {
    const LayoutLocality found = analyse(block, layout, options);
    const Prediction     p     = predict(platform, found, rows.rows, rows.nnz, sizeof(PetscScalar), sizeof(PetscInt));

    if (found.present) {
      const double values[layout_figures] = {p.S, found.locality.plain.spatial(), found.locality.padded.temporal(), 100 * p.hit, p.bpf, p.gflops, p.gather};

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

} // namespace

PetscErrorCode MatViewLocality(Mat A, Space space, PetscViewer viewer)
{
  static const char *const row_names[row_figures]       = {"rows",   ", columns",  ", nonzeros",  ", in a row: mean",
                                                           ", most", ", variance", "; bandwidth", ", diagonals"};
  static const char *const layout_names[layout_figures] = {"spatial index", ", without padding",           "; temporal index", "; hits %", "; B/flop",
                                                           "; GF/s",        "; GF/s with gathering memory"};
  const Platform          *platform                     = find_platform(space == Space::Cuda ? "h200" : "host");
  const PetscInt           slice_height                 = space == Space::Cuda ? 32 : 4; // as -mat_slicedell_slice_height auto takes for long matrices
  double                   least[nfigures], most[nfigures];
  PetscBool                assembled;

  PetscFunctionBegin;
  PetscCall(MatAssembled(A, &assembled));
  if (!assembled) PetscFunctionReturn(PETSC_SUCCESS);
  const auto find = [&](const Csr &block, double *figure) { figures_of(block, *platform, slice_height, figure); };
  PetscCall(MatBlockFigures(A, nfigures, std::cref(find), least, most)); /* a copy would ask for memory */
  if (least[0] > most[0]) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Locality: the diagonal blocks have no entries\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  Locality of the diagonal blocks, least to most over the ranks; lines of %d bytes, %d-byte values; models of Tanabe 2014 for platform %s\n",
                                   platform->line, (int)sizeof(PetscScalar), platform->name));
  for (int k = 0; k < nfigures; k++) {
    const int layout = k < row_figures ? -1 : (k - row_figures) / layout_figures, at = k < row_figures ? k : (k - row_figures) % layout_figures;

    if (least[k] > most[k]) continue; /* no rank can hold its block so */
    if (at == 0) {
      if (layout < 0) PetscCall(PetscViewerASCIIPrintf(viewer, "    "));
      else PetscCall(PetscViewerASCIIPrintf(viewer, "    %-10s", layout_name(layouts[layout])));
    }
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
    PetscCall(PrintRange(viewer, layout < 0 ? row_names[at] : layout_names[at], least[k], most[k]));
    if (at == (layout < 0 ? row_figures : layout_figures) - 1) PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
    PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::choice
