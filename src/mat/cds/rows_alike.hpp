/* Runs of rows of a host matrix whose entries lie alike, but for the step from node to node: what is found for the first of them is true of all. */
#pragma once
#include "core/sparse/csr.hpp"

namespace goza::mat {

/* Whether row i, whose node is `step` columns further than that of the row before, has that one's entries. */
inline bool like_row_before(const Csr &A, PetscInt i, PetscInt step)
{
  const PetscInt *const col = A.col + A.ptr[i], *const last = A.col + A.ptr[i - 1], n = A.ptr[i + 1] - A.ptr[i];
  PetscInt other = 0;

  if (n != A.ptr[i] - A.ptr[i - 1] || (n && (col[0] - last[0] != step || col[n - 1] - last[n - 1] != step))) return false;
  for (PetscInt k = 0; k < n; k++) other |= col[k] - last[k] - step;
  return other == 0;
}

/* run(first, count), one after the other; bs: rows of a node */
template <class Run> void for_each_run(const Csr &A, PetscInt bs, const Run &run)
{
  PetscInt first = 0, r = 0; // r: of row i in its node

  for (PetscInt i = 1; i < A.nrows; i++) {
    r = r + 1 < bs ? r + 1 : 0;
    if (like_row_before(A, i, r ? 0 : bs)) continue;
    run(first, i - first);
    first = i;
  }
  if (A.nrows) run(first, A.nrows - first);
}

} // namespace goza::mat
