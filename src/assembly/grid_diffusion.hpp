/* Diffusion on a grid (grid_blocks.hpp): a thread takes an element of the plane. The element matrices of a plane lie on chip; then the thread sums up the pairs of the node at
   the low corner of its element. Pairs inside a plane of nodes have their other half from the elements of the plane before, which the thread has kept. */
#pragma once
#include "grid_blocks.hpp"
#include "hex_diffusion.hpp"

namespace goza
{
namespace grid_diffusion
{

#if defined(__CUDACC__)

constexpr int threads = 384;

struct View {
  const PetscReal (*x)[3];
  const PetscReal (*material)[2];
  GridBlocks blocks;
};

/* Sum over the elements of the plane that have both the node and its neighbour at (x, y). low, high: the planes of the two, 0 below and 1 above */
template <int low, int high> __device__ inline PetscScalar sum_on_chip(const PetscScalar *mine, int width, int x, int y)
{
  PetscScalar sum = 0;

  #pragma unroll
  for (int a = 0; a < 4; a++) {
    const int b0 = (a & 1) + x, b1 = (a >> 1) + y, i = a + 4 * low, j = b0 + 2 * b1 + 4 * high;

    if (b0 >= 0 && b0 < 2 && b1 >= 0 && b1 < 2) sum += mine[hex_upper(i < j ? i : j, i < j ? j : i) * threads - (a & 1) - (a >> 1) * width];
  }
  return sum;
}

/* What the next plane will read; there are no registers left to hold it. */
__device__ inline void to_l1(const void *p)
{
  asm volatile("prefetch.global.L1 [%0];" ::"l"(p));
}

template <Layout layout> __global__ void __launch_bounds__(threads, 1) Kernel(const __grid_constant__ View view, const __grid_constant__ GridTarget to)
{
  extern __shared__ double memory[];

  const NodeGrid &grid  = to.grid;
  const int       width = view.blocks.width;
  PetscInt        at[3];
  bool            owner;
  const bool      inside = view.blocks.find(threadIdx.x, grid, at, &owner);
  const PetscInt  first = at[2], end = first + view.blocks.planes < grid.n[2] ? first + view.blocks.planes : grid.n[2];
  PetscScalar     kept[grid_flat] = {};

  const auto load = [&](PetscInt z, PetscScalar(*X)[3]) {
  #pragma unroll
    for (int c = 0; c < 4; c++) {
      for (int d = 0; d < 3; d++) X[c][d] = cached_load(&view.x[grid.node(at[0] + (c & 1), at[1] + (c >> 1), z)][d]);
    }
  };

  PetscInt z    = first > 0 ? first - 1 : 0;
  int      side = 0; // of the two places on chip: a plane is summed up from one while others already leave the next

  for (; z < end; z++, side ^= 1) {
    PetscScalar *const mine = reinterpret_cast<PetscScalar *>(memory) + side * hex_half * threads + threadIdx.x;

    if (inside && z + 1 < grid.n[2]) {
      PetscScalar below[4][3], above[4][3];

      load(z, below);
      load(z + 1, above);
      hex_diffusion<PetscScalar>(below, above, cached_load(&view.material[grid.element(at[0], at[1], z)][0]),
                                 [&](int a, int b, PetscScalar value) { mine[hex_upper(a, b) * threads] = value; });
    } else {
  #pragma unroll
      for (int k = 0; k < hex_half; k++) mine[k * threads] = 0;
    }
    if (at[0] >= 0 && at[0] < grid.n[0] && at[1] >= 0 && at[1] < grid.n[1] && z + 2 < grid.n[2]) to_l1(view.x[grid.node(at[0], at[1], z + 2)]);
    __syncthreads();
    if (!owner) continue;
    at[2] = z;
    if (z >= first) {
  #pragma unroll
      for (int k = 0; k < grid_flat; k++) {
        const PetscScalar sum = kept[k] + sum_on_chip<0, 0>(mine, width, grid_flat_x(k), grid_flat_y(k));

        write_grid_pair<layout, 1>(to, at, grid_flat_x(k), grid_flat_y(k), 0, [&](int, int) { return sum; });
      }
  #pragma unroll
      for (int k = 0; k < 9; k++) {
        const PetscScalar sum = sum_on_chip<0, 1>(mine, width, k % 3 - 1, k / 3 - 1);

        write_grid_pair<layout, 1>(to, at, k % 3 - 1, k / 3 - 1, 1, [&](int, int) { return sum; });
      }
    }
  #pragma unroll
    for (int k = 0; k < grid_flat; k++) kept[k] = sum_on_chip<1, 1>(mine, width, grid_flat_x(k), grid_flat_y(k));
  }
}

inline void launch(const Mesh &mesh, const GridTarget &to)
{
  dim3              blocks;
  const View        view{mesh.view().x, mesh.view().material, GridBlocks::choose(to.grid, threads, blocks)};
  const std::size_t shared = 2 * hex_half * threads * sizeof(PetscScalar);

  if (to.target.layout == Layout::Cds) launch_kernel_with(shared, Kernel<Layout::Cds>, blocks, threads, view, to);
  else launch_kernel_with(shared, Kernel<Layout::SlicedEll>, blocks, threads, view, to);
}

#endif

} // namespace grid_diffusion
} // namespace goza
