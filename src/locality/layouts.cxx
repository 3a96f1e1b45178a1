/* Locality of the formats: a window of rows is laid out by the format's own code on the host, with zeros for values, and its view tells the order.
   Windows are whole blocks of sort_window rows, at whose ends slices and Fold's chunks end too, so that what stands in a window is what stands
   in the matrix; only "does sorting save 5 %" is decided for each window. */
#include "locality.hpp"
#include "mat/cds/diagonals.hpp"
#include "mat/fold/rectangle.hpp"
#include "mat/slicedell/slicedell.hpp"
#include "locality/order/cds_order.hpp"
#include "locality/order/csr_order.hpp"
#include "locality/order/fold_order.hpp"
#include "locality/order/rectangle_order.hpp"
#include "locality/order/sliced_ell_order.hpp"
#include <algorithm>
#include <cmath>

namespace goza::locality {
namespace {

constexpr PetscInt     block_rows    = sort_window;
constexpr std::int64_t least_windows = 4;

static_assert(block_rows % fold_chunk == 0);

struct Window {
  PetscInt begin, end;
};

/* Blocks in the middle of equal parts of the matrix. Blocks of bs * block_rows rows, so that no node is cut. */
std::vector<Window> windows_of(const Csr &A, const AnalysisOptions &options)
{
  const std::int64_t rows = static_cast<std::int64_t>(block_rows) * options.bs * options.block, nblocks = (A.nrows + rows - 1) / rows,
                     nnz = A.nrows ? A.ptr[A.nrows] - A.ptr[0] : 0;
  std::vector<Window> windows;

  if (options.most_entries <= 0 || nnz <= options.most_entries || nblocks < 2 * least_windows) return {{0, A.nrows}};
  const std::int64_t n = std::max<std::int64_t>(least_windows,
                                                std::min(nblocks - 1, static_cast<std::int64_t>(static_cast<double>(options.most_entries) *
                                                                                                static_cast<double>(nblocks) / static_cast<double>(nnz))));

  for (std::int64_t w = 0; w < n; w++) {
    const std::int64_t block = (2 * w + 1) * nblocks / (2 * n);

    windows.push_back({static_cast<PetscInt>(block * rows), static_cast<PetscInt>(std::min<std::int64_t>((block + 1) * rows, A.nrows))});
  }
  return windows;
}

/* Rows of a pattern, with zeros for values. */
struct Part {
  PetscInt                 ncols;
  std::vector<PetscInt>    ptr{0}, col;
  std::vector<PetscScalar> zero;

  Csr csr()
  {
    zero.assign(col.size(), 0);
    return {Space::Host, static_cast<PetscInt>(ptr.size()) - 1, ncols, ptr.data(), col.data(), zero.data(), static_cast<PetscInt>(col.size())};
  }
};

template <class Keep> Part part_of(const Csr &A, const Window &window, const Keep &keep)
{
  Part part{A.ncols, {0}, {}, {}};

  part.ptr.reserve(window.end - window.begin + 1);
  for (PetscInt i = window.begin; i < window.end; i++) {
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++)
      if (keep(i, A.col[k])) part.col.push_back(A.col[k]);
    part.ptr.push_back(static_cast<PetscInt>(part.col.size()));
  }
  return part;
}

Part part_of(const Csr &A, const Window &window)
{
  return part_of(A, window, [](PetscInt, PetscInt) { return true; });
}

/* The same of blocks, where a node's rows consist of full ones. */
Part blocks_of(const Csr &A, const Window &window, PetscInt bs)
{
  Part part{A.ncols / bs, {0}, {}, {}};

  for (PetscInt i = window.begin; i < window.end; i += bs) {
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k += bs) part.col.push_back(A.col[k] / bs);
    part.ptr.push_back(static_cast<PetscInt>(part.col.size()));
  }
  return part;
}

using Ell = SlicedEll<PetscScalar, PetscScalar>;

Ell sliced(Part &part, PetscInt height, bool drop_empty)
{
  SlicedEllOptions options;

  options.slice_height = height;
  options.drop_empty   = drop_empty;
  Ell ell(Space::Host, options);
  ell.build(part.csr());
  return ell;
}

template <class Count> void count_long_rows(const Ell &ell, const Count &count)
{
  for (std::int64_t k = 0; k < ell.long_rows().entries(); k++) count(ell.long_rows().columns()[k], false);
}

/* What one matrix needs beside its windows. */
struct Plan {
  PetscInt             width = 0;
  CdsView<PetscScalar> cds{};
  bool                 half = false;
};

/* false: the matrix cannot be held so. */
bool plan_for(const Csr &A, Layout layout, const AnalysisOptions &options, Plan &plan)
{
  if (layout == Layout::Fold) plan.width = options.fold_width ? options.fold_width : fold_width_for(A);
  if (layout == Layout::Rectangle) plan.width = options.fold_width ? options.fold_width : rectangle_width_for(A);
  if (layout != Layout::CdsFull && layout != Layout::CdsHalf) return true;
  if (!A.nrows || A.nrows % options.bs || A.ncols % options.bs) return false;
  const std::vector<PetscInt> offset = options.diagonals ? *options.diagonals : find_diagonals(A, options.bs, diagonal_share).offset;

  if (offset.empty()) return false;
  plan.half      = layout == Layout::CdsHalf;
  plan.cds.nrows = A.nrows / options.bs;
  plan.cds.ncols = A.ncols / options.bs;
  for (PetscInt o : offset) {
    if (plan.half && !std::binary_search(offset.begin(), offset.end(), -o)) return false;
    if (!plan.half || o >= 0) plan.cds.offset[plan.cds.ndiag++] = o;
  }
  return !plan.half || A.nrows == A.ncols;
}

/* One window of diagonals, and what they leave; unindexed: reads of the diagonals. */
template <class Count>
std::int64_t visit_cds(const Csr &A, const AnalysisOptions &options, const Plan &plan, const Window &window, const Count &count, std::int64_t &unindexed)
{
  const CdsOrder order{plan.cds, options.bs, plan.half, A.ptr, A.col, window.begin / options.bs, window.end / options.bs};

  order([&](PetscInt col, bool padding) {
    unindexed++;
    count(col, padding);
  });
  Part               rest   = part_of(A, window, [&](PetscInt i, PetscInt j) { return order.place_of(j / options.bs - i / options.bs) < 0; });
  const std::int64_t places = static_cast<std::int64_t>(plan.cds.ndiag) * options.bs * (window.end - window.begin);
  if (rest.col.empty()) return places;
  const Ell ell = sliced(rest, options.slice_height, true);

  SlicedEllOrder<PetscScalar>{ell.view(), rest.ptr.data()}(count); // a kernel of its own, after the diagonals
  count_long_rows(ell, count);
  return places + ell.stored();
}

/* One window of one format, into the counter. Returns the places that its entries take in memory. */
std::int64_t visit(const Csr &A, Layout layout, const AnalysisOptions &options, const Plan &plan, const Window &window, LocalityCounter &counter,
                   std::int64_t &unindexed)
{
  const auto count = [&](PetscInt col, bool padding) { counter(col, padding); };

  if (layout == Layout::Csr) {
    CsrOrder{window.end - window.begin, A.ptr + window.begin, A.col}(count);
    return A.nrows ? A.ptr[window.end] - A.ptr[window.begin] : 0;
  }
  if (layout == Layout::SlicedEll) {
    const PetscInt bs   = options.block;
    Part           part = bs > 1 ? blocks_of(A, window, bs) : part_of(A, window);
    const Ell      ell  = sliced(part, options.slice_height, false);

    SlicedEllOrder<PetscScalar>{ell.view(), part.ptr.data(), bs}(count);
    for (PetscInt c = 0; c < bs; c++) count_long_rows(ell, [&](PetscInt col, bool padding) { count(col * bs + c, padding); });
    return ell.stored() * bs * bs;
  }
  if (layout == Layout::Fold) {
    Part        part = part_of(A, window);
    FoldOptions fold_options;
    fold_options.width = plan.width;
    Fold<PetscScalar, PetscScalar> fold(Space::Host, fold_options);

    fold.build(part.csr());
    FoldOrder<PetscScalar>{fold.view()}(count);
    return fold.shape().steps * fold_lanes;
  }
  if (layout == Layout::Rectangle) {
    const Part           part = part_of(A, window);
    const RectangleOrder order{static_cast<PetscInt>(part.ptr.size()) - 1, part.ptr.data(), part.col.data(), plan.width};

    order(count);
    return order.places();
  }
  return visit_cds(A, options, plan, window, count, unindexed);
}

/* Standard error of the ratio sum(a) / sum(b) of n of N windows, from the residuals a - ratio b. */
double ratio_error(const std::vector<double> &a, const std::vector<double> &b, double share)
{
  const double n     = static_cast<double>(a.size());
  double       sum_a = 0, sum_b = 0, squares = 0;

  for (std::size_t w = 0; w < a.size(); w++) {
    sum_a += a[w];
    sum_b += b[w];
  }
  if (a.size() < 2 || sum_b == 0) return 0;
  for (std::size_t w = 0; w < a.size(); w++) squares += (a[w] - sum_a / sum_b * b[w]) * (a[w] - sum_a / sum_b * b[w]);
  return std::sqrt(std::max(0.0, 1 - share) * squares / (n - 1) * n) / sum_b;
}

} // namespace

const char *layout_name(Layout layout)
{
  switch (layout) {
  case Layout::Csr:
    return "csr";
  case Layout::SlicedEll:
    return "slicedell";
  case Layout::Fold:
    return "fold";
  case Layout::Rectangle:
    return "rectangle";
  case Layout::CdsFull:
    return "cds full";
  default:
    return "cds half";
  }
}

LayoutLocality analyse(const Csr &A, Layout layout, const AnalysisOptions &options)
{
  LayoutLocality      result;
  Plan                plan;
  std::vector<double> reads, runs, sums, reused;
  std::int64_t        rows = 0;

  result.layout = layout;
  if (!plan_for(A, layout, options, plan)) return result;
  result.present                    = true;
  const std::vector<Window> windows = windows_of(A, options);
  Locality                 &total   = result.locality;

  for (const Window &window : windows) {
    LocalityCounter counter(A.ncols, options.shift);

    result.stored += visit(A, layout, options, plan, window, counter, result.unindexed);
    result.nnz += A.nrows ? A.ptr[window.end] - A.ptr[window.begin] : 0;
    rows += window.end - window.begin;
    const Locality one = counter.result();

    total.padded.add(one.padded);
    total.plain.add(one.plain);
    total.columns += one.columns;
    total.lines += one.lines;
    reads.push_back(static_cast<double>(one.padded.reads));
    runs.push_back(static_cast<double>(one.padded.runs));
    sums.push_back(one.padded.interval_sum);
    reused.push_back(static_cast<double>(one.padded.reused));
  }
  total.windows        = static_cast<int>(windows.size());
  total.share          = A.nrows ? static_cast<double>(rows) / static_cast<double>(A.nrows) : 1;
  total.spatial_error  = ratio_error(reads, runs, total.share);
  total.temporal_error = ratio_error(sums, reused, total.share);
  return result;
}

} // namespace goza::locality
