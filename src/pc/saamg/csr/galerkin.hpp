/* The coarse operator of one rank's matrix, in the space where the matrix is: as galerkin.hpp. */
#pragma once
#include "core/csr_ops.hpp"

namespace goza
{

/* Ac = R (A P), with bs unknowns a node in A and k in Ac. AP is A P on return; of it, galerkin_update() needs the pattern. */
CsrMatrix galerkin_product(const Csr &A, PetscInt bs, const CsrMatrix &P, const CsrMatrix &R, PetscInt k, CsrMatrix &AP);

/* The same with new values in A and all patterns as they were. */
void galerkin_update(const Csr &A, PetscInt bs, const CsrMatrix &P, const CsrMatrix &R, PetscInt k, CsrMatrix &AP, CsrMatrix &Ac);

} // namespace goza
