#pragma once
#include "space.hpp"

namespace goza
{

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

} // namespace goza
