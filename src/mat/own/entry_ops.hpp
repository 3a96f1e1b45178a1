/* What can be done to an owning matrix's values where they are. Arrays are in the same space. */
#pragma once
#include "core/sparse/csr_matrix.hpp"
#include "mat/cds/cds_entries.hpp"
#include "mat/fold/fold_entries.hpp"
#include "mat/slicedell/ell_entries.hpp"

namespace goza::mat {

using DiagonalValues = CdsEntries<PetscScalar>;
using EllValues      = EllEntries<PetscScalar>;
using FoldValues     = FoldEntries<PetscScalar>;
using OwnValues      = std::variant<DiagonalValues, EllValues, FoldValues>; // all but diagonals go by rows, with a Walk along each

inline PetscScalar *array_of(const OwnValues &values)
{
  return std::visit([](const auto &A) { return A.val; }, values);
}
inline std::size_t places_in(const OwnValues &values)
{
  return std::visit([](const auto &A) { return A.places(); }, values);
}
inline PetscScalar *place_in(const OwnValues &values, PetscInt row, PetscInt col) // nullptr: there is none
{
  return std::visit([=](const auto &A) { return A.place(row, col); }, values);
}

void     scale(Space space, const OwnValues &A, PetscScalar factor);
void     scale_rows_and_columns(Space space, const OwnValues &A, PetscScalar factor, const PetscScalar *row, const PetscScalar *column); // null: by 1
void     read_diagonal(Space space, const OwnValues &A, PetscScalar *y);
void     read_blocks(Space space, const OwnValues &A, PetscInt bs, PetscScalar *block);   // [rows][bs], those on the main diagonal, of any size
PetscInt missing_diagonals(Space space, const OwnValues &A, const Array<PetscInt> *rows); // of these rows, or all: how many have no place for it
/* a_ii becomes factor + x_i, or with `add` that much more; x may be null. The main diagonal is stored. */
void change_diagonal(Space space, const OwnValues &A, PetscScalar factor, const PetscScalar *x, bool add);
/* Y = factor X, or Y + factor X, of one kind, where Y has places for all of X; of X in half storage both halves count. Y and X have the same block size. */
void         combine(Space space, const OwnValues &Y, const OwnValues &X, PetscScalar factor, bool add);
std::int64_t missing_places(Space space, const OwnValues &Y, const OwnValues &X); // by rows: entries of X that Y has no place for
/* T = A^T, whose diagonals are those of A mirrored. */
void transpose_into(Space space, const DiagonalValues &T, const DiagonalValues &A);
/* y = A^T x, or z + A^T x */
void      multiply_transposed(Space space, const OwnValues &A, const PetscScalar *x, const PetscScalar *z, PetscScalar *y);
PetscReal square_sum(Space space, const OwnValues &A);
void      absolute_sums(Space space, const OwnValues &A, bool of_columns, PetscScalar *y); // of each row or column

/* Rows of entries into their places: how many have none, which are left out; those without values (rows.val null) are counted alone. And the distances of their
   diagonals in nodes, ascending, `most` + 1 of them where there are more. */
std::int64_t          write_rows(const DiagonalValues &A, const Csr &rows);
std::vector<PetscInt> offsets_of(const Csr &rows, int bs, std::size_t most);

/* gone [rows]: 1 for the rows to be zeroed, whose diagonal entry becomes diag; in full storage. */
void zero_rows(Space space, const OwnValues &A, const char *gone, PetscScalar diag);
/* and the columns; b, unless it is null, less what the columns gave for x. */
void zero_rows_and_columns(Space space, const OwnValues &A, const char *gone, PetscScalar diag, const PetscScalar *x, PetscScalar *b);

/* As compressed rows: of diagonals the entries that are not 0, and the main diagonal. */
void         count_entries(Space space, const OwnValues &A, PetscInt *length); // [rows]
std::int64_t count_entries(Space space, const OwnValues &A);
// begin: of each row; first: number of the first column
void copy_entries(Space space, const OwnValues &A, const PetscInt *begin, PetscInt first, PetscInt *col, PetscScalar *val);
/* An error where PetscInt cannot count them. Of diagonals by whole blocks, those that have an entry, so that what asks for full blocks finds them; main: those
   on the main diagonal in any case. */
CsrMatrix compressed_rows(Space space, const DiagonalValues &A, bool main = true);
CsrMatrix compressed_rows(Space space, const OwnValues &A);

} // namespace goza::mat
