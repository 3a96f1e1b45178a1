/* How long rows are cut, filled and multiplied. For .cu files. */
#pragma once
#include "core/sparse/row_length.hpp"
#include "core/util/search.hpp"
#include "host_lanes.hpp"
#include "long_rows.hpp"
#include "mat/common/row_pieces.hpp"

namespace goza::mat {

/* Where the entries of the pieces stand. */
struct LongSpans {
  PetscInt        n;
  const PetscInt *ptr, *piece_ptr; // [n + 1]

  HD PetscInt row_of(PetscInt p) const
  {
    return partition_point(1, n, [&](PetscInt next) { return piece_ptr[next] <= p; }) - 1;
  }
  HD PetscInt begin(PetscInt k, PetscInt p) const { return ptr[k] + (p - piece_ptr[k]) * piece_entries; }
  HD PetscInt end(PetscInt k, PetscInt p) const { return p + 1 < piece_ptr[k + 1] ? begin(k, p + 1) : ptr[k + 1]; }
};

HD inline void count_pieces(PetscInt k, const PetscInt *ptr, PetscInt *pieces) { pieces[k] = (ptr[k + 1] - ptr[k] - 1) / piece_entries + 1; }

template <class Store> struct FillPiece {
  LongSpans          spans;
  const PetscInt    *row, *aptr, *acol;
  const PetscScalar *aval;
  LocalColumn       *col; // or none
  Store             *val; // or none

  HD void operator()(PetscInt p, int lane, int lanes) const
  {
    const PetscInt k = spans.row_of(p), end = spans.end(k, p), from = aptr[row[k]] - spans.ptr[k];

    for (PetscInt e = spans.begin(k, p) + lane; e < end; e += lanes) {
      if (col) col[e] = static_cast<LocalColumn>(acol[from + e]);
      if (val) val[e] = static_cast<Store>(aval[from + e]);
    }
  }
};

template <class Store, class V> struct SumPiece {
  LongSpans          spans;
  const LocalColumn *col;
  const Store       *val;
  const V           *x;
  V                 *piece;

  HD void operator()(PetscInt p, int lane, int lanes) const
  {
    const PetscInt k = spans.row_of(p), end = spans.end(k, p);
    PetscInt       e   = spans.begin(k, p) + lane;
    V              sum = 0;

#if defined(__CUDA_ARCH__)
  #pragma unroll 4
#else
    if (lanes == 1) e = add_side_by_side(e, end, sum);
#endif
    for (; e < end; e += lanes) sum += static_cast<V>(stream_load(val + e)) * cached_load(x + stream_load(col + e));
    sum = sum_of_lanes(sum, lanes);
    if (lane == 0) piece[p] = sum;
  }

  /* A core: sums that do not wait for each other's additions. Returns the first entry that is left. */
  PetscInt add_side_by_side(PetscInt e, PetscInt end, V &sum) const
  {
    constexpr int           sums = 4; // of 8, more than the vectors of most processors hold, numbers are moved about in memory
    LanesOf<sums, Store, V> all, a, b;

    for (; e + sums <= end; e += sums) {
      load_lanes(val + e, a);
      b.set([&](int p) { return x[col[e + p]]; });
      all.add_product(a, b);
    }
    for (int p = 0; p < sums; p++) sum += all.of[p];
    return e;
  }
};

template <class Store, class V> LongSpans LongRows<Store, V>::spans() const { return {rows(), ptr_.data(), piece_ptr_.data()}; }

template <class Store, class V> void LongRows<Store, V>::lay_out(const Csr &A, Array<PetscInt> rows)
{
  const Space    space = A.space;
  const PetscInt n     = static_cast<PetscInt>(rows.size());

  row_       = std::move(rows);
  ptr_       = Array<PetscInt>(space, n + 1);
  piece_ptr_ = Array<PetscInt>(space, n + 1);
  for_each_row(space, n, RowLength<PetscInt>{A.ptr, row_.data(), ptr_.data()});
  const PetscInt nnz = lengths_to_pointer(space, ptr_);
  for_each_row(space, n, bound<count_pieces>(ptr_.data(), piece_ptr_.data()));
  piece_ = Array<V>(space, lengths_to_pointer(space, piece_ptr_));
  col_   = Array<LocalColumn>(space, nnz);
  fill(A, col_.data(), nullptr);
}

template <class Store, class V> void LongRows<Store, V>::lay_out_like(const LongRows &other)
{
  const Space space = row_.space();

  row_       = other.row_.copied(space);
  ptr_       = other.ptr_.copied(space);
  piece_ptr_ = other.piece_ptr_.copied(space);
  col_       = other.col_.copied(space);
  piece_     = Array<V>(space, other.piece_.size());
}

template <class Store, class V> void LongRows<Store, V>::fill(const Csr &A, LocalColumn *col, Store *val)
{
  if (!rows()) return;
  for_each_row_by_lanes(row_.space(), static_cast<PetscInt>(piece_.size()), FillPiece<Store>{spans(), row_.data(), A.ptr, A.col, A.val, col, val});
}

template <class Store, class V> template <class Out> void LongRows<Store, V>::apply(const V *x, const Out &out) const
{
  if (!rows()) return;
  for_each_row_by_lanes(row_.space(), static_cast<PetscInt>(piece_.size()), SumPiece<Store, V>{spans(), col_.data(), val_, x, piece_.data()});
  for_each_row_by_lanes(row_.space(), rows(), RowOfPieces<V, Out>{row_.data(), piece_ptr_.data(), piece_.data(), out});
}

} // namespace goza::mat
