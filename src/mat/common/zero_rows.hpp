/* Rows, or rows and columns, of a block set to zero, as Dirichlet conditions are put in: what MatZeroRows() and MatZeroRowsColumns() do to values and
   right-hand side. Pattern, values and vectors are in one space; flags mark what is zeroed. */
#pragma once
#include "core/sparse/csr.hpp"

namespace goza::mat {

/* Listed rows become zero, but for diag on the diagonal. */
void zero_rows(const Csr &pattern, PetscScalar *val, const PetscInt *rows, PetscInt n, PetscScalar diag);

/* b = diag x in the listed rows. */
void set_rows(Space space, const PetscInt *rows, PetscInt n, PetscScalar diag, const PetscScalar *x, PetscScalar *b);

/* Marked rows become zero, but for diag on the diagonal; marked columns become zero, what they gave with x leaves b. No x: b is left alone. Blocks beside the
   diagonal have diag 0: there row and column numbers mean different things. */
struct ZeroedColumns {
  const char        *row, *col; // [nrows], [ncols]
  PetscScalar        diag;
  const PetscScalar *x; // [ncols] or none
  PetscScalar       *b; // [nrows]
};
void zero_rows_and_columns(const Csr &pattern, PetscScalar *val, const ZeroedColumns &zeroed);

/* The values of a matrix whose marked rows have got another pattern: other rows keep theirs, marked ones are zero but for diag on the diagonal. */
void fill_without_rows(const Csr &before, const Csr &now, PetscScalar *val, const char *row, PetscScalar diag);

/* 1 at each listed place of flags, which are n. */
void mark(Space space, const PetscInt *list, PetscInt listed, char *flags, PetscInt n);

} // namespace goza::mat
