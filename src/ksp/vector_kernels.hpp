/* Passes over vectors that are no method's own. */
#pragma once
#include "core/launch/fused_elements.hpp"

namespace goza::ksp {

void subtract_from(Space space, PetscInt n, const PetscScalar *b, PetscScalar *y, FusedSums &sums); // y = b - y

/* *result = y^H x, in the space; of ones where y is nullptr. */
void dot(Space space, PetscInt n, const PetscScalar *x, const PetscScalar *y, PetscScalar *result, FusedSums &sums);
/* x -= factor * *c v, c in the space; v = 1 where it is nullptr. */
void subtract(Space space, PetscInt n, PetscScalar factor, const PetscScalar *c, const PetscScalar *v, PetscScalar *x, FusedSums &sums);

/* z = D r, D of blocks of bs rows: column c of all of them is blocks[c * n], by row. */
void multiply_blocks(Space space, PetscInt n, PetscInt bs, const PetscScalar *blocks, const PetscScalar *r, PetscScalar *z, FusedSums &sums);

} // namespace goza::ksp
