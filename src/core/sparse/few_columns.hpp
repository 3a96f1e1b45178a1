/* Rows that are summed up from terms of one entry, as those of a smoothed interpolation, on the device: a thread a row, with columns and sums in registers.

   Terms are those of csr_product.hpp, and
     column(p), value(p)     entry p of a CSR matrix is term p: its column, or no_column, and value
     on(Columns, Values)     as for staged_rows.hpp */
#pragma once
#include "core/launch/staged_rows.hpp"
#include "core/util/algorithm.hpp"

namespace goza::product {

constexpr int few_terms = 8;

/* Pattern and values of rows of few terms: a row's length, -1 where it has more terms; or, where ptr is there, its columns and values. Every sum is in the
   order of the terms. */
template <class Terms> struct MakeFewColumns {
  Terms           terms;
  PetscInt       *length;
  const PetscInt *ptr;
  PetscInt       *col;
  PetscScalar    *val;

  HD MakeFewColumns on(Columns c, Values v) const { return {terms.on(c, v), length, ptr, col, val}; }

  HD void operator()(PetscInt row) const
  {
    const PetscInt begin = terms.begin(row), n = terms.end(row) - begin;
    PetscInt       c[few_terms + 1], columns   = 0; // of the column that the row has in any case, and of the terms; no_column where it stands before
    PetscScalar    sum[few_terms + 1];

    if (!ptr && n > few_terms) {
      length[row] = -1;
      return;
    }
    c[0]   = terms.extra(row);
    sum[0] = 0;
    UNROLL()
    for (int t = 1; t <= few_terms; t++) {
      c[t]   = t <= n ? terms.column(begin + t - 1) : no_column;
      sum[t] = ptr && c[t] != no_column ? terms.value(begin + t - 1) : PetscScalar(0);
    }
    UNROLL()
    for (int t = 0; t <= few_terms; t++) {
      UNROLL()
      for (int s = 0; s < t; s++) {
        if (c[s] != c[t] || c[t] == no_column) continue;
        sum[s] += sum[t];
        c[t] = no_column;
      }
      columns += c[t] != no_column;
    }
    if (ptr) write(row, c, sum);
    else length[row] = columns;
  }

private:
  HD void write(PetscInt row, const PetscInt *c, const PetscScalar *sum) const
  {
    UNROLL()
    for (int t = 0; t <= few_terms; t++) {
      PetscInt place = ptr[row];

      UNROLL()
      for (int s = 0; s <= few_terms; s++) place += c[s] < c[t];
      if (c[t] == no_column) continue;
      col[place] = c[t];
      val[place] = terms.finish(row, c[t], sum[t]);
    }
  }
};

/* C's pattern and values from terms that are A's entries; false: a row has more of them, and C is nothing yet. */
template <class Terms> bool make_few(const Csr &A, const Terms &terms, CsrMatrix &C)
{
  Array<PetscInt> length(A.space, A.nrows + 1, unset);
  PetscInt        nnz;

  if (entries(A) > static_cast<std::int64_t>(few_terms) * A.nrows) return false;
  C.ptr = Array<PetscInt>(A.space, A.nrows + 1);
  for_each_csr_row({A.space, A.nrows, A.ncols, A.ptr, A.col, nullptr, A.nnz}, 1, MakeFewColumns<Terms>{terms, length.data(), nullptr, nullptr, nullptr});
  if (!scan_lengths(A.space, length.data(), C.ptr, &nnz)) return false;
  C.col = Array<PetscInt>(A.space, nnz);
  C.val = Array<PetscScalar>(A.space, nnz);
  for_each_csr_row(A, 1, MakeFewColumns<Terms>{terms, nullptr, C.ptr.data(), C.col.data(), C.val.data()});
  return true;
}

constexpr int held_columns = 12, terms_asked = 3; // columns in registers; terms that are asked for before any is added

/* New values where columns are known; a row of more than are held is done by so many of them at a time. A body for for_each_csr_row(). */
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
