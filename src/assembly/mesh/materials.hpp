/* The engineer's constants of elements, as they were given, into the equation's. */
#pragma once
#include "mesh.hpp"

namespace goza::assembly {

/* index[nelem]: the mesh's elements among those given, or null where they are the same. second: Poisson's ratio, of elasticity alone. */
struct Materials {
  EquationKind       equation;
  PetscInt           nelem;
  const PetscInt    *index;
  const PetscScalar *first, *second;
};

Array<PetscInt> bad_materials(Space space, const Materials &given); // elements of the mesh whose constants are out of range, ascending
void            convert_materials(Space space, const Materials &given, PetscScalar *material); // [nelem][2]

} // namespace goza::assembly
