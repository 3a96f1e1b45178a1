/* P^T A P on the host, row by row. The rows of A P that a row needs are made when the first one needs them and dropped after the last: A P as a whole would be larger
   than the rest of the set-up, and memory that nobody had before is slow. The sums are those of two products one after the other. */
#pragma once
#include "csr_matrix.hpp"

namespace goza
{

/* R is the transpose of P, or its conjugate; bs and k: unknowns of a node of A and of C. Every row has its diagonal block. False where the matrices do not consist of full blocks. */
bool galerkin_host(const Csr &R, const Csr &A, const Csr &P, PetscInt bs, PetscInt k, CsrMatrix &C);

} // namespace goza
