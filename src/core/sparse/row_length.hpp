/* Lengths of rows. For .cu files. */
#pragma once
#include "core/launch/for_each_row.hpp"
#include "core/util/algorithm.hpp"

namespace goza {

/* How many entries a row has, or each of those in a list. For for_each_row(). */
template <class Integer> struct RowLength {
  const PetscInt *ptr, *list; // list: null for all rows
  Integer        *length;

  HD void operator()(PetscInt k) const
  {
    const PetscInt row = list ? list[k] : k;

    length[k] = ptr[row + 1] - ptr[row];
  }
};

/* Of the longest row; 0 where there is no row. */
inline PetscInt most_entries(Space space, PetscInt nrows, const PetscInt *ptr)
{
  Array<PetscInt> length(space, nrows);

  for_each_row(space, nrows, RowLength<PetscInt>{ptr, nullptr, length.data()});
  return largest(space, length.data(), length.size());
}

} // namespace goza
