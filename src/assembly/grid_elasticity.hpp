/* Elasticity on a grid: a thread block leaves the matrices of a rectangle's plane of elements (grid_blocks.hpp) on chip; then threads sum up the pairs of its nodes. */
#pragma once
#include "grid_elastic_pairs.hpp"
#include "grid_elastic_rows.hpp"
#include <type_traits>

namespace goza
{
namespace grid_elasticity
{

#if defined(__CUDACC__)

struct View {
  const PetscReal (*x)[3];
  const PetscReal (*material)[2];
  GridBlocks blocks;

  HD int corners() const { return (blocks.width + 1) * (blocks.height + 1); } // of a plane of nodes
};

template <Layout layout> using Writer = std::conditional_t<layout == Layout::Csr, Rows, Pairs<layout>>;

template <Layout layout>
__global__ void __launch_bounds__(Writer<layout>::threads, Writer<layout>::blocks_at_once) Kernel(const __grid_constant__ View view, const __grid_constant__ GridTarget to)
{
  constexpr int threads = Writer<layout>::threads;

  extern __shared__ double memory[];

  const GridBlocks  &blocks  = view.blocks;
  const NodeGrid    &grid    = to.grid;
  const int          corners = view.corners(), elements = blocks.width * blocks.height, place = threadIdx.x % elements, q = threadIdx.x / elements;
  PetscScalar *const matrices = reinterpret_cast<PetscScalar *>(memory), *const own = matrices + place * pitch;
  PetscScalar *const ratios = matrices + elements * pitch, *coordinates = ratios + elements;
  PetscInt           at[3];
  bool               owner;
  const bool         inside = blocks.find(place, grid, at, &owner);
  const PetscInt     first = at[2], end = first + blocks.planes < grid.n[2] ? first + blocks.planes : grid.n[2];
  const int          corner = place % blocks.width + place / blocks.width * (blocks.width + 1);
  Writer<layout>     writer(to, blocks, matrices, coordinates + 6 * corners);

  /* Component and corner v of a plane of nodes; those outside are nobody's. */
  const auto coordinate = [&](int v, PetscInt z) {
    const int      c = v % corners;
    const PetscInt x = static_cast<PetscInt>(blockIdx.x) * (blocks.width - 1) - 1 + c % (blocks.width + 1),
                   y = static_cast<PetscInt>(blockIdx.y) * (blocks.height - 1) - 1 + c / (blocks.width + 1);

    return x >= 0 && x < grid.n[0] && y >= 0 && y < grid.n[1] && z < grid.n[2] ? static_cast<PetscScalar>(cached_load(&view.x[grid.node(x, y, z)][v / corners])) : PetscScalar(0);
  };

  at[2] = first > 0 ? first - 1 : 0;
  for (int e = threadIdx.x; e < elements; e += threads) matrices[(e + 1) * pitch - 1] = 0; // the writer reads it where there is nothing to add
  for (int v = threadIdx.x; v < 3 * corners; v += threads) {
    coordinates[(at[2] & 1) * 3 * corners + v]       = coordinate(v, at[2]);
    coordinates[((at[2] + 1) & 1) * 3 * corners + v] = coordinate(v, at[2] + 1);
  }
  __syncthreads();
  for (; at[2] < end; at[2]++) {
    PetscScalar *const below = coordinates + (at[2] & 1) * 3 * corners, *const above = coordinates + ((at[2] + 1) & 1) * 3 * corners;
    PetscScalar next[2];

    if (q < 4) { // a thread for each element and two of its points
      if (inside && at[2] + 1 < grid.n[2]) {
        const PetscReal  *material = view.material[grid.element(at[0], at[1], at[2])];
        const PetscScalar mu       = cached_load(material + 1);

        if (q == 0) ratios[place] = cached_load(material) / mu;
        leave_gradients(below + corner, above + corner, corners, blocks.width, q, mu, own);
      } else {
        if (q == 0) ratios[place] = 0;
        for (int v = q; v < 192; v += 4) own[v] = 0;
      }
    }
  #pragma unroll
    for (int k = 0; k < 2; k++) next[k] = threadIdx.x + k * threads < 3 * corners ? coordinate(threadIdx.x + k * threads, at[2] + 2) : PetscScalar(0);
    __syncthreads();
    for (int e = threadIdx.x / 32; e < elements; e += threads / 32) multiply_element(matrices + e * pitch, ratios[e], threadIdx.x % 32);
  #pragma unroll
    for (int k = 0; k < 2; k++) {
      if (threadIdx.x + k * threads < 3 * corners) below[threadIdx.x + k * threads] = next[k];
    }
    __syncthreads();
    writer.write(at[2], at[2] < first, at[2] + 1 == end);
    __syncthreads();
  }
}

template <Layout layout> void launch_into(const Mesh &mesh, const GridTarget &to)
{
  dim3              blocks;
  const View        view{mesh.view().x, mesh.view().material, GridBlocks::choose(to.grid, Writer<layout>::most, Writer<layout>::blocks_at_once, blocks)};
  const std::size_t words  = static_cast<std::size_t>(view.blocks.width * view.blocks.height) * (pitch + 1) + 6 * view.corners();
  const std::size_t shared = words * sizeof(PetscScalar) + Writer<layout>::bytes;

  launch_kernel_with(shared, Kernel<layout>, blocks, Writer<layout>::threads, view, to);
}

inline void launch(const Mesh &mesh, const GridTarget &to)
{
  if (to.target.layout == Layout::Csr) launch_into<Layout::Csr>(mesh, to);
  else if (to.target.layout == Layout::Cds) launch_into<Layout::Cds>(mesh, to);
  else launch_into<Layout::SlicedEll>(mesh, to);
}

#endif

} // namespace grid_elasticity
} // namespace goza
