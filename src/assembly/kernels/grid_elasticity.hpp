/* Elasticity on a grid into full CDS and sliced ELL: a thread block leaves the matrices of a rectangle's plane of elements (grid_blocks.hpp) on chip; then a thread has a node,
   and a team of threads the same pairs of all of them. Half CDS has a kernel of its own (grid_elastic_half.hpp): with mirror images, too, that one was slower on most grids. */
#pragma once
#include "grid_elastic_half.hpp"
#include "grid_elastic_rows.hpp"

namespace goza::assembly
{
namespace grid_elasticity
{

#if defined(__CUDACC__)

constexpr int teams = 4, team = 96, threads = teams * team; // a team has a thread for each element
constexpr int most  = 92;                                   // elements of a rectangle: what fits on chip
constexpr int broad = 17; // of a rectangle: a line's ends share 32 bytes of memory with other blocks' lines, which costs as much again where lines are short

/* To sum: the blocks of the pair of a node with its neighbour at (x, y), from the elements of the plane that have both. low, high: their planes, 0 below and 1 above */
template <int low, int high> __device__ inline void sum_on_chip(const PetscScalar *mine, int width, int x, int y, PetscScalar *sum)
{
  #pragma unroll
  for (int a = 0; a < 4; a++) {
    const int          b0 = (a & 1) + x, b1 = (a >> 1) + y, i = a + 4 * low, j = b0 + 2 * b1 + 4 * high;
    const PetscScalar *from = mine - ((a & 1) + (a >> 1) * width) * pitch;

    if (b0 < 0 || b0 > 1 || b1 < 0 || b1 > 1) continue;
  #pragma unroll
    for (int k = 0; k < 9; k++) sum[k] += from[entry_at(i, j, k / 3, k % 3)];
  }
}

/* The pairs of a team: equally many blocks to read. First and last of the flat ones, the same of those to the plane above, in the order of `above`. */
struct Share {
  int flat[2], above[2];
};
HD constexpr Share share_of(int team)
{
  return team == 0 ? Share{{0, 1}, {0, 1}} : team == 1 ? Share{{1, 3}, {1, 2}} : team == 2 ? Share{{3, 5}, {2, 4}} : Share{{5, 5}, {4, 9}};
}
HD constexpr int flat_in_share(int k) // self | x, y | the diagonals
{
  return k == 2 ? 3 : k == 3 ? 2 : k;
}
HD constexpr int above_in_share(int k) // a corner | a corner | a corner, straight up | the four sides, a corner
{
  return k == 0 ? 0 : k == 1 ? 2 : k == 2 ? 6 : k == 3 ? 4 : k == 8 ? 8 : 2 * (k - 4) + 1;
}

/* Sums up and writes the pairs of the node at `at`; kept: what the plane below has left to the flat ones. */
template <Layout layout, int which>
__device__ void write_share(const GridTarget &to, const PetscInt *at, bool first, const PetscScalar *mine, int width, PetscScalar (*kept)[9])
{
  constexpr Share share = share_of(which);

  #pragma unroll
  for (int k = share.flat[0]; k < share.flat[1]; k++) {
    const int    f = flat_in_share(k), x = grid_flat_x(f), y = grid_flat_y(f);
    PetscScalar *sum = kept[k - share.flat[0]];

    if (!first) {
      const GridPair<layout> pair(to, at, x, y, 0);

      sum_on_chip<0, 0>(mine, width, x, y, sum);
      pair.template write<3>([&](int r, int c) { return sum[3 * r + c]; });
    }
  #pragma unroll
    for (int v = 0; v < 9; v++) sum[v] = 0;
    sum_on_chip<1, 1>(mine, width, x, y, sum);
  }
  #pragma unroll
  for (int k = share.above[0]; k < share.above[1]; k++) {
    const int   x = above_in_share(k) % 3 - 1, y = above_in_share(k) / 3 - 1;
    PetscScalar sum[9] = {};

    if (first) break;
    const GridPair<layout> pair(to, at, x, y, 1);

    sum_on_chip<0, 1>(mine, width, x, y, sum);
    pair.template write<3>([&](int r, int c) { return sum[3 * r + c]; });
  }
}

template <Layout layout> __global__ void __launch_bounds__(threads, 1) Kernel(const __grid_constant__ View view, const __grid_constant__ GridTarget to)
{
  extern __shared__ double memory[];

  const GridBlocks &blocks = view.blocks;
  const NodeGrid   &grid   = to.grid;
  const int place = threadIdx.x % team, mine = threadIdx.x / team, lane = threadIdx.x % 32, corners = view.corners(), elements = blocks.width * blocks.height;
  PetscScalar *const matrices = reinterpret_cast<PetscScalar *>(memory), *ratios = matrices + elements * pitch, *coordinates = ratios + elements;
  PetscInt           at[3];
  bool               owner;
  const bool         inside = blocks.find(place, grid, at, &owner);
  const PetscInt     first = at[2], end = first + blocks.planes < grid.n[2] ? first + blocks.planes : grid.n[2];
  const int          corner     = place % blocks.width + place / blocks.width * (blocks.width + 1);
  PetscScalar        kept[2][9] = {};

  at[2] = first > 0 ? first - 1 : 0;
  for (int v = threadIdx.x; v < 3 * corners; v += threads) {
    coordinates[(at[2] & 1) * 3 * corners + v]       = view.coordinate(grid, v, at[2]);
    coordinates[((at[2] + 1) & 1) * 3 * corners + v] = view.coordinate(grid, v, at[2] + 1);
  }
  __syncthreads();
  for (; at[2] < end; at[2]++) {
    PetscScalar *const below = coordinates + (at[2] & 1) * 3 * corners, *const above = coordinates + ((at[2] + 1) & 1) * 3 * corners;
    PetscScalar next[2];

    if (place < elements) {
      PetscScalar *const own = matrices + place * pitch;

      if (inside && at[2] + 1 < grid.n[2]) {
        const PetscReal  *material = view.material[grid.element(at[0], at[1], at[2])];
        const PetscScalar mu       = cached_load(material + 1);

        if (mine == 0) ratios[place] = cached_load(material) / mu;
        leave_gradients(below + corner, above + corner, corners, blocks.width, mine, mu, own);
      } else {
        if (mine == 0) ratios[place] = 0;
        for (int v = mine; v < 192; v += teams) own[v] = 0;
      }
    }
  #pragma unroll
    for (int k = 0; k < 2; k++)
      next[k] = threadIdx.x + k * threads < 3 * corners ? view.coordinate(grid, threadIdx.x + k * threads, at[2] + 2) : PetscScalar(0);
    __syncthreads();
    for (int e = threadIdx.x / 32; e < elements; e += threads / 32) multiply_elements<1>(matrices + e * pitch, {ratios[e]}, lane);
  #pragma unroll
    for (int k = 0; k < 2; k++) {
      if (threadIdx.x + k * threads < 3 * corners) below[threadIdx.x + k * threads] = next[k];
    }
    __syncthreads();
    if (owner) {
      const PetscScalar *const from  = matrices + place * pitch;
      const bool               early = at[2] < first;

      if (mine == 0) write_share<layout, 0>(to, at, early, from, blocks.width, kept);
      else if (mine == 1) write_share<layout, 1>(to, at, early, from, blocks.width, kept);
      else if (mine == 2) write_share<layout, 2>(to, at, early, from, blocks.width, kept);
      else write_share<layout, 3>(to, at, early, from, blocks.width, kept);
    }
    __syncthreads();
  }
}

inline void launch(const MeshView &mesh, const GridTarget &to)
{
  dim3 blocks;

  if (to.target.layout == Layout::Csr) {
    launch_rows(mesh, to);
    return;
  }
  if (to.target.layout == Layout::Cds && to.target.half) {
    launch_half(mesh, to);
    return;
  }
  const View        view{mesh.x, mesh.material, GridBlocks::choose(to.grid, most, broad, 1, blocks)};
  const std::size_t shared = (static_cast<std::size_t>(view.blocks.width * view.blocks.height) * (pitch + 1) + 6 * view.corners()) * sizeof(PetscScalar);

  if (to.target.layout == Layout::Cds) launch_kernel_with<Kernel<Layout::Cds>>(shared, blocks, threads, view, to);
  else launch_kernel_with<Kernel<Layout::SlicedEll>>(shared, blocks, threads, view, to);
}

#endif

} // namespace grid_elasticity
} // namespace goza::assembly
