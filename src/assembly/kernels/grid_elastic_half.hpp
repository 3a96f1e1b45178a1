/* Elasticity on a grid into half CDS: some warps of a block make element matrices (grid_elastic_producer.hpp) while others add up those of the rows before and
   write (grid_elastic_sums.hpp). They wait for one another only where the ring between them is full or empty. */
#pragma once
#include "grid_elastic_producer.hpp"
#include "grid_elastic_sums.hpp"

namespace goza::assembly
{
namespace grid_elasticity
{

#if defined(__CUDACC__)

constexpr int half_threads = 32 * (Producer::warps + consumers);

static __global__ void __launch_bounds__(half_threads, 1)
  HalfKernel(const __grid_constant__ View view, const __grid_constant__ GridRegion region, const __grid_constant__ GridTarget to)
{
  extern __shared__ double memory[];

  const int      warp = threadIdx.x / 32, lane = threadIdx.x % 32, consumer = warp - Producer::warps;
  const PetscInt first = static_cast<PetscInt>(blockIdx.z) * region.planes, end = first + region.planes < to.grid.n[2] ? first + region.planes : to.grid.n[2];
  const PetscInt plane = first > 0 ? first - 1 : 0; // of elements: what it leaves to the first plane of nodes
  const int      steps = static_cast<int>(end - plane) * region.rows();
  const Ring     ring(memory, steps, 32 * (Producer::busy_warps(region) + consumers));

  if (warp < Producer::busy_warps(region)) Producer(view, region, to.grid, plane, warp, lane).run(steps, ring);
  else if (consumer >= 0) {
    PetscScalar *const kept = reinterpret_cast<PetscScalar *>(memory) + Ring::bytes / sizeof(PetscScalar);

    consume(consumer / thirds, Nodes(region, to, kept, consumer % thirds, lane, kept_entries), plane, first, steps, ring);
  }
}

inline void launch_half(const MeshView &mesh, const GridTarget &to)
{
  dim3             blocks;
  const GridRegion region = GridRegion::choose(to.grid, GridRegion::most, blocks);
  const View       view{mesh.x, mesh.material, {}};

  launch_kernel_with<HalfKernel>(Ring::bytes + Nodes::bytes, blocks, half_threads, view, region, to);
}

#endif

} // namespace grid_elasticity
} // namespace goza::assembly
