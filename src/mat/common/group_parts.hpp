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

template <class T> HD inline void stream_store(T *p, T value)
{
#if defined(__CUDA_ARCH__)
  __stcs(p, value);
#else
  *p = value;
#endif
}

/* Between the parts and the whole, whose order may be another. On the device the whole alone stays in the caches: the leader reads it next, or has just written it. */
template <bool out> struct Move {
  Parts           parts;
  const PetscInt *natural;
  PetscScalar    *whole;

  HD void operator()(PetscInt row) const
  {
    const PetscInt i  = parts.first[0] + row;
    PetscScalar   &it = whole[natural ? natural[i] : i];

    if constexpr (out) stream_store(&parts.at(i), it);
    else it = stream_load(&parts.at(i));
  }
};

} // namespace goza::mat
