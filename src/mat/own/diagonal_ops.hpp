/* What can be done to diagonals where they are. Arrays are in the same space. */
#pragma once
#include "core/sparse/csr_matrix.hpp"
#include "mat/cds/cds_entries.hpp"

namespace goza::mat
{

using DiagonalValues = CdsEntries<PetscScalar>;

void scale(Space space, const DiagonalValues &A, PetscScalar factor);
void scale_rows_and_columns(Space space, const DiagonalValues &A, const PetscScalar *row, const PetscScalar *column); // null: by 1
void read_diagonal(Space space, const DiagonalValues &A, PetscScalar *y);
void read_blocks(Space space, const DiagonalValues &A, PetscInt bs, PetscScalar *block); // [rows][bs], those on the main diagonal, of any size
/* a_ii becomes factor + x_i, or with `add` that much more; x may be null. The main diagonal is stored. */
void change_diagonal(Space space, const DiagonalValues &A, PetscScalar factor, const PetscScalar *x, bool add);
/* Y = factor X, or Y + factor X, where Y has a diagonal; of X in half storage both halves count. Y and X have the same block size. */
void combine(Space space, const DiagonalValues &Y, const DiagonalValues &X, PetscScalar factor, bool add);
/* T = A^T, whose diagonals are those of A mirrored. */
void transpose_into(Space space, const DiagonalValues &T, const DiagonalValues &A);
/* y = A^T x, or z + A^T x */
void      multiply_transposed(Space space, const DiagonalValues &A, const PetscScalar *x, const PetscScalar *z, PetscScalar *y);
PetscReal largest_row_sum(Space space, const DiagonalValues &A);
PetscReal largest_column_sum(Space space, const DiagonalValues &A);
PetscReal square_sum(Space space, const DiagonalValues &A);
void      absolute_sums(Space space, const DiagonalValues &A, bool of_columns, PetscScalar *y); // of each row or column

/* gone [rows]: 1 for the rows to be zeroed, whose diagonal entry becomes diag; in full storage. */
void zero_rows(Space space, const DiagonalValues &A, const char *gone, PetscScalar diag);
/* and the columns; b, unless it is null, less what the columns gave for x. */
void zero_rows_and_columns(Space space, const DiagonalValues &A, const char *gone, PetscScalar diag, const PetscScalar *x, PetscScalar *b);

/* As compressed rows: the entries that are not 0, and the main diagonal. */
void         count_entries(Space space, const DiagonalValues &A, PetscInt *length); // [rows]
std::int64_t count_entries(Space space, const DiagonalValues &A);
void         copy_entries(Space space, const DiagonalValues &A, const PetscInt *begin, PetscInt first, PetscInt *col, PetscScalar *val); // begin: of each row; first: number of the first column
/* By whole blocks, those that have an entry, so that what asks for full blocks finds them; an error where PetscInt cannot count them. main: those on the main diagonal in any case. */
CsrMatrix compressed_rows(Space space, const DiagonalValues &A, bool main = true);

} // namespace goza::mat
