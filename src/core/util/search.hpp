/* Bisection, for host and device. */
#pragma once
#include "core/device/space.hpp"

namespace goza {

/* The first place of low .. high - 1 of which before(place) is not true, where it is true of all places before that one; high where it is true of all. */
template <class Before> HD inline PetscInt partition_point(PetscInt low, PetscInt high, const Before &before)
{
  while (low < high) {
    const PetscInt middle = low + (high - low) / 2;

    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The first place of low .. high - 1 with no less than `value` there; high where all are less. */
HD inline PetscInt lower_bound(const PetscInt *sorted, PetscInt low, PetscInt high, PetscInt value)
{
  return partition_point(low, high, [&](PetscInt place) { return sorted[place] < value; });
}

} // namespace goza
