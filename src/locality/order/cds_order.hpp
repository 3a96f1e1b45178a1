/* The order in which the warps of CDS read x: 32 nodes at once, diagonal after diagonal, the columns of a block one after the other. Half storage reads
   the mirrored diagonals after each group of diagonals whose values it holds at a time (CdsRow). A place on a diagonal where the matrix has no
   entry is padding; a place outside the matrix is not read. */
#pragma once
#include "mat/cds/cds_view.hpp"
#include <algorithm>
#include <bitset>

namespace goza::locality
{

struct CdsOrder {
  CdsView<PetscScalar> A; // offsets and sizes; the values are not looked at
  PetscInt             bs;
  bool                 half;
  const PetscInt      *ptr, *col;  // the CSR matrix: tells entries from padding
  PetscInt             begin, end; // nodes

  template <class Visit> void operator()(const Visit &visit) const
  {
    /* what the kernels that are compiled for a number of diagonals hold at a time, see with_count() in cds_apply.cu */
    const PetscInt together = half && bs == 1 && (A.ndiag == 14 || A.ndiag == 4) ? A.ndiag : half && bs == 3 && A.ndiag == 14 ? 2 : 1;

    for (PetscInt first = begin; first < end; first += 32) {
      const PetscInt n = std::min<PetscInt>(32, end - first);
      Stored         stored[32];

      for (PetscInt lane = 0; lane < n; lane++) stored[lane] = entries_of(first + lane);
      for (PetscInt d = 0; d < A.ndiag; d += together) {
        const PetscInt stop = std::min(d + together, A.ndiag);

        for (PetscInt e = d; e < stop; e++) diagonal(first, n, A.offset[e], stored, e, visit);
        for (PetscInt e = d; half && e < stop; e++) {
          if (A.offset[e]) diagonal(first, n, -A.offset[e], stored, max_diagonals + e, visit);
        }
      }
    }
  }

  /* Place of an offset among those stored, -1 where there is none; max_diagonals more for a mirrored one. */
  PetscInt place_of(PetscInt offset) const
  {
    const PetscInt *place = std::lower_bound(A.offset, A.offset + A.ndiag, half && offset < 0 ? -offset : offset);

    if (place == A.offset + A.ndiag || *place != (half && offset < 0 ? -offset : offset)) return -1;
    return static_cast<PetscInt>(place - A.offset) + (half && offset < 0 ? max_diagonals : 0);
  }

private:
  using Stored = std::bitset<2 * max_diagonals>; // the diagonals on which a node has an entry

  Stored entries_of(PetscInt node) const
  {
    Stored stored;

    for (PetscInt k = ptr[node * bs]; k < ptr[(node + 1) * bs]; k++) {
      const PetscInt place = place_of(col[k] / bs - node);

      if (place >= 0) stored.set(place);
    }
    return stored;
  }

  template <class Visit> void diagonal(PetscInt first, PetscInt n, PetscInt offset, const Stored *stored, PetscInt place, const Visit &visit) const
  {
    for (PetscInt c = 0; c < bs; c++) {
      for (PetscInt lane = 0; lane < n; lane++) {
        const PetscInt j = first + lane + offset;

        if (j >= 0 && j < A.ncols) visit(j * bs + c, !stored[lane][place]);
      }
    }
  }
};

} // namespace goza::locality
