/* Sliced ELL of dense br x bc blocks: places, slices, lengths and columns of slicedell_view.hpp count block rows and block columns, one index for br bc values,
   and value v = r bc + c of block k of place p stands at (slice_ptr[p / H] + k H) br bc + v H + p % H: a warp still reads consecutive words.

   On the device a thread reads W values at once, W = values_together(): v H + p % H becomes (v - v % W) H + p % H W + v % W.

   Where T threads share a block row (H < 32 on the device, T = 32 / H), T blocks of each place stand together as one block does otherwise, entry by entry, and
   so do the m < T blocks that are left at a slice's end: with f = k - k % T, at (slice_ptr[p / H] + f H) br bc + (v - v % W) m H + ((k - f) H + p % H) W + v %
   W. */
#pragma once
#include "slicedell_view.hpp"

namespace goza::mat {

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

/* Values of a block, of so many bytes each, that stand side by side: what one load of a thread takes, at most 8 bytes. A core wants those of H places side by
   side. */
constexpr PetscInt values_together(Space space, std::size_t bytes, PetscInt values)
{
  PetscInt W = 1;

  while (space == Space::Cuda && 2 * W * bytes <= 8 && values % (2 * W) == 0) W *= 2;
  return W;
}

/* Where the values of a slice's block k begin, for place 0 of the slice, and the step from W of them to the next W. team: a power of two. */
struct BlockPlace {
  std::int64_t at;
  PetscInt     step;

  HD BlockPlace(std::int64_t begin, PetscInt width, PetscInt k, PetscInt H, PetscInt team, PetscInt values, PetscInt W)
  {
    const PetscInt first = k & ~(team - 1), together = width - first < team ? width - first : team;

    at   = (begin + static_cast<std::int64_t>(first) * H) * values + static_cast<std::int64_t>(k - first) * (H * W);
    step = together * H * W;
  }
};

/* W values that stand side by side; they are read once. */
template <int W, class Store> HD inline void load_together(const Store *from, Store *to)
{
  if constexpr (W == 1) *to = stream_load(from);
  else {
#if defined(__CUDA_ARCH__)
    using Word = std::conditional_t<W * sizeof(Store) == 8, uint2, unsigned>;

    static_assert(W * sizeof(Store) == sizeof(Word));
    const Word word = __ldcs(reinterpret_cast<const Word *>(from));

    memcpy(to, &word, sizeof(word));
#else
    std::memcpy(to, from, W * sizeof(Store));
#endif
  }
}

/* One block row that no threads share. */
template <class Store, class V, class Out, int br, int bc, int W> struct EllBlockRow {
  EllView<Store> A;
  const V       *x;
  Out            out;

  HD void operator()(PetscInt place) const
  {
    const PetscInt     slice = place >> A.shift, H = PetscInt(1) << A.shift, offset = place & (H - 1);
    const std::int64_t begin = A.slice_ptr[slice], at = A.columns_at(slice);
    const PetscInt     n       = A.length ? A.length[place] : static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) >> A.shift);
    const Store       *val     = A.val + (begin * (br * bc) + offset * W);
    V                  sum[br] = {};

    if (at < 0) {
      const std::uint16_t *gap = A.gap + (~at + offset);
      LocalColumn          col = A.first[place];

      UNROLL(2)
      for (PetscInt k = 0; k < n; k++, gap += H, val += br * bc * H) {
        col += stream_load(gap);
        add_block(val, H * W, x + col * bc, sum);
      }
    } else {
      const LocalColumn *col  = A.col + (at + offset);
      const PetscInt     base = A.base(slice);

      UNROLL(2)
      for (PetscInt k = 0; k < n; k++, col += H, val += br * bc * H) add_block(val, H * W, x + (base + cached_load(col)) * bc, sum);
    }
    put_node<br>(out, A.row ? A.row[place] : place, sum);
  }

  HD static void add_block(const Store *val, PetscInt step, const V *x, V *sum)
  {
    Store a[br * bc];
    V     xs[bc];

    for (int v = 0; v < br * bc; v += W, val += step) load_together<W>(val, a + v);
    for (int c = 0; c < bc; c++) xs[c] = load_x<Out>(x + c);
    for (int r = 0; r < br; r++)
      for (int c = 0; c < bc; c++) sum[r] += static_cast<V>(a[r * bc + c]) * xs[c];
  }
};

#if defined(__CUDACC__)
/* The same for the 32 threads of a warp, H >= 32. */
template <class Store, class V, class Out, int br, int bc, int W> struct EllBlockWarpOfRows : EllBlockRow<Store, V, Out, br, bc, W> {
  static constexpr int resident = block_ell_resident;

  explicit EllBlockWarpOfRows(const EllBlockRow<Store, V, Out, br, bc, W> &row) : EllBlockRow<Store, V, Out, br, bc, W>(row) { }

  __device__ void operator()(PetscInt warp, int lane) const
  {
    const PetscInt place = warp * 32 + lane;

    if (place < this->A.nplaces) EllBlockRow<Store, V, Out, br, bc, W>::operator()(place);
  }
};

/* The same with a warp a slice, H < 32: 32/H threads share a block row. */
template <class Store, class V, class Out, int br, int bc, int W> struct EllBlockSlice {
  static constexpr int resident = block_ell_resident;

  EllView<Store> A;
  const V       *x;
  Out            out;

  __device__ void operator()(PetscInt slice, int lane) const
  {
    V sum[br] = {};

    add_up(slice, lane, 32, sum);
    for (int r = 0; r < br; r++) sum[r] = sum_lanes(sum[r], 1 << A.shift);
    if (lane < 1 << A.shift) put(slice, lane, sum);
  }

  /* What thread `lane` of `lanes`, a multiple of 32, adds to the sums of the place lane % H. */
  __device__ void add_up(PetscInt slice, int lane, int lanes, V *sum) const
  {
    const int          H = 1 << A.shift, offset = lane & (H - 1);
    const PetscInt     place = (slice << A.shift) + offset;
    const std::int64_t begin = A.slice_ptr[slice], at = A.columns_at(slice);
    const PetscInt     least = at < 0 ? A.first[slice] : A.base(slice), width = static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) >> A.shift);
    PetscInt           n      = width;
    const auto         column = [&](PetscInt k) {
      const std::int64_t e = static_cast<std::int64_t>(k) * H + offset;

      return least + (at < 0 ? A.gap[~at + e] : cached_load(A.col + (at + e)));
    };

    if (A.length) n = place < A.nplaces ? A.length[place] : 0;
    PetscInt k = lane >> A.shift, next = k < n ? column(k) : 0;

    while (k < n) { // the next column is on its way while this one's block is read
      const BlockPlace block(begin, width, k, H, 32 >> A.shift, br * bc, W);
      const PetscInt   j = next;

      k += lanes >> A.shift;
      if (k < n) next = column(k);
      EllBlockRow<Store, V, Out, br, bc, W>::add_block(A.val + (block.at + offset * W), block.step, x + j * bc, sum);
    }
  }

  __device__ void put(PetscInt slice, int lane, const V *sum) const
  {
    const PetscInt place = (slice << A.shift) + lane;

    if (place < A.nplaces) put_node<br>(out, A.row ? A.row[place] : place, sum);
  }
};

constexpr int team_threads = 256;

/* The same with a block of threads a slice, H = 1: for few long block rows. */
template <class Store, class V, class Out, int br, int bc, int W>
__global__ void __launch_bounds__(team_threads, block_ell_resident) EllBlockTeamKernel(EllBlockSlice<Store, V, Out, br, bc, W> body)
{
  __shared__ V of_warp[team_threads / 32][br];
  V            sum[br] = {};

  body.add_up(blockIdx.x, threadIdx.x, team_threads, sum);
  for (int r = 0; r < br; r++) {
    sum[r] = sum_lanes(sum[r], 1);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32][r] = sum[r];
  }
  __syncthreads();
  if (threadIdx.x) return;
  for (int r = 0; r < br; r++)
    for (int warp = 1; warp < team_threads / 32; warp++) sum[r] += of_warp[warp][r];
  body.put(blockIdx.x, 0, sum);
}
#endif

} // namespace goza::mat
