#pragma once
#include "dense_inverse.hpp"

namespace goza::saamg {

/* M[n][n] becomes its inverse, or, where singular values come to no more than rounding, its pseudo-inverse without them, and *singular says so. A row or column
   of nothing counts as one of the identity. magnitude[n]: of M's rows. */
PetscErrorCode DensePseudoInverse(PetscInt n, std::vector<PetscScalar> &M, const std::vector<PetscReal> &magnitude, bool *singular);

} // namespace goza::saamg
