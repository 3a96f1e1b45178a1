/* The numeric phase: the element matrices summed into the rows of their owners. Values only: everything that can be searched was found in the symbolic
   phase. */
#pragma once
#include "assembly/mesh/symbolic.hpp"
#include "target.hpp"

namespace goza::assembly {

struct Problem {
  EquationKind equation = EquationKind::Diffusion;
  int          bs       = 1;
};

/* The symbolic phase for a matrix of this layout: on the device it decides which pairs of nodes are summed. */
AssemblyMap make_assembly_map(const Problem &problem, const Mesh &mesh, Layout layout);

/* Every value of the matrix, written once. Rows and columns of given unknowns are zero but for the diagonal, which stays: the matrix stays symmetric, and its
   scale. Places of the target that are no pair of the map are left as they are, unless writes_all(). */
bool writes_all(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const Target &target);
void assemble_matrix(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const Target &target);

} // namespace goza::assembly
