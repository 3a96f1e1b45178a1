/* P^T A P on the host, row by row. The rows of A P that a row needs are made when the first one needs them and dropped after the last: A P as a whole would be larger
   than the rest of the set-up, and memory that nobody had before is slow. The sums are those of two products one after the other. */
#pragma once
#include "csr_matrix.hpp"

namespace goza
{

/* R is the transpose of P. Every row has its diagonal. */
CsrMatrix galerkin_host(const Csr &R, const Csr &A, const Csr &P);

} // namespace goza
