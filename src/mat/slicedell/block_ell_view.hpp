/* Sliced ELL of dense br x bc blocks: places, slices, lengths and columns of sliced_ell_view.hpp count block rows and block columns, one index for br bc values,
   and entry (r, c) of block k of place p stands at (slice_ptr[p / H] + k H) br bc + (r bc + c) H + p % H: a warp still reads consecutive words.

   Where T threads share a block row (H < 32 on the device, T = 32 / H), T blocks of each place stand together as one block does otherwise, entry by entry, and so
   do the m < T blocks that are left at a slice's end: with f = k - k % T, at (slice_ptr[p / H] + f H) br bc + (r bc + c) m H + (k - f) H + p % H. */
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

/* Where the values of a slice's block k begin, for place 0 of the slice, and the step from one of them to the next. team: a power of two. */
struct BlockPlace {
  std::int64_t at;
  PetscInt     step;

  HD BlockPlace(std::int64_t begin, PetscInt width, PetscInt k, PetscInt H, PetscInt team, PetscInt values)
  {
    const PetscInt first = k & ~(team - 1), together = width - first < team ? width - first : team;

    at   = (begin + static_cast<std::int64_t>(first) * H) * values + static_cast<std::int64_t>(k - first) * H;
    step = together * H;
  }
};

/* One block row that no threads share. */
template <class Store, class V, class Out, int br, int bc> struct EllBlockRow {
  EllView<Store> A;
  const V       *x;
  Out            out;

  HD void operator()(PetscInt place) const
  {
    const PetscInt     slice = place >> A.shift, H = PetscInt(1) << A.shift, offset = place & (H - 1);
    const std::int64_t begin = A.slice_ptr[slice], at = A.col_ptr[slice];
    const PetscInt     n       = A.length ? A.length[place] : static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) >> A.shift);
    const Store       *val     = A.val + (begin * (br * bc) + offset);
    V                  sum[br] = {};

    if (at < 0) {
      const std::uint16_t *gap = A.gap + (~at + offset);
      PetscInt             col = A.first[place];

#if defined(__CUDA_ARCH__)
  #pragma unroll 2
#endif
      for (PetscInt k = 0; k < n; k++, gap += H, val += br * bc * H) {
        col += stream_load(gap);
        add_block(val, H, x + col * bc, sum);
      }
    } else {
      const PetscInt *col = A.col + (at + offset);

#if defined(__CUDA_ARCH__)
  #pragma unroll 2
#endif
      for (PetscInt k = 0; k < n; k++, col += H, val += br * bc * H) add_block(val, H, x + stream_load(col) * bc, sum);
    }
    put_node<br>(out, A.row ? A.row[place] : place, sum);
  }

  HD static void add_block(const Store *val, PetscInt step, const V *x, V *sum)
  {
    V xs[bc];

    for (int c = 0; c < bc; c++) xs[c] = cached_load(x + c);
    for (int r = 0; r < br; r++) {
      for (int c = 0; c < bc; c++) sum[r] += static_cast<V>(stream_load(val + (r * bc + c) * step)) * xs[c];
    }
  }
};

/* The same on the host for a slice of H places, of which no one has a length of its own. */
template <int H, class Store, class V, class Out, int br, int bc> struct EllBlockHostSlice {
  EllView<Store> A;
  const V       *x;
  Out            out;

  void operator()(PetscInt slice) const
  {
    const std::int64_t begin = A.slice_ptr[slice], at = A.col_ptr[slice];
    const PetscInt     n = static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) / H), place = slice * H;
    const Store       *val        = A.val + begin * (br * bc);
    PetscInt           col[H]     = {};
    V                  sum[br][H] = {};

    for (int p = 0; p < H && at < 0; p++) col[p] = A.first[place + p];
    for (PetscInt k = 0; k < n; k++, val += br * bc * H) {
      for (int p = 0; p < H; p++) col[p] = at < 0 ? col[p] + A.gap[~at + k * H + p] : A.col[at + k * H + p];
      for (int c = 0; c < bc; c++) {
        V xs[H];

        for (int p = 0; p < H; p++) xs[p] = x[col[p] * bc + c];
        for (int r = 0; r < br; r++) {
          for (int p = 0; p < H; p++) sum[r][p] += static_cast<V>(val[(r * bc + c) * H + p]) * xs[p];
        }
      }
    }
    for (int p = 0; p < H; p++) {
      V of_node[br];

      for (int r = 0; r < br; r++) of_node[r] = sum[r][p];
      put_node<br>(out, A.row ? A.row[place + p] : place + p, of_node);
    }
  }
};

#if defined(__CUDACC__)
/* The same with a warp a slice, H < 32: 32/H threads share a block row. */
template <class Store, class V, class Out, int br, int bc> struct EllBlockSlice {
  EllView<Store> A;
  const V       *x;
  Out            out;

  __device__ void operator()(PetscInt slice, int lane) const
  {
    const int          H = 1 << A.shift, offset = lane & (H - 1);
    const PetscInt     place = (slice << A.shift) + offset;
    const std::int64_t begin = A.slice_ptr[slice], at = A.col_ptr[slice];
    const PetscInt     least = at < 0 ? A.first[slice] : 0, width = static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) >> A.shift);
    PetscInt           n       = width;
    V                  sum[br] = {};

    if (A.length) n = place < A.nplaces ? A.length[place] : 0;
    for (PetscInt k = lane >> A.shift; k < n; k += 32 >> A.shift) {
      const std::int64_t e = static_cast<std::int64_t>(k) * H;
      const PetscInt     j = at < 0 ? least + A.gap[~at + e + offset] : stream_load(A.col + (at + e + offset));
      const BlockPlace   block(begin, width, k, H, 32 >> A.shift, br * bc);

      EllBlockRow<Store, V, Out, br, bc>::add_block(A.val + (block.at + offset), block.step, x + j * bc, sum);
    }
    for (int r = 0; r < br; r++) sum[r] = sum_lanes(sum[r], H);
    if (lane < H && place < A.nplaces) put_node<br>(out, A.row ? A.row[place] : place, sum);
  }
};
#endif

} // namespace goza
