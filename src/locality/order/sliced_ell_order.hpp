/* The order in which the warps of sliced ELL read x, one warp after the other: in each step its 32 threads at once. A slice of H < 32 places is one
   warp's (EllSlice), which takes 32 consecutive entries in a step; of a slice of H >= 32 places each 32 are a warp's (EllRow).

     H = 64    places  0 .. 31 | 32 .. 63      warp 0: step 0 of its 32 places, step 1, ... to the end of the slice; then warp 1

   The padding at the end of a row reads the row's last column once more. */
#pragma once
#include "mat/slicedell/slicedell_view.hpp"

namespace goza::locality {

template <class Store> struct SlicedEllOrder {
  EllView<Store>  A;      // on the host
  const PetscInt *ptr;    // of the CSR matrix that it was made from: tells entries from padding
  PetscInt        bs = 1; // of a matrix of blocks with one column index each: what is in A and ptr is of blocks

  template <class Visit> void operator()(const Visit &visit) const
  {
    const PetscInt H = PetscInt(1) << A.shift, team = H < warp_lanes ? H : warp_lanes;

    for (PetscInt first = 0; first < A.nplaces; first += team) warp(first, team, visit);
  }

private:
  template <class Visit> void warp(PetscInt first, PetscInt team, const Visit &visit) const
  {
    const PetscInt     slice = first >> A.shift, H = PetscInt(1) << A.shift;
    const std::int64_t begin = A.slice_ptr[slice], at = A.columns_at(slice);
    const PetscInt     base  = A.base(slice);
    const PetscInt     steps = static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) >> A.shift), n = A.nplaces - first < team ? A.nplaces - first : team;
    PetscInt           col[warp_lanes];

    for (PetscInt lane = 0; lane < n; lane++) col[lane] = at < 0 ? A.first[first + lane] : 0;
    for (PetscInt k = 0; k < steps; k++) {
      for (PetscInt lane = 0; lane < n; lane++) {
        const PetscInt     place = first + lane;
        const std::int64_t entry = static_cast<std::int64_t>(k) * H + (place & (H - 1));

        if (A.length && k >= A.length[place]) continue;
        if (at < 0) col[lane] += A.gap[~at + entry];
        else col[lane] = base + A.col[at + entry];
      }
      for (PetscInt c = 0; c < bs; c++) {
        for (PetscInt lane = 0; lane < n; lane++) {
          const PetscInt place = first + lane, row = A.row ? A.row[place] : place;

          if (!A.length || k < A.length[place]) visit(col[lane] * bs + c, k >= ptr[row + 1] - ptr[row]);
        }
      }
    }
  }
};

} // namespace goza::locality
