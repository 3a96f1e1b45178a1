/* Diagonals from those of the same matrix in double precision. */
#pragma once
#include "cds.hpp"

namespace goza::mat {

/* As row_exponents(), of a matrix whose diagonal entries are the largest of their rows, and are read alone. */
RowExponents diagonal_exponents(const Cds<PetscScalar, PetscScalar> &A);

} // namespace goza::mat
