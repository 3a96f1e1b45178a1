#include "zero_rows.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::mat {

static HD void zero_row(PetscInt k, const PetscInt *ptr, const PetscInt *col, const PetscInt *rows, PetscScalar diag, PetscScalar *val)
{
  const PetscInt row = rows[k];

  for (PetscInt j = ptr[row]; j < ptr[row + 1]; j++) val[j] = col[j] == row ? diag : PetscScalar(0);
}

static HD void set_row(PetscInt k, const PetscInt *rows, PetscScalar diag, const PetscScalar *x, PetscScalar *b) { b[rows[k]] = diag * x[rows[k]]; }

static HD void zero_row_and_columns(PetscInt row, const PetscInt *ptr, const PetscInt *col, const ZeroedColumns &zeroed, PetscScalar *val)
{
  const bool  gone = zeroed.row[row];
  PetscScalar less = 0;
  bool        met  = false;

  for (PetscInt j = ptr[row]; j < ptr[row + 1]; j++) {
    if (gone) val[j] = col[j] == row ? zeroed.diag : PetscScalar(0);
    else if (zeroed.col[col[j]]) {
      if (zeroed.x) less += val[j] * zeroed.x[col[j]];
      val[j] = 0;
      met    = true;
    }
  }
  if (met && zeroed.x) zeroed.b[row] -= less;
}

static HD void fill_row(PetscInt row, const PetscInt *old_ptr, const PetscInt *ptr, const PetscInt *col, const PetscScalar *old_val, const char *gone,
                        PetscScalar diag, PetscScalar *val)
{
  for (PetscInt j = ptr[row]; j < ptr[row + 1]; j++) {
    if (!gone[row]) val[j] = old_val[old_ptr[row] + (j - ptr[row])];
    else val[j] = col[j] == row ? diag : PetscScalar(0);
  }
}

static HD void mark_listed(PetscInt k, const PetscInt *list, char *flags) { flags[list[k]] = 1; }

void zero_rows(const Csr &pattern, PetscScalar *val, const PetscInt *rows, PetscInt n, PetscScalar diag)
{
  for_each_row(pattern.space, n, bound<zero_row>(pattern.ptr, pattern.col, rows, diag, val));
}

void set_rows(Space space, const PetscInt *rows, PetscInt n, PetscScalar diag, const PetscScalar *x, PetscScalar *b)
{
  for_each_row(space, n, bound<set_row>(rows, diag, x, b));
}

void zero_rows_and_columns(const Csr &pattern, PetscScalar *val, const ZeroedColumns &zeroed)
{
  for_each_row(pattern.space, pattern.nrows, bound<zero_row_and_columns>(pattern.ptr, pattern.col, zeroed, val));
}

void fill_without_rows(const Csr &before, const Csr &now, PetscScalar *val, const char *row, PetscScalar diag)
{
  for_each_row(now.space, now.nrows, bound<fill_row>(before.ptr, now.ptr, now.col, before.val, row, diag, val));
}

void mark(Space space, const PetscInt *list, PetscInt listed, char *flags, PetscInt n)
{
  if (!n) return;
  if (space == Space::Cuda) device::fill_zero(flags, n);
  else std::fill(flags, flags + n, char(0));
  for_each_row(space, listed, bound<mark_listed>(list, flags));
}

} // namespace goza::mat
