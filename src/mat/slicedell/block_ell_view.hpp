/* Sliced ELL of dense bs x bs blocks: places, slices, lengths and columns of sliced_ell_view.hpp count block rows and block columns, one index for bs^2
   values, and entry (r, c) of block k of place p stands at (slice_ptr[p / H] + k H) bs^2 + (r bs + c) H + p % H: a warp still reads consecutive words. */
#pragma once
#include "sliced_ell_view.hpp"

namespace goza
{

/* Outputs that want the sums of a node together have `HD void node(PetscInt i, const V *sum) const`; others get them one after another. */
template <class Out, class V, class = void> constexpr bool takes_nodes = false;
template <class Out, class V>
constexpr bool takes_nodes<Out, V, std::void_t<decltype(std::declval<const Out &>().node(PetscInt(0), static_cast<const V *>(nullptr)))>> = true;

template <int bs, class Out, class V> HD inline void put_node(const Out &out, PetscInt i, const V *sum)
{
  if constexpr (takes_nodes<Out, V>) out.node(i, sum);
  else {
    for (int r = 0; r < bs; r++) out(i * bs + r, sum[r]);
  }
}

/* One block row. */
template <class Store, class V, class Out, int bs> struct EllBlockRow {
  EllView<Store> A;
  const V       *x;
  Out            out;

  HD void operator()(PetscInt place) const
  {
    const PetscInt     slice = place >> A.shift, H = PetscInt(1) << A.shift, offset = place & (H - 1);
    const std::int64_t begin = A.slice_ptr[slice], at = A.col_ptr[slice];
    const PetscInt     n       = A.length ? A.length[place] : static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) >> A.shift);
    const Store       *val     = A.val + (begin * (bs * bs) + offset);
    V                  sum[bs] = {};

    if (at < 0) {
      const std::uint16_t *gap = A.gap + (~at + offset);
      PetscInt             col = A.first[place];

#if defined(__CUDA_ARCH__)
  #pragma unroll 2
#endif
      for (PetscInt k = 0; k < n; k++, gap += H, val += bs * bs * H) {
        col += stream_load(gap);
        add_block<bs>(val, H, x + col * bs, sum);
      }
    } else {
      const PetscInt *col = A.col + (at + offset);

#if defined(__CUDA_ARCH__)
  #pragma unroll 2
#endif
      for (PetscInt k = 0; k < n; k++, col += H, val += bs * bs * H) add_block<bs>(val, H, x + stream_load(col) * bs, sum);
    }
    put_node<bs>(out, A.row ? A.row[place] : place, sum);
  }

  template <int n> HD static void add_block(const Store *val, PetscInt H, const V *x, V *sum)
  {
    V xs[n];

    for (int c = 0; c < n; c++) xs[c] = cached_load(x + c);
    for (int r = 0; r < n; r++) {
      for (int c = 0; c < n; c++) sum[r] += static_cast<V>(stream_load(val + (r * n + c) * H)) * xs[c];
    }
  }
};

/* The same on the host for a slice of H places, of which no one has a length of its own. */
template <int H, class Store, class V, class Out, int bs> struct EllBlockHostSlice {
  EllView<Store> A;
  const V       *x;
  Out            out;

  void operator()(PetscInt slice) const
  {
    const std::int64_t begin = A.slice_ptr[slice], at = A.col_ptr[slice];
    const PetscInt     n = static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) / H), place = slice * H;
    const Store       *val        = A.val + begin * (bs * bs);
    PetscInt           col[H]     = {};
    V                  sum[bs][H] = {};

    for (int p = 0; p < H && at < 0; p++) col[p] = A.first[place + p];
    for (PetscInt k = 0; k < n; k++, val += bs * bs * H) {
      for (int p = 0; p < H; p++) col[p] = at < 0 ? col[p] + A.gap[~at + k * H + p] : A.col[at + k * H + p];
      for (int c = 0; c < bs; c++) {
        V xs[H];

        for (int p = 0; p < H; p++) xs[p] = x[col[p] * bs + c];
        for (int r = 0; r < bs; r++) {
          for (int p = 0; p < H; p++) sum[r][p] += static_cast<V>(val[(r * bs + c) * H + p]) * xs[p];
        }
      }
    }
    for (int p = 0; p < H; p++) {
      V of_node[bs];

      for (int r = 0; r < bs; r++) of_node[r] = sum[r][p];
      put_node<bs>(out, A.row ? A.row[place + p] : place + p, of_node);
    }
  }
};

#if defined(__CUDACC__)
/* The same with a warp a slice, H < 32: 32/H threads share a block row. */
template <class Store, class V, class Out, int bs> struct EllBlockSlice {
  EllView<Store> A;
  const V       *x;
  Out            out;

  __device__ void operator()(PetscInt slice, int lane) const
  {
    const int          H = 1 << A.shift, offset = lane & (H - 1);
    const PetscInt     place = (slice << A.shift) + offset;
    const std::int64_t begin = A.slice_ptr[slice], at = A.col_ptr[slice];
    const PetscInt     least   = at < 0 ? A.first[slice] : 0;
    PetscInt           n       = static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) >> A.shift);
    V                  sum[bs] = {};

    if (A.length) n = place < A.nplaces ? A.length[place] : 0;
    for (PetscInt k = lane >> A.shift; k < n; k += 32 >> A.shift) {
      const std::int64_t e = static_cast<std::int64_t>(k) * H;
      const PetscInt     j = at < 0 ? least + A.gap[~at + e + offset] : stream_load(A.col + (at + e + offset));

      EllBlockRow<Store, V, Out, bs>::template add_block<bs>(A.val + ((begin + e) * (bs * bs) + offset), H, x + j * bs, sum);
    }
    for (int r = 0; r < bs; r++) sum[r] = sum_lanes(sum[r], H);
    if (lane < H && place < A.nplaces) put_node<bs>(out, A.row ? A.row[place] : place, sum);
  }
};
#endif

} // namespace goza
