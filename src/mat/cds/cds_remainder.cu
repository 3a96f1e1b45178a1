/* Entries of a CDS matrix that lie on none of its diagonals. */
#include "cds.hpp"
#include "cds_host_fill.hpp"
#include "cds_shape.hpp"
#include "core/util/algorithm.hpp"

namespace goza::mat {
namespace {

/* The remainder's row lengths, then its columns and values. count: [rows] */
template <class Store, int bs, bool half>
HD void remainder_count(PetscInt row, const CdsView<Store> &A, const PetscInt *ptr, const PetscInt *col, PetscInt *count)
{
  PetscInt     n = 0;
  OffsetCursor cursor;

  for (PetscInt j = ptr[row]; j < ptr[row + 1]; j++) {
    const PetscInt offset = col[j] / bs - row / bs;

    n += cursor.find(A, half && offset < 0 ? -offset : offset) < 0;
  }
  count[row] = n;
}

template <class Store, int bs, bool half> struct RemainderFill {
  CdsView<Store>     A;
  const PetscInt    *ptr, *col;
  const PetscScalar *aval;
  PetscScalar        factor;
  const PetscInt    *rem_ptr;
  PetscInt          *rem_col;
  PetscScalar       *rem_val;

  HD void operator()(PetscInt row) const
  {
    PetscInt     k = rem_ptr[row];
    OffsetCursor cursor;

    if (k == rem_ptr[row + 1]) return;
    for (PetscInt j = ptr[row]; j < ptr[row + 1]; j++) {
      const PetscInt offset = col[j] / bs - row / bs;

      if (cursor.find(A, half && offset < 0 ? -offset : offset) >= 0) continue;
      rem_col[k]   = col[j];
      rem_val[k++] = aval[j] * factor;
    }
  }
};

} // namespace

template <class Store, class V> Mirrored Cds<Store, V>::fill_on_host(const Csr &A)
{
  Mirrored found;

  if (inside_ < nnz_) {
    rem_val_ = Array<PetscScalar>(Space::Host, nnz_ - inside_ + 1, unset); // one more, which CdsHostFill writes behind them
    if (!rem_ptr_.size()) {
      rem_col_ = Array<PetscInt>(Space::Host, nnz_ - inside_ + 1, unset);
      rem_ptr_ = Array<PetscInt>(Space::Host, A.nrows + 1);
    }
  }
  const RestRows rest{rem_ptr_.data(), rem_col_.data(), rem_val_.data()};

  with_shape(bs_, half_, [&](auto bs, auto half) {
    found = CdsHostFill<Store, bs.value, half.value>{view(), factor_, val_.data(), mirror_tolerance<Store>(promised()), rest, runs_}(A);
  });
  return found;
}

/* On the device: the remainder's columns, where they are new, and values. */
template <class Store, class V> void Cds<Store, V>::take_remainder(const Csr &A, bool pattern)
{
  const Space space = this->space_;

  if (pattern) {
    rem_ptr_ = Array<PetscInt>(space, A.nrows + 1);
    with_shape(bs_, half_, [&](auto bs, auto half) {
      for_each_row(space, A.nrows, bound<remainder_count<Store, bs.value, half.value>>(view(), A.ptr, A.col, rem_ptr_.data()));
    });
    scan_lengths(space, rem_ptr_.data(), rem_ptr_); // no more entries than the matrix has
    rem_col_ = Array<PetscInt>(space, nnz_ - inside_);
  }
  rem_val_ = Array<PetscScalar>(space, nnz_ - inside_);
  with_shape(bs_, half_, [&](auto bs, auto half) {
    for_each_row(space, A.nrows,
                 RemainderFill<Store, bs.value, half.value>{view(), A.ptr, A.col, A.val, factor_, rem_ptr_.data(), rem_col_.data(), rem_val_.data()});
  });
}

template <class Store, class V> void Cds<Store, V>::split_remainder(const Csr &A, bool pattern)
{
  if (this->space_ == Space::Cuda) take_remainder(A, pattern);
  const Csr rest{this->space_, A.nrows, A.ncols, rem_ptr_.data(), rem_col_.data(), rem_val_.data()};

  if (pattern) remainder_.build(rest);
  else remainder_.refill(rest);
  rem_val_ = Array<PetscScalar>(this->space_);
}

#define INSTANTIATE_REMAINDER(Class, Store, V) \
  template void     Class<Store, V>::split_remainder(const Csr &, bool); \
  template Mirrored Class<Store, V>::fill_on_host(const Csr &);
FOR_EACH_STORE(INSTANTIATE_REMAINDER, Cds)

} // namespace goza::mat
