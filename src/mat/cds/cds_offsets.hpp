/* Where an offset stands among those that a CDS matrix holds. */
#pragma once
#include "core/device/space.hpp"
#include <petscsystypes.h>

namespace goza::mat {

/* Finds the places of offsets among those stored, from where the last one was: neighbours in a row mostly are neighbours there. */
struct OffsetCursor {
  PetscInt d = 0;

  template <class View> HD PetscInt find(const View &A, PetscInt offset) // -1: not stored
  {
    if (d + 1 < A.ndiag && A.offset[d + 1] == offset) return ++d; // mostly
    if (d > 0 && d <= A.ndiag && A.offset[d - 1] == offset) return --d;
    while (d < A.ndiag && A.offset[d] < offset) d++;
    while (d > 0 && A.offset[d - 1] >= offset) d--;
    return d < A.ndiag && A.offset[d] == offset ? d : -1;
  }
};

} // namespace goza::mat
