/* Blocks out of compressed rows. */
#pragma once
#include "assembly/mesh/symbolic.hpp"
#include "target.hpp"

namespace goza::assembly
{

/* What was assembled into the rows of `from`, of which pair k of nodes becomes block place[k] of those of owned nodes (own) or of other ranks' nodes: bs x bs, column after column. */
void put_blocks(Space space, const AssemblyMap &map, const Target &from, const PetscInt *place, PetscScalar *own, PetscScalar *other);

} // namespace goza::assembly
