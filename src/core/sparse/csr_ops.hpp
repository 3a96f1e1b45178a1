/* Operations with whole CSR matrices that the set-up of a preconditioner needs, in either space. Those that make a matrix sort the columns of each row, and
   add every entry up in the order of the columns of the left factor: results do not depend on the run, and those of host and device differ by rounding
   alone. */
#pragma once
#include "core/launch/row_out.hpp"
#include "csr_matrix.hpp"

namespace goza {

void multiply(const Csr &A, const PetscScalar *x, PetscScalar *y); // y = A x
void multiply(const Csr &A, const PetscScalar *x, const RowOut<PetscScalar> &out);
void multiply(const Csr &A, const PetscScalar *x, PetscScalar *y, PetscScalar *dot); // and *dot = x^H y of these rows, in A's space

CsrMatrix transpose(const Csr &A);
void      transpose_numeric(const Csr &A, CsrMatrix &T); // A's values into a T with the pattern of A's transpose

bool columns_ascend(const Csr &A); // strictly, in every row

bool same_pattern(const CsrMatrix &A, const CsrMatrix &B);

/* A B. with_diagonal: every row has its diagonal entry, whatever the factors hold; ascend: B's columns do in each row, as rows from other ranks need not.
   multiply_numeric() puts in the values of factors whose patterns are those that C was made from. */
CsrMatrix multiply(const Csr &A, const Csr &B, bool with_diagonal = false, bool ascend = false);
void      multiply_numeric(const Csr &A, const Csr &B, CsrMatrix &C);

} // namespace goza
