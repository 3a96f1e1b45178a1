/* Rows too long for one thread, or one warp, of a product: they are cut into pieces, which one kernel adds up, and another adds up what the pieces gave. For
   .cu files. */
#pragma once
#include "core/launch/by_lanes.hpp"

namespace goza::mat {

/* Finishes a row from the sums of its pieces. For for_each_row_by_lanes(). */
template <class V, class Out> struct RowOfPieces {
  const PetscInt *row;       // [n] of these; nullptr: every row, by its number
  const PetscInt *piece_ptr; // [n + 1]
  const V        *piece;     // [npieces]
  Out             out;

  HD void operator()(PetscInt k, int lane, int lanes) const
  {
    V sum = 0;

    UNROLL(8)
    for (PetscInt p = piece_ptr[k] + lane; p < piece_ptr[k + 1]; p += lanes) sum += piece[p];
    sum = sum_of_lanes(sum, lanes);
    if (lane == 0) out(row ? row[k] : k, sum);
  }
};

} // namespace goza::mat
