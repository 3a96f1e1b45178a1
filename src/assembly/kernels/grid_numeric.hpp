/* The numeric phase of a grid on the device: no maps (grid_blocks.hpp). */
#pragma once
#include "numeric.hpp"

namespace goza::assembly {

/* Is there a way for this layout? Of real numbers, diffusion into CDS and sliced ELL, in which values of neighbouring nodes lie together; elasticity into CSR
   too. */
inline bool is_for_grids(EquationKind equation, Layout layout)
{
  return !PetscDefined(USE_COMPLEX) && (equation == EquationKind::Elasticity || (equation == EquationKind::Diffusion && layout != Layout::Csr));
}

/* map: of a grid. false: rows of given unknowns are like all others; diffusion leaves them out. */
bool assemble_on_grid(const Problem &problem, const MeshView &mesh, const AssemblyMap &map, const Target &target);

/* Into half of a grid's diagonals, where those are all that there are: zeros beyond the grid, too. */
bool writes_all_on_grid(const Problem &problem, const AssemblyMap &map, const Target &target);

} // namespace goza::assembly
