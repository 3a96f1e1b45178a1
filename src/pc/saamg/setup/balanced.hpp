/* A diagonal that balances the rows: D, larger where a row's other entries outweigh it. In the space where the matrix is; columns of A are local ones of a
   map. */
#pragma once
#include "eigen.hpp"

namespace goza::saamg {

/* No eigenvalue of the matrix over its balanced diagonal is larger. 2 balances the rows of good tetrahedra as well, whose elasticity then takes an eighth more
   iterations; 6 leaves slivers as they are. */
constexpr PetscReal most_balanced = 3.2;

/* [rows] dinv / max(1, l1 / most_balanced), l1 the row's l1 norm where the diagonal is scaled to 1, its own 1 included: by Gershgorin no eigenvalue is larger
   than that. Of an M-matrix it is D. Where a few rows are longer than others (slivers, thin elements, Poisson's ratio near 1/2), lambda_max of D^-1 A is
   theirs, and smoothers and interpolation do little for the rest: with this diagonal CG takes three quarters of the iterations for elasticity on slivers.
   Collective. */
Array<PetscScalar> balanced_inverse(const StoredRows &A, const ColumnMap &columns, const CsrFacts &facts);

} // namespace goza::saamg
