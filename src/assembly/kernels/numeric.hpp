/* The numeric phase: the element matrices summed into the rows of their owners, the right-hand side, and the stress. Values only: everything that can be
   searched was found in the symbolic phase. */
#pragma once
#include "assembly/mesh/symbolic.hpp"
#include "target.hpp"

namespace goza::assembly
{

struct Problem {
  EquationKind equation = EquationKind::Diffusion;
  int          bs       = 1;
};

/* The symbolic phase for a matrix of this layout: on the device it decides which pairs of nodes are summed. */
AssemblyMap make_assembly_map(const Problem &problem, const Mesh &mesh, Layout layout);

/* Every value of the matrix, written once. Rows and columns of given unknowns are zero but for the diagonal, which stays: the matrix stays symmetric, and its
   scale. Places of the target that are no pair of the map are left as they are. */
void assemble_matrix(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const Target &target);

/* y_i = integral f N_i - (K u)_i for the owned nodes, of the whole K (nothing fixed). force: [nelem][bs] or null; u: [nodes][bs] or null. With only_diagonal
   instead y_i = K_ii. */
void assemble_vector(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const PetscReal *force, const PetscScalar *u, bool only_diagonal, PetscScalar *y);

/* Elasticity: the von Mises stress at the owned nodes, the mean over their elements, weighted by volume. u: [nodes][3] */
void von_mises(const Mesh &mesh, const AssemblyMap &map, const PetscScalar *u, PetscScalar *stress);

} // namespace goza::assembly
