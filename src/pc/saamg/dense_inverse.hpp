#pragma once
#include "core/csr_matrix.hpp"

namespace goza
{

/* inverse[n][n] becomes A^-1, by rows, where the matrix is. Elimination without an exchange of rows, after symmetric scaling to a unit diagonal, and a look at A A^-1: false
   where that is not the identity or the pivots say that A is singular to working precision. Nothing is known of `inverse` then. */
bool dense_inverse(const Csr &A, Array<PetscScalar> &inverse);

} // namespace goza
