/* A group's vector and the ranks' parts of it: the bodies of the copies between them. */
#pragma once
#include "core/launch/for_each_row.hpp"
#include <petscsys.h>

namespace goza::mat
{

/* Parts of a vector of the group's, one behind the other. */
struct Parts {
  static constexpr int most = 64;

  int          n;
  PetscScalar *data[most];
  PetscInt     first[most + 1]; // item of each, and behind the last

  HD PetscScalar &at(PetscInt i) const
  {
    int part = 0, end = n;

    while (end - part > 1) {
      const int middle = (part + end) / 2;

      (first[middle] <= i ? part : end) = middle;
    }
    return data[part][i - first[part]];
  }
};

/* Between the parts and the whole, whose order may be another. */
template <bool out> struct Move {
  Parts           parts;
  const PetscInt *natural;
  PetscScalar    *whole;

  HD void operator()(PetscInt row) const
  {
    const PetscInt i  = parts.first[0] + row;
    PetscScalar   &it = whole[natural ? natural[i] : i];

    if constexpr (out) parts.at(i) = it;
    else it = parts.at(i);
  }
};

} // namespace goza::mat
