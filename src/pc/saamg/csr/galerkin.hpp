/* The coarse operator of one rank's matrix, in the space where the matrix is: as galerkin.hpp. */
#pragma once
#include "core/csr_ops.hpp"

namespace goza
{

/* Ac = R (A P). With the same patterns as before and new values in A: the numeric phase alone. AP keeps the pattern of the first product. */
CsrMatrix galerkin_symbolic(const Csr &A, const CsrMatrix &P, const CsrMatrix &R, CsrMatrix &AP);
void      galerkin_numeric(const Csr &A, const CsrMatrix &P, const CsrMatrix &R, CsrMatrix &AP, CsrMatrix &Ac); // AP's values are gone afterwards

} // namespace goza
