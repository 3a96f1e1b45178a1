/* Rows out of pairs of nodes, and blocks out of compressed rows. */
#pragma once
#include "assembly/mesh/symbolic.hpp"
#include "core/sparse/csr_matrix.hpp"
#include "target.hpp"

namespace goza::assembly {

/* Row pointers of the rows of the pairs with owned nodes, in their order, or of those with other ranks' nodes; and the whole pattern, without values: other
   ranks' columns count from the first ghost's. */
Array<PetscInt> row_pointer_of_pairs(Space space, const AssemblyMap &map, PetscInt owned, int bs, bool others);
CsrMatrix       rows_of_pairs(const Mesh &mesh, const AssemblyMap &map, int bs, bool others);

/* What was assembled into the rows of `from`, of which pair k of nodes becomes block place[k] of those of owned nodes (own) or of other ranks' nodes: bs x bs,
   column after column. */
void put_blocks(Space space, const AssemblyMap &map, const Target &from, const PetscInt *place, PetscScalar *own, PetscScalar *other);

} // namespace goza::assembly
