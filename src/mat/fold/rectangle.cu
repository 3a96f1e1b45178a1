#include "rectangle.hpp"
#include "core/sparse/csr_matrix.hpp"
#include "core/util/algorithm.hpp"
#include "core/util/search.hpp"
#include "mat/common/row_pieces.hpp"
#include <cstdio>

namespace goza::mat {
namespace {

HD void count_lines(PetscInt row, const PetscInt *ptr, PetscInt width, PetscInt *lines) { lines[row] = (ptr[row + 1] - ptr[row] + width - 1) / width; }

/* Which of its row's lines each one is. */
HD void number_lines(PetscInt row, const PetscInt *line_ptr, PetscInt *fold)
{
  for (PetscInt p = line_ptr[row]; p < line_ptr[row + 1]; p++) fold[p] = p - line_ptr[row];
}

/* col: nullptr: they stay */
template <class Store>
HD void fill_rectangle_line(PetscInt line, const RectangleView<Store> &to, PetscInt nrows, const PetscInt *line_ptr, const Csr &A, LocalColumn *col, Store *val)
{
  const PetscInt place = to.at[line], row = partition_point(0, nrows, [&](PetscInt i) { return line_ptr[i + 1] <= place; });
  const PetscInt begin = A.ptr[row] + (place - line_ptr[row]) * to.width, left = A.ptr[row + 1] - begin;

  for (PetscInt k = 0; k < to.width; k++) {
    const std::int64_t here = static_cast<std::int64_t>(k) * to.nlines + line;

    val[here] = k < left ? static_cast<Store>(A.val[begin + k]) : Store(0);
    if (col) col[here] = k < left ? static_cast<LocalColumn>(A.col[begin + k]) : -1;
  }
}

template <class Store, class V> HD void sum_rectangle_line(PetscInt line, const RectangleView<Store> &A, const V *x, V *sums)
{
  V sum = 0;

  for (PetscInt k = 0; k < A.width; k++) {
    const std::int64_t here = static_cast<std::int64_t>(k) * A.nlines + line;
    const LocalColumn  c    = stream_load(A.col + here);
    const V            read = cached_load(x + (c < 0 ? 0 : c)), term = static_cast<V>(stream_load(A.val + here)) * read;

    if (c >= 0) sum += term; // a NaN in x[0] stays with the rows that hold column 0
  }
  sums[A.at[line]] = sum;
}

} // namespace

PetscInt rectangle_width_for(const Csr &A)
{
  const double mean = A.nrows ? static_cast<double>(entries(A)) / static_cast<double>(A.nrows) : 1;

  return static_cast<PetscInt>(std::max(1.0, std::round(mean)));
}

template <class Store, class V> void FoldRectangle<Store, V>::build(const Csr &A)
{
  this->nrows_ = A.nrows;
  this->ncols_ = A.ncols;
  nnz_         = entries(A);
  width_       = options_.width ? options_.width : rectangle_width_for(A);
  check_local_columns(A.ncols);
  line_ptr_ = Array<PetscInt>(this->space_, A.nrows + 1);
  for_each_row(this->space_, A.nrows, bound<count_lines>(A.ptr, width_, line_ptr_.data()));
  const PetscInt  nlines = lengths_to_pointer(this->space_, line_ptr_);
  Array<PetscInt> fold(this->space_, nlines);

  for_each_row(this->space_, A.nrows, bound<number_lines>(line_ptr_.data(), fold.data()));
  at_   = order_by(this->space_, fold.data(), nlines);
  col_  = Array<LocalColumn>(this->space_, static_cast<std::size_t>(nlines) * width_);
  val_  = Array<Store>(this->space_, col_.size());
  sums_ = Array<V>(this->space_, nlines);
  fill(A, true);
}

template <class Store, class V> void FoldRectangle<Store, V>::refill(const Csr &A) { fill(A, false); }

template <class Store, class V> void FoldRectangle<Store, V>::fill(const Csr &A, bool columns)
{
  for_each_row(this->space_, view().nlines,
               bound<fill_rectangle_line<Store>>(view(), A.nrows, line_ptr_.data(), A, columns ? col_.data() : nullptr, val_.data()));
}

template <class Store, class V> void FoldRectangle<Store, V>::apply(const V *x, const RowOut<V> &out) const { apply_as(x, ScaledOut<V>(out)); }

template <class Store, class V> void FoldRectangle<Store, V>::apply_as(const V *x, const ScaledOut<V> &out) const
{
  for_each_row(this->space_, view().nlines, bound<sum_rectangle_line<Store, V>>(view(), x, sums_.data()));
  for_each_row_by_lanes(this->space_, this->nrows_, RowOfPieces<V, ScaledOut<V>>{nullptr, line_ptr_.data(), sums_.data(), out});
}

template <class Store, class V> std::string FoldRectangle<Store, V>::describe() const
{
  char text[256];

  std::snprintf(text, sizeof(text), "paper P3's rectangle, width %d%s: %lld lines, %.0f %% of the places padded, %zu-byte values", static_cast<int>(width_),
                options_.width ? "" : " (auto: the mean row)", static_cast<long long>(at_.size()),
                val_.size() ? 100 - 100.0 * static_cast<double>(nnz_) / static_cast<double>(val_.size()) : 0.0, sizeof(Store));
  return text;
}

template class FoldRectangle<PetscScalar, PetscScalar>;
template class FoldRectangle<HalfScalar, PetscScalar>;
#if !PetscDefined(USE_REAL_SINGLE)
template class FoldRectangle<SingleScalar, PetscScalar>;
#endif

} // namespace goza::mat
