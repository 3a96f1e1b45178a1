/* The numeric phase on the device: a thread block does one tile (tiles.hpp). First its threads leave on chip what the tile's pairs need of its elements (on_chip.hpp);
   then each takes pairs and sums them up in registers. The rows of CSR go through the same memory on chip, so that a warp writes consecutive words; in the other
   formats it is neighbouring nodes that lie together, and threads write where they are. */
#pragma once
#include "on_chip.hpp"
#include "symbolic.hpp"
#include "tile_write.hpp"

namespace goza
{
namespace tile
{

/* Of a block: its threads, the pairs that one of them holds in registers (rows), and the nodes of a tile. Measured on an H200 at 128^3 nodes, Poisson at 256^3. */
template <class Element, class Equation> struct Shape {
  static constexpr int threads = 256, blocks = 2, held = 32, nodes = 256, elements = 600;
};
template <> struct Shape<Tet4, Elasticity> {
  static constexpr int threads = 256, blocks = 2, held = 4, nodes = 32, elements = 800;
};
template <> struct Shape<Hex8, Elasticity> {
  static constexpr int threads = 256, blocks = 2, held = 4, nodes = 32, elements = 140;
};

template <class Element, class Equation> TileLimits limits()
{
  using Of = Shape<Element, Equation>;

  return {Of::nodes, Of::threads * Of::held, Of::elements};
}

#if defined(__CUDACC__)

struct View {
  PetscInt             tile_nodes;
  std::size_t          words, corners; // on chip: words of elements or sums, then corners of the tile, then where rows begin
  const PetscInt      *ptr, *col, *node, *element_ptr, *element, *corner_ptr, *corner, *pair_ptr, *list_ptr;
  const std::uint16_t *conn, *triple;
  const std::uint32_t *pair;
};

/* Coordinates first: an element's would be read from memory by each of its threads. */
template <class Element, class Equation> __device__ void leave_elements(const MeshView &mesh, const View &view, PetscScalar *words)
{
  using Chip = OnChip<Element, Equation>;

  const PetscInt     first = view.element_ptr[blockIdx.x], corner = view.corner_ptr[blockIdx.x];
  const int          count = static_cast<int>(view.element_ptr[blockIdx.x + 1] - first), corners = static_cast<int>(view.corner_ptr[blockIdx.x + 1] - corner);
  PetscScalar *const x = words + view.words;

  for (int v = threadIdx.x; v < 3 * corners; v += blockDim.x) x[v] = cached_load(&mesh.x[cached_load(view.corner + corner + v / 3)][v % 3]);
  __syncthreads();
  for (int t = threadIdx.x; t < Chip::parts * count; t += blockDim.x) {
    const int k = t % count, part = t / count;

    Chip::leave({x, view.conn + static_cast<std::int64_t>(first + k) * Element::nodes, mesh.material[cached_load(view.element + first + k)]}, part, words + k * Chip::words);
  }
}

template <class Element, class Equation> __device__ void sum_pair(const View &view, PetscInt pair, const PetscScalar *words, PetscScalar *sum)
{
  using Chip = OnChip<Element, Equation>;

  constexpr int  n   = Element::nodes;
  const PetscInt end = cached_load(view.list_ptr + pair + 1);

  for (PetscInt l = cached_load(view.list_ptr + pair); l < end; l++) {
    const int triple = cached_load(view.triple + l);

    Chip::add(words + triple / (n * n) * Chip::words, triple / n % n, triple % n, sum);
  }
}

template <class Element, class Equation>
__global__ void __launch_bounds__((Shape<Element, Equation>::threads), (Shape<Element, Equation>::blocks)) RowsKernel(MeshView mesh, View view, const __grid_constant__ Target target)
{
  using Chip = OnChip<Element, Equation>;
  using Of   = Shape<Element, Equation>;
  extern __shared__ double memory[];
  PetscScalar *const       words = reinterpret_cast<PetscScalar *>(memory);
  const PetscInt           first = static_cast<PetscInt>(blockIdx.x) * view.tile_nodes, pairs = view.pair_ptr[blockIdx.x];
  const int                npairs = static_cast<int>(view.pair_ptr[blockIdx.x + 1] - pairs);
  const TileRows           rows{reinterpret_cast<int *>(words + view.words + view.corners), view.node + first,
                      static_cast<int>(mesh.owned - first < view.tile_nodes ? mesh.owned - first : view.tile_nodes)};
  PetscScalar              sum[Of::held][Chip::kept] = {};

  find_begins(view.ptr, rows);
  leave_elements<Element, Equation>(mesh, view, words);
  __syncthreads();
  #pragma unroll
  for (int h = 0; h < Of::held; h++) {
    const int p = threadIdx.x + h * Of::threads;

    if (p < npairs) sum_pair<Element, Equation>(view, pairs + p, words, sum[h]);
  }
  __syncthreads();
  #pragma unroll
  for (int h = 0; h < Of::held; h++) {
    const int p = threadIdx.x + h * Of::threads;

    if (p >= npairs) break;
    const std::uint32_t which = cached_load(view.pair + pairs + p);
    PetscScalar        *to    = words + (rows.begin[which >> 16] + static_cast<int>(which >> 8 & 255)) * Chip::kept;

  #pragma unroll
    for (int k = 0; k < Chip::kept; k++) to[k] = sum[h][k];
  }
  __syncthreads();
  write_rows<Chip, Equation::bs>(mesh, view.ptr, view.col, target, rows, words);
}

template <class Element, class Equation>
__global__ void __launch_bounds__((Shape<Element, Equation>::threads), (Shape<Element, Equation>::blocks)) UpperKernel(MeshView mesh, View view, const __grid_constant__ Target target)
{
  using Chip = OnChip<Element, Equation>;
  extern __shared__ double memory[];
  PetscScalar *const       words = reinterpret_cast<PetscScalar *>(memory);
  const PetscInt           first = static_cast<PetscInt>(blockIdx.x) * view.tile_nodes, end = view.pair_ptr[blockIdx.x + 1];

  leave_elements<Element, Equation>(mesh, view, words);
  __syncthreads();
  for (PetscInt p = view.pair_ptr[blockIdx.x] + static_cast<PetscInt>(threadIdx.x); p < end; p += blockDim.x) {
    const std::uint32_t which           = cached_load(view.pair + p);
    const PetscInt      i               = cached_load(view.node + first + (which >> 16));
    const int           s               = static_cast<int>(which >> 8 & 255);
    PetscScalar         sum[Chip::kept] = {};

    sum_pair<Element, Equation>(view, p, words, sum);
    write_pair<Chip, Equation::bs>(mesh, target, i, s, cached_load(view.col + cached_load(view.ptr + i) + s), static_cast<int>(which & 255), sum);
  }
}

template <class Element, class Equation> void launch(const Mesh &mesh, const AssemblyMap &m, const Target &target)
{
  using Chip                 = OnChip<Element, Equation>;
  using Of                   = Shape<Element, Equation>;
  const Tiles &tiles         = m.tiles;
  const bool   rows          = tiles.what == TilePairs::Rows;
  const std::size_t elements = static_cast<std::size_t>(tiles.most_elements) * Chip::words, sums = rows ? static_cast<std::size_t>(tiles.most_pairs) * Chip::kept : 0;
  const View        view{tiles.nodes,
                  elements > sums ? elements : sums,
                  static_cast<std::size_t>(tiles.most_corners) * 3,
                  m.ptr.data(),
                  m.col.data(),
                  tiles.node.data(),
                  tiles.element_ptr.data(),
                  tiles.element.data(),
                  tiles.corner_ptr.data(),
                  tiles.corner.data(),
                  tiles.pair_ptr.data(),
                  tiles.list_ptr.data(),
                  tiles.conn.data(),
                  tiles.triple.data(),
                  tiles.pair.data()};
  const std::size_t shared = (view.words + view.corners) * sizeof(PetscScalar) + (rows ? tiles.nodes + 1 : 0) * sizeof(int);
  const dim3        blocks(static_cast<unsigned>(tiles.count));

  if (rows != (target.layout == Layout::Csr)) throw std::logic_error("the map was made for another layout");
  if (rows) launch_kernel_with(shared, RowsKernel<Element, Equation>, blocks, Of::threads, mesh.view(), view, target);
  else launch_kernel_with(shared, UpperKernel<Element, Equation>, blocks, Of::threads, mesh.view(), view, target);
}

#endif

} // namespace tile
} // namespace goza
