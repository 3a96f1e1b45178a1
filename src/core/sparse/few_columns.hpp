/* Rows of a matrix that is summed up from terms, where a row has so few columns that a thread holds them, and their sums, in registers. Bodies for for_each_csr_row(); where the
   columns are known, a longer row is done by so many of them at a time. Terms: see csr_single_terms.hpp. */
#pragma once
#include "csr.hpp"

namespace goza
{
namespace product
{
namespace single
{

constexpr int held = 12, asked = 3; // columns in registers; terms that are asked for before any is added

/* A row's columns as they come, and their sums. */
template <bool sums> struct Few {
  PetscInt    col[held];
  PetscScalar sum[sums ? held : 1];
  int         count = 0; // beyond `held`: there were more

  HD Few()
  {
    for (int k = 0; k < held; k++) {
      col[k] = no_column;
      if (sums) sum[k] = 0;
    }
  }

  /* enter: a column that is not there yet becomes one */
  template <bool enter> HD void add(PetscInt c, PetscScalar v)
  {
    bool found = false;

    for (int k = 0; k < held; k++) {
      const bool here = col[k] == c;

      found = found || here;
      if (sums && here) sum[k] += v;
    }
    if constexpr (enter) {
      if (found) return;
      for (int k = 0; k < held; k++) {
        if (k != count) continue;
        col[k] = c;
        if (sums) sum[k] = v;
      }
      count++;
    }
  }

  template <bool enter, class Terms> HD void add_row(const Terms &terms, PetscInt row)
  {
    const PetscInt end = terms.end(row);

    if (enter && terms.extra(row) != no_column) add<true>(terms.extra(row), 0);
    for (PetscInt p = terms.begin(row); p < end; p += asked) {
      PetscInt    c[asked];
      PetscScalar v[asked];

      for (int t = 0; t < asked; t++) {
        c[t] = p + t < end ? terms.column(p + t) : no_column;
        v[t] = sums && c[t] != no_column ? terms.value(p + t) : PetscScalar(0);
      }
      for (int t = 0; t < asked; t++) {
        if (c[t] != no_column) add<enter>(c[t], v[t]);
      }
    }
  }
};

/* Length of a row; *overflown is set where one does not fit. */
template <class Terms> struct Count {
  Terms     terms;
  PetscInt *length;
  int      *overflown;

  HD Count on(Columns c, Values v) const { return {terms.on(c, v), length, overflown}; }

  HD void operator()(PetscInt row) const
  {
    Few<false> few;

    few.template add_row<true>(terms, row);
    length[row] = few.count;
    if (few.count > held) *overflown = 1;
  }
};

/* Columns, ascending, and values. */
template <class Terms> struct Fill {
  Terms           terms;
  const PetscInt *ptr;
  PetscInt       *col;
  PetscScalar    *val;

  HD Fill on(Columns c, Values v) const { return {terms.on(c, v), ptr, col, val}; }

  HD void operator()(PetscInt row) const
  {
    Few<true> few;

    few.template add_row<true>(terms, row);
    for (int k = 0; k < held; k++) {
      PetscInt to = ptr[row];

      if (k >= few.count) continue;
      for (int l = 0; l < held; l++) to += l < few.count && few.col[l] < few.col[k];
      col[to] = few.col[k];
      val[to] = terms.finish(row, few.col[k], few.sum[k]);
    }
  }
};

/* Values, where the columns are there. */
template <class Terms> struct Refill {
  Terms           terms;
  const PetscInt *ptr, *col;
  PetscScalar    *val;

  HD Refill on(Columns c, Values v) const { return {terms.on(c, v), ptr, col, val}; }

  HD void operator()(PetscInt row) const
  {
    for (PetscInt first = ptr[row]; first < ptr[row + 1]; first += held) {
      Few<true> few;

      for (int k = 0; k < held; k++) {
        if (first + k < ptr[row + 1]) few.col[k] = col[first + k];
      }
      few.template add_row<false>(terms, row);
      for (int k = 0; k < held; k++) {
        if (first + k < ptr[row + 1]) val[first + k] = terms.finish(row, few.col[k], few.sum[k]);
      }
    }
  }
};

} // namespace single
} // namespace product
} // namespace goza
