#include "grid_numeric.hpp"
#include "grid_diffusion.hpp"
#include "grid_elasticity.hpp"

namespace goza::assembly {

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
