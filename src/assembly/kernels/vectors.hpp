/* Right-hand side, residual and stress: element after element, then summed into the rows of their owners in an order that is always the same. */
#pragma once
#include "numeric.hpp"

namespace goza::assembly {

/* What a vector is made of; null: none of it. */
struct VectorTerms {
  const PetscScalar *force = nullptr; // [nelem][bs] in a unit volume
  const PetscScalar *load  = nullptr; // [owned][bs] of surfaces
  const PetscScalar *u     = nullptr; // [nodes][bs]
  PetscScalar        scale = 1;
};

/* y_i = scale (load_i + integral f N_i - (K u)_i) for the owned nodes, of the whole K (nothing fixed). */
void assemble_vector(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const VectorTerms &terms, PetscScalar *y);

/* The rows of given unknowns instead: y_i = scale K_ii (value_i - now_i). nodes[n]: the owned nodes that have some; value: [nodes][bs]; now: [owned][bs], or
   null for 0 */
struct GivenRows {
  const PetscInt    *nodes;
  PetscInt           n;
  const PetscScalar *value, *now;
  PetscScalar        scale;
};
void assemble_given_rows(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const GivenRows &rows, PetscScalar *y);

/* local[nodes][bs] from the owned entries, the ghosts' (or null) and the values of given unknowns (or null). */
void fill_local(const Mesh &mesh, int bs, const PetscScalar *own, const PetscScalar *ghost, const PetscScalar *value, PetscScalar *local);

/* to[index[k]] = from[k] for k < n */
void scatter_values(Space space, PetscInt n, const PetscInt *index, const PetscScalar *from, PetscScalar *to);

/* Elasticity: the von Mises stress. u: [nodes][3] */
void element_stress(const Mesh &mesh, const PetscScalar *u, PetscScalar *stress, PetscReal *volume); // [nelem]; volume: null where it is not wanted
// at the owned nodes: the mean over their elements, weighted by volume
void von_mises(const Mesh &mesh, const AssemblyMap &map, const PetscScalar *u, PetscScalar *stress);

} // namespace goza::assembly
