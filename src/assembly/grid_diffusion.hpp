/* Diffusion on a grid: a thread block takes a rectangle of elements and goes through the planes, a thread an element of the plane. The element matrices of a plane lie on
   chip; then the thread sums up the pairs of the node at the low corner of its element. Pairs inside a plane of nodes have their other half from the elements of the
   plane before, which the thread has kept. The rectangle's first line and column of elements are another block's too. */
#pragma once
#include "grid_write.hpp"
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
  int      width, height; // elements of a rectangle
  PetscInt planes;        // nodes' planes of a block
};

/* The upper neighbours in a node's own plane. */
constexpr int nflat = 5;
__device__ constexpr int flat_x(int k) { return k == 0 || k == 3 ? 0 : k == 2 ? -1 : 1; }
__device__ constexpr int flat_y(int k) { return k > 1; }

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

template <Layout layout> __global__ void __launch_bounds__(threads, 1) Kernel(const __grid_constant__ View view, const __grid_constant__ GridTarget to)
{
  extern __shared__ double memory[];

  const NodeGrid &grid = to.grid;
  const int       tx = threadIdx.x % view.width, ty = threadIdx.x / view.width;
  const PetscInt  first = blockIdx.z * view.planes, end = first + view.planes < grid.n[2] ? first + view.planes : grid.n[2];
  PetscInt        at[3] = {static_cast<PetscInt>(blockIdx.x) * (view.width - 1) + tx - 1, static_cast<PetscInt>(blockIdx.y) * (view.height - 1) + ty - 1, first};
  const bool      inside = ty < view.height && at[0] >= 0 && at[0] + 1 < grid.n[0] && at[1] >= 0 && at[1] + 1 < grid.n[1];
  const bool      owner = tx > 0 && ty > 0 && ty < view.height && at[0] < grid.n[0] && at[1] < grid.n[1];
  PetscScalar     kept[nflat] = {};

  const auto load = [&](PetscInt z, PetscScalar(*X)[3]) {
  #pragma unroll
    for (int c = 0; c < 4; c++) {
      for (int d = 0; d < 3; d++) X[c][d] = cached_load(&view.x[grid.node(at[0] + (c & 1), at[1] + (c >> 1), z)][d]);
    }
  };

  PetscInt z = first > 0 ? first - 1 : 0;
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
    __syncthreads();
    if (!owner) continue;
    at[2] = z;
    if (z >= first) {
  #pragma unroll
      for (int k = 0; k < nflat; k++) {
        const PetscScalar sum = kept[k] + sum_on_chip<0, 0>(mine, view.width, flat_x(k), flat_y(k));

        write_grid_pair<layout, 1>(to, at, flat_x(k), flat_y(k), 0, [&](int, int) { return sum; });
      }
  #pragma unroll
      for (int k = 0; k < 9; k++) {
        const PetscScalar sum = sum_on_chip<0, 1>(mine, view.width, k % 3 - 1, k / 3 - 1);

        write_grid_pair<layout, 1>(to, at, k % 3 - 1, k / 3 - 1, 1, [&](int, int) { return sum; });
      }
    }
  #pragma unroll
    for (int k = 0; k < nflat; k++) kept[k] = sum_on_chip<1, 1>(mine, view.width, flat_x(k), flat_y(k));
  }
}

/* The rectangle that computes the fewest elements twice or in vain. */
inline void choose_rectangle(const NodeGrid &grid, View &view)
{
  std::int64_t best = 0;

  for (int width = 2; width <= threads / 2; width++) {
    const int          height = threads / width;
    const std::int64_t work = static_cast<std::int64_t>(blocks_for(grid.n[0], width - 1)) * blocks_for(grid.n[1], height - 1);

    if (best && work >= best) continue;
    best        = work;
    view.width  = width;
    view.height = height;
  }
}

inline void launch(const Mesh &mesh, const GridTarget &to)
{
  View view{mesh.view().x, mesh.view().material, 0, 0, 32};

  choose_rectangle(to.grid, view);
  const dim3        blocks(blocks_for(to.grid.n[0], view.width - 1), blocks_for(to.grid.n[1], view.height - 1), blocks_for(to.grid.n[2], view.planes));
  const std::size_t shared = 2 * hex_half * threads * sizeof(PetscScalar);

  if (to.target.layout == Layout::Cds) launch_kernel_with(shared, Kernel<Layout::Cds>, blocks, threads, view, to);
  else if (to.target.layout == Layout::SlicedEll) launch_kernel_with(shared, Kernel<Layout::SlicedEll>, blocks, threads, view, to);
  else launch_kernel_with(shared, Kernel<Layout::Csr>, blocks, threads, view, to);
}

#endif

} // namespace grid_diffusion
} // namespace goza
