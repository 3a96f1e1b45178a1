#pragma once
#include "core/sparse/csr_matrix.hpp"

namespace goza::saamg {

/* Product of the norms (Frobenius) of a matrix and its inverse up to which nothing of the inverse comes from rounding alone, where the magnitudes of the rows
   are 1 and a larger one is counted as it is. Beyond, singular values decide. */
constexpr PetscReal most_condition = 1e-3 / PETSC_MACHINE_EPSILON;

/* inverse[n][n] becomes A^-1, by rows, where the matrix is. Elimination without an exchange of rows, after symmetric scaling to magnitudes of 1, and a look at
   A A^-1 and its norm: false where that is not the identity or A is singular to working precision. Nothing is known of `inverse` then. */
bool dense_inverse(const Csr &A, const Array<PetscReal> &magnitude, Array<PetscScalar> &inverse);

} // namespace goza::saamg
