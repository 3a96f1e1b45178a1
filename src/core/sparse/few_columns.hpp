/* New values for a matrix whose rows are summed up from terms of one entry, as those of a smoothed interpolation, and whose columns are known: a thread a row,
   with as many columns and their sums as registers hold; a longer row is done by so many of them at a time. A body for for_each_csr_row().

   Terms are those of csr_product.hpp, and
     column(p), value(p)     entry p of a CSR matrix is term p: its column, or no_column, and value
     on(Columns, Values)     as for staged_rows.hpp */
#pragma once
#include "csr.hpp"
#include "core/launch/staged_rows.hpp"

namespace goza::product {

constexpr int held_columns = 12, terms_asked = 3; // columns in registers; terms that are asked for before any is added

template <class Terms> struct RefillFewColumns {
  Terms           terms;
  const PetscInt *ptr, *col;
  PetscScalar    *val;

  HD RefillFewColumns on(Columns c, Values v) const { return {terms.on(c, v), ptr, col, val}; }

  HD void operator()(PetscInt row) const
  {
    for (PetscInt first = ptr[row]; first < ptr[row + 1]; first += held_columns) some(row, first, ptr[row + 1] - first);
  }

private:
  HD void some(PetscInt row, PetscInt first, PetscInt count) const
  {
    const PetscInt end = terms.end(row);
    PetscInt       held[held_columns];
    PetscScalar    sum[held_columns];

    for (int k = 0; k < held_columns; k++) {
      held[k] = k < count ? col[first + k] : no_column;
      sum[k]  = 0;
    }
    for (PetscInt p = terms.begin(row); p < end; p += terms_asked) {
      PetscInt    c[terms_asked];
      PetscScalar v[terms_asked];

      for (int t = 0; t < terms_asked; t++) {
        c[t] = p + t < end ? terms.column(p + t) : no_column;
        v[t] = c[t] != no_column ? terms.value(p + t) : PetscScalar(0);
      }
      for (int t = 0; t < terms_asked; t++)
        for (int k = 0; k < held_columns; k++) sum[k] += c[t] == held[k] ? v[t] : PetscScalar(0);
    }
    for (int k = 0; k < held_columns; k++)
      if (k < count) val[first + k] = terms.finish(row, held[k], sum[k]);
  }
};

} // namespace goza::product
