/* Diffusion on a grid into CDS and sliced ELL: every warp for itself (grid_sweep.hpp), a lane an element matrix in registers. */
#pragma once
#include "grid_sweep.hpp"
#include "hex_diffusion.hpp"

namespace goza
{
namespace grid_diffusion
{

#if defined(__CUDACC__)

constexpr int warps = 4, blocks_at_once = 3, most_rows = 9; // registers have room for so many blocks; rows of a strip: what they carry over lies on chip

struct View {
  const PetscReal (*x)[3];
  const PetscReal (*material)[2];
  GridSweep sweep;
};

/* Of the elements along n nodes. */
__device__ inline PetscInt nearest(PetscInt at, PetscInt n)
{
  return at < 0 ? 0 : at + 1 < n ? at : n - 2;
}

template <Layout layout>
__global__ void __launch_bounds__(32 * warps, blocks_at_once) Kernel(const __grid_constant__ View view, const __grid_constant__ GridTarget to)
{
  extern __shared__ double memory[];

  const GridSweep   &sweep = view.sweep;
  const NodeGrid    &grid  = to.grid;
  const int          lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const PetscInt     segment = static_cast<PetscInt>(blockIdx.x) * warps + warp, first = static_cast<PetscInt>(blockIdx.y) * sweep.planes;
  const PetscInt     end = first + sweep.planes < grid.n[2] ? first + sweep.planes : grid.n[2];
  const SweepLane    place(sweep, grid, segment, lane);
  PetscScalar *const carry = reinterpret_cast<PetscScalar *>(memory) + warp * sweep.rows * SweepSums::flat * 32 + lane;

  if (segment >= sweep.segments) return;
  for (int k = 0; k < sweep.rows * SweepSums::flat; k++) carry[k * 32] = 0;
  for (PetscInt z = first > 0 ? first - 1 : 0; z < end; z++) {
    SweepSums sums;

  #pragma unroll 1
    for (int k = 0; k <= sweep.rows; k++) {
      /* where there is no element, some other one with a coefficient of zero */
      const PetscInt   y = place.y - 1 + k, e[3] = {nearest(place.x, grid.n[0]), nearest(y, grid.n[1]), nearest(z, grid.n[2])};
      const PetscReal *x[4];
      PetscScalar      below[4][3], above[4][3], factor = cached_load(&view.material[grid.element(e[0], e[1], e[2])][0]);
      const bool       owns[2] = {k > 0, k < sweep.rows};

      if (e[0] != place.x || e[1] != y || e[2] != z) factor = 0;
  #pragma unroll
      for (int line = 0; line < 4; line++) x[line] = view.x[grid.node(e[0], e[1] + line % 2, e[2] + line / 2)];
  #pragma unroll
      for (int v = 0; v < 6; v++) {
        below[v / 3][v % 3]     = cached_load(x[0] + v);
        below[2 + v / 3][v % 3] = cached_load(x[1] + v);
        above[v / 3][v % 3]     = cached_load(x[2] + v);
        above[2 + v / 3][v % 3] = cached_load(x[3] + v);
      }
      sums.begin_row();
      hex_diffusion<PetscScalar>(below, above, factor, [&](int a, int b, PetscScalar value) { sums.add(a < b ? a : b, a < b ? b : a, value); });
      if (k > 0) sums.carry_over(carry + (k - 1) * SweepSums::flat * 32);
      if (z >= first) sums.write<layout>(to, place.x, y, z, lane, owns);
    }
  }
}

inline void launch(const Mesh &mesh, const GridTarget &to)
{
  dim3              blocks;
  const View        view{mesh.view().x, mesh.view().material, GridSweep::choose(to.grid, most_rows, warps * blocks_at_once, warps, blocks)};
  const std::size_t shared = warps * static_cast<std::size_t>(view.sweep.rows) * SweepSums::flat * 32 * sizeof(PetscScalar);

  if (to.target.layout == Layout::Cds) launch_kernel_with(shared, Kernel<Layout::Cds>, blocks, 32 * warps, view, to);
  else launch_kernel_with(shared, Kernel<Layout::SlicedEll>, blocks, 32 * warps, view, to);
}

#endif

} // namespace grid_diffusion
} // namespace goza
