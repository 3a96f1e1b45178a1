/* The tentative prolongator: near-null vectors cut up by aggregate and made orthonormal there. */
#pragma once
#include "aggregate.hpp"

namespace goza
{

/* T (rows of A) x (k per aggregate), T^T T = I and T Bcoarse = B on the rows that have an aggregate; other rows of T are empty.

   B[rows][k] holds the near-null vectors, Bcoarse[k * aggregates.n][k] what is left of them. CholeskyQR, twice: the Gram matrices of an aggregate are
   summed over its ranks and factored by the rank that owns it. A vector that depends on the earlier ones in an aggregate (zero, or too few rows)
   gives a column of stored zeros, and a zero row of Bcoarse. */
PetscErrorCode TentativeProlongator(MPI_Comm comm, const Aggregates &aggregates, PetscInt bs, PetscInt k, const std::vector<PetscScalar> &B, Mat *T, std::vector<PetscScalar> &Bcoarse);

} // namespace goza
