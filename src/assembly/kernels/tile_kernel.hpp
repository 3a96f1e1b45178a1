/* The numeric phase on the device: a thread block does one tile (tiles.hpp). First its threads leave on chip what the tile's pairs need of its elements
   (on_chip.hpp); then each takes pairs and sums them up in registers. The rows of CSR go through the same memory on chip, so that a warp writes consecutive
   words; in the other formats it is neighbouring nodes that lie together, and threads write where they are. */
#pragma once
#include "on_chip.hpp"
#include "assembly/mesh/symbolic.hpp"
#include "tile_write.hpp"
#include <climits>

namespace goza::assembly::tile {

/* Of a block: its threads, how many blocks a multiprocessor should hold, the pairs that a thread holds in registers (where sums wait, for other phases or for
   the elements' place), and the nodes and most elements of a tile. Those of elasticity are the fastest of those tried on an H200. */
template <class Element, class Equation, TilePairs what> struct Shape {
  static constexpr int threads = 256, blocks = 2, held = 14, nodes = 128, elements = Element::nodes == 4 ? 1200 : 300;
};
template <TilePairs what> struct Shape<Tet4, Elasticity, what> {
  static constexpr int threads = what == TilePairs::Rows ? 320 : 256, blocks = what == TilePairs::Rows ? 3 : 4, held = 2, nodes = 32, elements = 700;
};
template <TilePairs what> struct Shape<Hex8, Elasticity, what> {
  static constexpr int threads = 256, blocks = 2, held = 4, nodes = what == TilePairs::Rows ? 32 : 64, elements = 136;
};

template <class Element, class Equation, TilePairs what> TileLimits limits()
{
  using Of = Shape<Element, Equation, what>;

  return {Of::nodes, Of::threads * Of::held, Of::elements};
}

#if defined(__CUDACC__)

struct View {
  PetscInt        tile_nodes;
  int             elements, words, corners; // on chip: most elements; words of elements or sums, what lies aside, corners of the tile, then where rows begin
  const PetscInt *ptr, *col, *node, *element_ptr, *element, *corner_ptr, *corner, *pair_ptr, *long_pairs, *list_ptr;
  const std::uint16_t *place, *conn;
  const Triple        *triple;
  const std::uint32_t *pair;
};

template <class Chip> struct Memory { // on chip
  PetscScalar *words, *aside, *x;
  PetscInt    *start;
  int         *begin;

  __device__ explicit Memory(const View &view)
  {
    extern __shared__ double memory[];

    words = reinterpret_cast<PetscScalar *>(memory);
    aside = words + view.words;
    x     = aside + view.elements * Chip::aside;
    start = reinterpret_cast<PetscInt *>(x + view.corners * 3);
    begin = reinterpret_cast<int *>(start + view.tile_nodes);
  }
  __device__ PetscScalar *element(int number, int bank) const { return words + number * Chip::pitch + bank * Chip::shift; }
};

/* Once for each corner of the tile: its elements have up to eight in common. */
template <class Chip> __device__ void load_coordinates(const MeshView &mesh, const View &view, const Memory<Chip> &memory)
{
  const PetscInt first = view.corner_ptr[blockIdx.x];
  const int      words = 3 * static_cast<int>(view.corner_ptr[blockIdx.x + 1] - first);

  for (int v = threadIdx.x; v < words; v += blockDim.x) memory.x[v] = cached_load(&mesh.x[cached_load(view.corner + first + v / 3)][v % 3]);
}

template <class Chip> __device__ void leave_elements(const MeshView &mesh, const View &view, const Memory<Chip> &memory, int phase)
{
  const PetscInt first = view.element_ptr[blockIdx.x];
  const int      count = static_cast<int>(view.element_ptr[blockIdx.x + 1] - first);

  for (int t = threadIdx.x; t < Chip::parts * count; t += blockDim.x) {
    const int         k = t % count, part = t / count, place = cached_load(view.place + first + k);
    const TileElement element{memory.x, view.conn + static_cast<std::int64_t>(first + k) * Chip::n, mesh.material[cached_load(view.element + first + k)]};

    Chip::leave(element, phase, part, memory.element(place >> 3, place & 7), memory.aside + (place >> 3) * Chip::aside);
  }
}

/* A tile's pairs in the order in which threads take them: those with long lists by tile_parts lanes each, in warps of their own; but not where that would be
   more than `most` takes. */
template <class Chip> class Takes {
public:
  __device__ Takes(const View &view, int most) : first_(view.pair_ptr[blockIdx.x]), count_(static_cast<int>(view.pair_ptr[blockIdx.x + 1] - first_))
  {
    if (!Chip::long_lists) return;
    long_   = static_cast<int>(view.long_pairs[blockIdx.x]);
    padded_ = (long_ * tile_parts + 31) / 32 * 32;
    if (count() > most) long_ = padded_ = 0;
  }

  __device__ int count() const { return padded_ + count_ - long_; }

  /* Whose sum the t-th leaves, counted from the first pair of all tiles; -1: nobody's. */
  __device__ PetscInt pair(int t) const
  {
    if (!Chip::long_lists || t >= padded_) return t < count() ? first_ + t - padded_ + long_ : -1;
    return t % tile_parts == 0 && t / tile_parts < long_ ? first_ + t / tile_parts : -1;
  }

  __device__ void sum(const View &view, const Memory<Chip> &memory, int t, PetscScalar *sum) const
  {
    if (!Chip::long_lists || t >= padded_) {
      if (t < count()) sum_list(view, memory, first_ + t - padded_ + long_, 0, 1, sum);
      return;
    }
    if (t / tile_parts < long_) sum_list(view, memory, first_ + t / tile_parts, t % tile_parts, tile_parts, sum);
    __syncwarp();
  #pragma unroll
    for (int far = 1; far < tile_parts; far *= 2) {
  #pragma unroll
      for (int k = 0; k < Chip::kept; k++) sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], far);
    }
  }

private:
  __device__ static void sum_list(const View &view, const Memory<Chip> &memory, PetscInt pair, int part, int parts, PetscScalar *sum)
  {
    const PetscInt end  = cached_load(view.list_ptr + pair + 1);
    PetscInt       l    = cached_load(view.list_ptr + pair) + part;
    std::uint32_t  next = l < end ? cached_load(&view.triple[l].bits) : 0;

    while (l < end) {
      const Triple triple{next};

      l += parts;
      if (l < end) next = cached_load(&view.triple[l].bits);
      Chip::add(memory.element(triple.element(), triple.bank()), memory.aside + triple.element() * Chip::aside, triple.a(), triple.b(), sum);
    }
  }

  PetscInt first_;
  int      count_, long_ = 0, padded_ = 0;
};

/* Where a pair's sum goes, if it waits for no other. */
template <class Chip, int bs>
__device__ void write_upper(const MeshView &mesh, const View &view, const Target &target, const TileRows &rows, PetscInt pair, const PetscScalar *sum)
{
  const std::uint32_t which = cached_load(view.pair + pair);
  const PetscInt      i     = cached_load(rows.node + (which >> 16));
  const int           s     = static_cast<int>(which >> 8 & 255);
  const PetscInt     *row = view.col + cached_load(view.ptr + i), j = cached_load(row + s);

  if (j < mesh.owned) write_pair<Chip, bs>(target, i, s, j, static_cast<int>(which & 255), sum);
  else write_other<Chip, bs>(mesh, row, target, i, s, j, sum);
}

template <class Element, class Equation, TilePairs what>
__global__ void __launch_bounds__((Shape<Element, Equation, what>::threads), (Shape<Element, Equation, what>::blocks))
  TileKernel(MeshView mesh, View view, const __grid_constant__ Target target)
{
  using Chip = OnChip<Element, Equation>;
  using Of   = Shape<Element, Equation, what>;

  const Memory<Chip> memory(view);
  const PetscInt     first      = static_cast<PetscInt>(blockIdx.x) * view.tile_nodes;
  constexpr bool     none_waits = what == TilePairs::Upper && Chip::phases == 1;
  const Takes<Chip>  takes(view, none_waits ? INT_MAX : Of::threads * Of::held);
  const TileRows     rows{memory.begin, memory.start, view.node + first,
                      static_cast<int>(mesh.owned - first < view.tile_nodes ? mesh.owned - first : view.tile_nodes)};

  load_coordinates(mesh, view, memory);
  if constexpr (none_waits) {
    __syncthreads();
    leave_elements(mesh, view, memory, 0);
    __syncthreads();
    for (int t = threadIdx.x; t < takes.count(); t += Of::threads) {
      PetscScalar sum[Chip::kept] = {};

      takes.sum(view, memory, t, sum);
      if (const PetscInt pair = takes.pair(t); pair >= 0) write_upper<Chip, Equation::bs>(mesh, view, target, rows, pair, sum);
    }
    return;
  }
  if constexpr (what == TilePairs::Rows) find_begins(view.ptr, target.ptr, Equation::bs, rows);
  PetscScalar sum[Of::held][Chip::kept] = {};

  #pragma unroll 1
  for (int phase = 0; phase < Chip::phases; phase++) {
    __syncthreads();
    leave_elements(mesh, view, memory, phase);
    __syncthreads();
  #pragma unroll
    for (int h = 0; h < Of::held; h++)
      if (const int t = threadIdx.x + h * Of::threads; t < takes.count()) takes.sum(view, memory, t, sum[h]);
  }
  if constexpr (what == TilePairs::Rows) __syncthreads(); // the sums take the elements' place
  #pragma unroll
  for (int h = 0; h < Of::held; h++) {
    const PetscInt pair = takes.pair(threadIdx.x + h * Of::threads);

    if (pair < 0) continue;
    if constexpr (what == TilePairs::Rows) {
      const std::uint32_t which = cached_load(view.pair + pair);
      PetscScalar        *to    = memory.words + (rows.begin[which >> 16] + static_cast<int>(which >> 8 & 255)) * Chip::kept;

  #pragma unroll
      for (int v = 0; v < Chip::kept; v++) to[v] = sum[h][v];
    } else {
      write_upper<Chip, Equation::bs>(mesh, view, target, rows, pair, sum[h]);
    }
  }
  if constexpr (what == TilePairs::Rows) {
    __syncthreads();
    write_rows<Chip, Equation::bs>(mesh, view.ptr, view.col, target, rows, memory.words);
  }
}

template <class Element, class Equation, TilePairs what> void launch(const MeshView &mesh, const AssemblyMap &m, const Target &target)
{
  using Chip = OnChip<Element, Equation>;
  using Of   = Shape<Element, Equation, what>;

  const Tiles      &tiles    = m.tiles;
  const int         elements = static_cast<int>(tiles.most_elements), words = elements * Chip::pitch + (tile_banks - 1) * Chip::shift;
  const int         sums = what == TilePairs::Rows ? static_cast<int>(tiles.most_pairs) * Chip::kept : 0;
  const View        view{tiles.nodes,
                  elements,
                  words > sums ? words : sums,
                  static_cast<int>(tiles.most_corners),
                  m.ptr.data(),
                  m.col.data(),
                  tiles.node.data(),
                  tiles.element_ptr.data(),
                  tiles.element.data(),
                  tiles.corner_ptr.data(),
                  tiles.corner.data(),
                  tiles.pair_ptr.data(),
                  tiles.long_pairs.data(),
                  tiles.list_ptr.data(),
                  tiles.place.data(),
                  tiles.conn.data(),
                  tiles.triple.data(),
                  tiles.pair.data()};
  const std::size_t shared = static_cast<std::size_t>(view.words + elements * Chip::aside + 3 * view.corners) * sizeof(PetscScalar) +
                             static_cast<std::size_t>(tiles.nodes) * sizeof(PetscInt) + static_cast<std::size_t>(tiles.nodes + 1) * sizeof(int);

  launch_kernel_with<TileKernel<Element, Equation, what>>(shared, dim3(static_cast<unsigned>(tiles.count)), Of::threads, mesh, view, target);
}

#endif

} // namespace goza::assembly::tile
