/* Elasticity on a grid: kernels for CSR, whose rows lanes write side by side, for half CDS, and for full CDS and sliced ELL. */
#pragma once
#include "grid_elastic_full.hpp"
#include "grid_elastic_sums.hpp"
#include "grid_elastic_rows.hpp"

namespace goza::assembly::grid_elasticity {

/* Elasticity on a grid into half CDS: some warps of a block make element matrices (grid_elastic_producer.hpp) while others add up those of the rows before and
   write (grid_elastic_sums.hpp). */
#if defined(__CUDACC__)

constexpr int half_threads = 32 * (Producer::warps + consumers);

static __global__ void __launch_bounds__(half_threads, 1)
  HalfKernel(const __grid_constant__ View view, const __grid_constant__ GridRegion region, const __grid_constant__ GridTarget to)
{
  make_and_add_up<consumers, kept_entries, consume>(view, region, to);
}

inline void launch_half(const MeshView &mesh, const GridTarget &to)
{
  dim3             blocks;
  const GridRegion region = GridRegion::choose(to.grid, GridRegion::most, blocks);
  const View       view{mesh.x, mesh.material, {}};

  launch_kernel_with<HalfKernel>(Ring::bytes + Nodes::bytes, blocks, half_threads, view, region, to);
}

#endif

#if defined(__CUDACC__)

inline void launch(const MeshView &mesh, const GridTarget &to)
{
  if (to.target.layout == Layout::Csr) launch_rows(mesh, to);
  else if (to.target.layout == Layout::SlicedEll) launch_full<Layout::SlicedEll>(mesh, to);
  else if (to.target.half) launch_half(mesh, to);
  else launch_full<Layout::Cds>(mesh, to);
}

#endif

} // namespace goza::assembly::grid_elasticity
