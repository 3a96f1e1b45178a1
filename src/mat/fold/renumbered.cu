#include "renumbered.hpp"
#include "core/algorithm.hpp"
#include "core/csr_matrix.hpp"
#include "core/for_each_row.hpp"
#include "core/numbering.hpp"
#include "mat/common/gather.hpp"
#include <cstdio>

namespace goza
{

namespace
{

struct Length {
  const PetscInt *ptr, *from;
  PetscInt       *length;

  HD void operator()(PetscInt k) const { length[k] = ptr[from[k] + 1] - ptr[from[k]]; }
};

/* A row in its new place, its entries in the order that they had: then a refill needs no map. */
struct MoveRow {
  Csr             A;
  const PetscInt *from, *number, *ptr;
  PetscInt       *col; // none: columns are not asked for
  PetscScalar    *val;

  HD void operator()(PetscInt k) const
  {
    const PetscInt begin = A.ptr[from[k]], end = A.ptr[from[k] + 1];

    for (PetscInt j = begin; j < end; j++) {
      val[ptr[k] + (j - begin)] = A.val[j];
      if (col) col[ptr[k] + (j - begin)] = number[A.col[j]];
    }
  }
};

struct RenameColumns {
  const PetscInt *ptr, *col, *number;
  PetscInt       *to;

  HD void operator()(PetscInt row) const
  {
    for (PetscInt j = ptr[row]; j < ptr[row + 1]; j++) to[j] = number[col[j]];
  }
};

template <class V, class Out> struct PutBack {
  const PetscInt *number;
  const V        *y;
  Out             out;

  HD void operator()(PetscInt row) const { out(row, y[number[row]]); }
};

/* An H200: what an L1 cache holds of x, and the least rows whose x it does not hold several times over. */
constexpr PetscInt reach = 16384, least_rows = 8 * reach;
/* So much more has to be near, or so much of all to be in hubs, for the gathering to pay. */
constexpr double gain = 0.3, hub_share = 0.3;

} // namespace

template <class V> void Renumbered<V>::choose(const Csr &A, PetscInt nnz)
{
  const bool automatic = wanted_ == FoldOrder::Auto, square = A.nrows == A.ncols;

  order_  = FoldOrder::Natural;
  from_   = Array<PetscInt>(this->space_);
  number_ = Array<PetscInt>(this->space_);
  if (wanted_ == FoldOrder::BreadthFirst && !square) throw FormatRefusal("-mat_fold_order breadth_first needs a square matrix, and square diagonal blocks");
  if (automatic && (this->space_ == Space::Host || A.ncols < least_rows)) return;
  before_ = near_share(A, nnz, reach);
  if (square && (wanted_ == FoldOrder::BreadthFirst || (automatic && before_ < 1 - gain))) {
    from_   = breadth_first_order(A);
    number_ = inverse_of(from_);
    after_  = near_share(A, nnz, reach, number_.data());
    if (!automatic || after_ >= before_ + gain) {
      order_ = FoldOrder::BreadthFirst;
      return;
    }
  }
  if (wanted_ == FoldOrder::Hubs || (automatic && before_ < 1 - gain)) {
    from_   = hubs_first_order(A, reach, &after_);
    number_ = inverse_of(from_);
    if (!automatic || after_ >= hub_share) order_ = FoldOrder::Hubs;
  }
}

/* call() gets the matrix in the new order; its arrays live until it returns. */
template <class V> template <class Call> void Renumbered<V>::with_numbered(const Csr &A, bool columns, const Call &call) const
{
  const PetscInt     nnz = entries(A);
  Array<PetscInt>    col(this->space_, columns ? nnz : 0);
  Array<PetscScalar> val(this->space_);
  Csr                B{this->space_, A.nrows, A.ncols, A.ptr, columns ? col.data() : nullptr, A.val, nnz};

  if (order_ == FoldOrder::Hubs) {
    if (columns) for_each_row(this->space_, A.nrows, RenameColumns{A.ptr, A.col, number_.data(), col.data()});
  } else {
    val   = Array<PetscScalar>(this->space_, nnz);
    B.ptr = ptr_.data();
    B.val = val.data();
    for_each_row(this->space_, A.nrows, MoveRow{A, from_.data(), number_.data(), ptr_.data(), columns ? col.data() : nullptr, val.data()});
  }
  call(B);
}

template <class V> void Renumbered<V>::build(const Csr &A)
{
  this->nrows_ = A.nrows;
  this->ncols_ = A.ncols;
  ptr_         = Array<PetscInt>(this->space_);
  choose(A, entries(A));
  if (order_ == FoldOrder::Natural) {
    from_   = Array<PetscInt>(this->space_);
    number_ = Array<PetscInt>(this->space_);
    inner_->build(A);
    return;
  }
  if (order_ == FoldOrder::BreadthFirst) {
    ptr_ = Array<PetscInt>(this->space_, A.nrows + 1);
    for_each_row(this->space_, A.nrows, Length{A.ptr, from_.data(), ptr_.data()});
    lengths_to_pointer(this->space_, ptr_);
    y_ = Array<V>(this->space_, A.nrows);
  }
  x_ = Array<V>(this->space_, A.ncols);
  with_numbered(A, true, [this](const Csr &B) { inner_->build(B); });
}

template <class V> void Renumbered<V>::refill(const Csr &A)
{
  if (order_ == FoldOrder::Natural) inner_->refill(A);
  else with_numbered(A, inner_->refill_reads_columns(), [this](const Csr &B) { inner_->refill(B); });
}

template <class V> void Renumbered<V>::apply(const V *x, const RowOut<V> &out) const
{
  if (order_ == FoldOrder::Natural) {
    inner_->apply(x, out);
    return;
  }
  gather(this->space_, this->ncols_, from_.data(), x, x_.data());
  if (order_ == FoldOrder::Hubs) {
    inner_->apply(x_.data(), out);
    return;
  }
  inner_->apply(x_.data(), Assign<V>{y_.data()});
  std::visit([&](const auto &o) { for_each_row(this->space_, this->nrows_, PutBack<V, std::decay_t<decltype(o)>>{number_.data(), y_.data(), o}); }, out);
}

template <class V> void Renumbered<V>::apply_dot(const V *x, const V *w, V *y, V *dot) const
{
  if (order_ == FoldOrder::Natural) inner_->apply_dot(x, w, y, dot);
  else Format<V>::apply_dot(x, w, y, dot);
}

template <class V> std::size_t Renumbered<V>::bytes() const
{
  return inner_->bytes() + from_.bytes() + number_.bytes() + ptr_.bytes() + x_.bytes() + y_.bytes();
}

template <class V> std::string Renumbered<V>::describe() const
{
  char text[160] = "";

  if (order_ == FoldOrder::BreadthFirst)
    std::snprintf(text, sizeof(text), ", numbered anew breadth first: %.0f %% of the entries near their row instead of %.0f %%", 100 * after_, 100 * before_);
  if (order_ == FoldOrder::Hubs)
    std::snprintf(text, sizeof(text), ", columns with most entries first: %.0f %% of the entries are in %d of them", 100 * after_, static_cast<int>(reach));
  return inner_->describe() + text;
}

template class Renumbered<PetscScalar>;
#if !PetscDefined(USE_REAL_SINGLE)
template class Renumbered<float>;
#endif

} // namespace goza
