/* The order in which the warps of Fold read x: group by group, in each step the lanes whose line has not ended. No padding is read: a lane stops at the
   end of its line. (The paper's Fold, P3, pads the last line of a row to the width and reads it.) */
#pragma once
#include "mat/fold/fold_view.hpp"

namespace goza::locality {

template <class Store> struct FoldOrder {
  FoldView<Store> A; // on the host

  template <class Visit> void operator()(const Visit &visit) const
  {
    for (PetscInt group = 0; group < A.ngroups; group++) {
      const FoldHead &head    = A.head[group];
      const int       longest = line_length(head.line[0]);

      for (int k = 0; k < longest; k++) {
        for (int lane = 0; lane < fold_lanes; lane++) {
          const int at = k * fold_lanes + lane;

          if (k < line_length(head.line[lane])) visit(head.base >= 0 ? head.base + A.near_columns(head)[at] : A.col[head.col + at], false);
        }
      }
    }
  }
};

} // namespace goza::locality
