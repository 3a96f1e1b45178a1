#include "grid_numeric.hpp"
#include "grid_diffusion.hpp"
#include "grid_elastic_full.hpp"
#include "grid_elastic_rows.hpp"

namespace goza::assembly {

#if defined(__CUDACC__)
namespace grid_elasticity {

/* Into half CDS: some warps of a block make element matrices (grid_elastic_producer.hpp) while others add up those of the rows before and write
   (grid_elastic_sums.hpp). */
constexpr int half_threads = 32 * (Producer::warps + consumers);

static __global__ void __launch_bounds__(half_threads, 1)
  HalfKernel(const __grid_constant__ View view, const __grid_constant__ GridRegion region, const __grid_constant__ GridTarget to)
{
  make_and_add_up<consumers, kept_entries, consume>(view, region, to);
}

static void launch_half(const MeshView &mesh, const GridTarget &to)
{
  dim3             blocks;
  const GridRegion region = GridRegion::choose(to.grid, GridRegion::most, blocks);
  const View       view{mesh.x, mesh.material, {}};

  launch_kernel_with<HalfKernel>(Ring::bytes + Nodes::bytes, blocks, half_threads, view, region, to);
}

static void launch(const MeshView &mesh, const GridTarget &to)
{
  if (to.target.layout == Layout::Csr) launch_rows(mesh, to);
  else if (to.target.layout == Layout::SlicedEll) launch_full<Layout::SlicedEll>(mesh, to);
  else if (to.target.half) launch_half(mesh, to);
  else launch_full<Layout::Cds>(mesh, to);
}

} // namespace grid_elasticity
#endif

bool assemble_on_grid(const Problem &problem, const MeshView &mesh, const AssemblyMap &map, const Target &target)
{
#if defined(__CUDACC__)
  const GridTarget to(target, map.grid, map.ptr.data());

  const bool diffusion = problem.equation == EquationKind::Diffusion;

  if (diffusion) grid_diffusion::launch(mesh, to);
  else grid_elasticity::launch(mesh, to);
  return diffusion;
#else
  (void)problem, (void)mesh, (void)map, (void)target;
  throw DeviceError("this libgoza was built without CUDA");
#endif
}

bool writes_all_on_grid(const Problem &problem, const AssemblyMap &map, const Target &target)
{
#if defined(__CUDACC__)
  return problem.equation == EquationKind::Diffusion && GridTarget(target, map.grid, nullptr).whole;
#else
  (void)problem, (void)map, (void)target;
  return false;
#endif
}

} // namespace goza::assembly
