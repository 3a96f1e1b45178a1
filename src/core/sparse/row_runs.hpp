/* Rows that go from one CSR matrix to another, most of them as they are. These lie together on both sides, however short they are: a warp takes several and
   copies them in one run, in which its lanes read neighbouring words. On the host one thread does the same. For .cu files.

   A body has
     HD bool as_they_are(first, last)               whether nothing is to be done to rows first .. last - 1 but to copy them
     HD void copy(first, last, lane, lanes)         them, by copy_entries()
     HD void operator()(row, lane, lanes)           any other row */
#pragma once
#include "core/launch/by_lanes.hpp"

namespace goza {

struct SameNumber {
  HD PetscInt operator()(PetscInt col) const { return col; }
};

/* n entries, each column by the number that it gets; col: null for values only. */
template <class Number>
HD inline void copy_entries(PetscInt n, const PetscInt *from_col, const PetscScalar *from_val, PetscInt *col, PetscScalar *val, const Number &number, int lane,
                            int lanes)
{
  constexpr int loads = 4; // under way at a time

  for (PetscInt begin = lane; begin < n; begin += loads * lanes) {
    PetscInt    c[loads] = {};
    PetscScalar v[loads] = {};

    for (int k = 0; k < loads; k++) {
      const PetscInt p = begin + k * lanes;

      if (p < n && col) c[k] = from_col[p];
      if (p < n) v[k] = from_val[p];
    }
    for (int k = 0; k < loads; k++) {
      const PetscInt p = begin + k * lanes;

      if (p < n && col) col[p] = number(c[k]);
      if (p < n) val[p] = v[k];
    }
  }
}

template <class Body> HD void rows_in_runs(PetscInt run, int lane, int lanes, PetscInt nrows, PetscInt each, const Body &body)
{
  const PetscInt first = run * each, last = nrows - first < each ? nrows : first + each;

  if (body.as_they_are(first, last)) {
    body.copy(first, last, lane, lanes);
    return;
  }
  for (PetscInt row = first; row < last; row++) {
    if (body.as_they_are(row, row + 1)) body.copy(row, row + 1, lane, lanes);
    else body(row, lane, lanes);
  }
}

/* nnz: entries of all rows; a run has about 512 of them, of 32 rows at most. */
template <class Body> void for_each_row_in_runs(Space space, PetscInt nrows, PetscInt nnz, const Body &body)
{
  const PetscInt mean = nrows > 0 ? nnz / nrows + 1 : 1, each = mean > 512 ? 1 : 512 / mean < 32 ? 512 / mean : 32;

  for_each_row_by_lanes(space, nrows > 0 ? (nrows - 1) / each + 1 : 0, bound<rows_in_runs<Body>>(nrows, each, body));
}

} // namespace goza
