/* csr_product.hpp for terms of one entry at most, as those of a smoothed interpolation: a thread a row, see few_columns.hpp. A new matrix with a row that does not fit goes
   through csr_product.hpp. Twice as fast as 8 lanes a row with tables in shared memory, and again where columns are known.

   Terms are those of csr_product.hpp, and
     column(p), value(p)     entry p of a CSR matrix is term p: its column, or no_column, and value
     on(Columns, Values)     as for staged_rows.hpp */
#pragma once
#include "csr_product.hpp"
#include "few_columns.hpp"
#include "core/launch/staged_rows.hpp"

#if defined(__CUDACC__)
namespace goza
{
namespace product
{
namespace single
{

/* A: the matrix that the terms are entries of. */
template <class Terms> void refill(const Csr &A, const Terms &terms, CsrMatrix &C)
{
  for_each_csr_row(A, 1, Refill<Terms>{terms, C.ptr.data(), C.col.data(), C.val.data()});
}

/* Rows: as for product::make() */
template <class Terms, class Rows> void make(const Csr &A, const Terms &terms, const Rows &rows, CsrMatrix &C)
{
  Array<int> overflown(Space::Cuda, 1);

  C.ptr = Array<PetscInt>(Space::Cuda, C.nrows + 1);
  overflown.zero();
  for_each_csr_row(A, 1, Count<Terms>{terms, C.ptr.data(), overflown.data()});
  if (read_value(Space::Cuda, overflown.data())) {
    product::make(terms, rows, C);
    return;
  }
  C.col = Array<PetscInt>(Space::Cuda, lengths_to_pointer(Space::Cuda, C.ptr));
  C.val = Array<PetscScalar>(Space::Cuda, C.col.size());
  for_each_csr_row(A, 1, Fill<Terms>{terms, C.ptr.data(), C.col.data(), C.val.data()});
}

} // namespace single
} // namespace product
} // namespace goza
#endif
