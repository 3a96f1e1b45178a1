/* Operations with whole CSR matrices that the set-up of a preconditioner needs, in either space. Those that make a matrix sort the columns of each row, and
   add every entry up in the order of the columns of the left factor: results do not depend on the run, and those of host and device differ by rounding alone. */
#pragma once
#include "csr_matrix.hpp"

namespace goza
{

void multiply(const Csr &A, const PetscScalar *x, PetscScalar *y); // y = A x

CsrMatrix transpose(const Csr &A);

bool columns_ascend(const Csr &A); // strictly, in every row

/* C = A B in two steps, so that new values need the second only. with_diagonal: every row of C has its diagonal entry, whatever the factors hold. */
CsrMatrix multiply_symbolic(const Csr &A, const Csr &B, bool with_diagonal = false); // pattern; values not set
void      multiply_numeric(const Csr &A, const Csr &B, CsrMatrix &C);

} // namespace goza
