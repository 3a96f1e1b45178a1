/* The order in which the warps of CDS read x: 32 nodes at once, diagonal after diagonal, the columns of a block one after the other. Half storage reads
   the mirrored diagonals after each group of diagonals whose values it holds at a time (CdsRow). A place on a diagonal where the matrix has no
   entry is padding; a place outside the matrix is not read. */
#pragma once
#include "mat/cds/cds_shape.hpp"
#include "mat/cds/cds_view.hpp"
#include <algorithm>
#include <bitset>

namespace goza::locality {

/* How many diagonals the device's kernel takes together. */
inline PetscInt diagonals_together(const CdsView<PetscScalar> &A, PetscInt bs, bool half)
{
  PetscInt together = 1;

  with_shape(bs, half, [&](auto size, auto halved) {
    constexpr int  of_node = decltype(size)::value;
    constexpr bool is_half = decltype(halved)::value;

    with_compiled_count<of_node, is_half>(A.ndiag, A.ndiag && A.offset[0] == 0, [&](auto N) {
      together = CdsRow<PetscScalar, PetscScalar, Assign<PetscScalar>, of_node, is_half, decltype(N)::value>::together;
    });
  });
  return together;
}

struct CdsOrder {
  CdsView<PetscScalar> A; // offsets and sizes; the values are not looked at
  PetscInt             bs;
  bool                 half;
  const PetscInt      *ptr, *col;  // the CSR matrix: tells entries from padding
  PetscInt             begin, end; // nodes

  template <class Visit> void operator()(const Visit &visit) const
  {
    const PetscInt together = diagonals_together(A, bs, half);

    for (PetscInt first = begin; first < end; first += warp_lanes) {
      const PetscInt n = std::min<PetscInt>(warp_lanes, end - first);
      Stored         stored[warp_lanes];

      for (PetscInt lane = 0; lane < n; lane++) stored[lane] = entries_of(first + lane);
      for (PetscInt d = 0; d < A.ndiag; d += together) {
        const PetscInt stop = std::min(d + together, A.ndiag);

        for (PetscInt e = d; e < stop; e++) diagonal(first, n, A.offset[e], stored, e, visit);
        for (PetscInt e = d; half && e < stop; e++)
          if (A.offset[e]) diagonal(first, n, -A.offset[e], stored, max_diagonals + e, visit);
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
