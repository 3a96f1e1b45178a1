/* From compressed diagonals to CSR: the values of a matrix that was assembled into the former, for those who read the latter. */
#pragma once
#include "assembly/mesh/symbolic.hpp"
#include "target.hpp"

namespace goza::assembly {

/* val: of rows that are the map's pairs in order and nothing else. diagonals: a target of Layout::Cds that has them all, half or full */
void expand_diagonals(Space space, const AssemblyMap &map, const Target &diagonals, PetscScalar *val);

} // namespace goza::assembly
