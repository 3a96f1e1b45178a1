/* Diffusion on a grid (grid_blocks.hpp): a thread takes an element of the plane. The element matrices of a plane lie on chip; then the thread sums up the pairs of the node at
   the low corner of its element. Pairs inside a plane of nodes have their other half from the elements of the plane before, which the thread has kept. */
#pragma once
#include "grid_blocks.hpp"
#include "hex_diffusion.hpp"
#if defined(__CUDACC__)
  #include <cuda_pipeline.h>
#endif

namespace goza
{
namespace grid_diffusion
{

#if defined(__CUDACC__)

constexpr int threads = 128, blocks_at_once = 3; // of a multiprocessor: one computes while another waits

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

/* The coordinates of a rectangle's corners in three planes of nodes, those of the next one on their way while two are read. Every thread fetches the low corner of its
   element; the last line and column of elements also what lies behind them. */
class Corners {
public:
  __device__ Corners(PetscReal *memory, const View &view, const NodeGrid &grid) : memory_(memory), width_(view.blocks.width + 1), view_(view), grid_(grid) { }

  HD static std::size_t words(const GridBlocks &blocks) { return 9 * static_cast<std::size_t>(blocks.width + 1) * (blocks.height + 1); }

  __device__ const PetscReal *plane(PetscInt z) const { return memory_ + z % 3 * 3 * width_ * (view_.blocks.height + 1); }

  __device__ void fetch(const PetscInt *at, PetscInt z) const
  {
    const int x = threadIdx.x % view_.blocks.width, y = threadIdx.x / view_.blocks.width;

    if (z >= grid_.n[2] || y >= view_.blocks.height) return;
  #pragma unroll 1
    for (int c = 0; c < 4; c++) {
      if ((c & 1 && x + 1 < view_.blocks.width) || (c & 2 && y + 1 < view_.blocks.height)) continue;
      const PetscInt i = at[0] + (c & 1), j = at[1] + (c >> 1);

      if (i < 0 || i >= grid_.n[0] || j < 0 || j >= grid_.n[1]) continue;
      PetscReal *const to = const_cast<PetscReal *>(plane(z)) + 3 * (x + (c & 1) + (y + (c >> 1)) * width_);

  #pragma unroll
      for (int d = 0; d < 3; d++) __pipeline_memcpy_async(to + d, view_.x[grid_.node(i, j, z)] + d, sizeof(PetscReal));
    }
    __pipeline_commit();
  }

  __device__ void load(PetscInt z, PetscScalar (*X)[3]) const
  {
    const PetscReal *from = plane(z) + 3 * (static_cast<int>(threadIdx.x) % view_.blocks.width + static_cast<int>(threadIdx.x) / view_.blocks.width * width_);

  #pragma unroll
    for (int c = 0; c < 4; c++) {
      for (int d = 0; d < 3; d++) X[c][d] = from[3 * ((c & 1) + (c >> 1) * width_) + d];
    }
  }

private:
  PetscReal      *memory_;
  int             width_;
  const View     &view_;
  const NodeGrid &grid_;
};

template <Layout layout>
__global__ void __launch_bounds__(threads, blocks_at_once) Kernel(const __grid_constant__ View view, const __grid_constant__ GridTarget to)
{
  extern __shared__ double memory[];

  const NodeGrid    &grid  = to.grid;
  const int          width = view.blocks.width;
  PetscInt           at[3];
  bool               owner;
  const bool         inside = view.blocks.find(threadIdx.x, grid, at, &owner);
  const PetscInt     first = at[2], end = first + view.blocks.planes < grid.n[2] ? first + view.blocks.planes : grid.n[2];
  PetscScalar        kept[grid_flat] = {};
  PetscScalar *const mine            = reinterpret_cast<PetscScalar *>(memory) + threadIdx.x;
  const Corners      corners(reinterpret_cast<PetscReal *>(reinterpret_cast<PetscScalar *>(memory) + hex_half * threads), view, grid);
  PetscInt           z = first > 0 ? first - 1 : 0;

  corners.fetch(at, z);
  corners.fetch(at, z + 1);
  __pipeline_wait_prior(0);
  __syncthreads();
  for (; z < end; z++) {
    corners.fetch(at, z + 2);
    if (inside && z + 1 < grid.n[2]) {
      PetscScalar below[4][3], above[4][3];

      corners.load(z, below);
      corners.load(z + 1, above);
      hex_diffusion<PetscScalar>(below, above, cached_load(&view.material[grid.element(at[0], at[1], z)][0]),
                                 [&](int a, int b, PetscScalar value) { mine[hex_upper(a, b) * threads] = value; });
    } else {
  #pragma unroll
      for (int k = 0; k < hex_half; k++) mine[k * threads] = 0;
    }
    __pipeline_wait_prior(0);
    __syncthreads();
    if (owner) {
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
    __syncthreads();
  }
}

inline void launch(const Mesh &mesh, const GridTarget &to)
{
  dim3              blocks;
  const View        view{mesh.view().x, mesh.view().material, GridBlocks::choose(to.grid, threads, blocks_at_once, blocks)};
  const std::size_t shared = hex_half * threads * sizeof(PetscScalar) + Corners::words(view.blocks) * sizeof(PetscReal);

  if (to.target.layout == Layout::Cds) launch_kernel_with(shared, Kernel<Layout::Cds>, blocks, threads, view, to);
  else launch_kernel_with(shared, Kernel<Layout::SlicedEll>, blocks, threads, view, to);
}

#endif

} // namespace grid_diffusion
} // namespace goza
