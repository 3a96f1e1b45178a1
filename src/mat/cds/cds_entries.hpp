/* The entries of CDS one by one, for those who look at values instead of multiplying. */
#pragma once
#include "cds_view.hpp"

namespace goza::mat
{

template <class Store> struct CdsEntries {
  CdsView<Store> A;
  int            bs;
  bool           half;

  /* f(column, value) for the places of a row, columns ascending; where the matrix has no entry, the value is 0. */
  template <class F> HD void for_each_entry(PetscInt row, F f) const
  {
    const PetscInt i = row / bs, r = row % bs;

    for (PetscInt d = A.ndiag - 1; half && d >= 0; d--) { // the mirror images of what rows above hold
      const PetscInt j = i - A.offset[d];

      if (j >= i || j < 0) continue;
      for (int c = 0; c < bs; c++) f(j * bs + c, A.val[((d * bs + c) * bs + r) * A.ld + j]);
    }
    for (PetscInt d = 0; d < A.ndiag; d++) {
      const PetscInt j = i + A.offset[d];

      if (j < 0 || j >= A.ncols) continue;
      for (int c = 0; c < bs; c++) f(j * bs + c, A.val[((d * bs + r) * bs + c) * A.ld + i]);
    }
  }
};

} // namespace goza::mat
