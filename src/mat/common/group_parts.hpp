/* A group's vector and the ranks' parts of it: the bodies of the copies between them. */
#pragma once
#include "core/launch/for_each_row.hpp"

namespace goza::mat {

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

/* Between the parts and the whole, whose order may be another. On the device the whole alone stays in the caches: the leader reads it next, or has just written
   it. A row of it are some items far apart, all of which are on their way before one is written. */
template <bool out> struct Move {
  static constexpr int items = 4;

  Parts           parts;
  const PetscInt *natural;
  PetscScalar    *whole;

  HD PetscInt size() const { return parts.first[parts.n] - parts.first[0]; }
  HD PetscInt rows() const { return size() / items + (size() % items != 0); }
  HD void     operator()(PetscInt row) const
  {
    PetscScalar value[items] = {};

    for (int k = 0; k < items; k++)
      if (const PetscInt i = row + k * rows(); i < size()) value[k] = out ? at(i) : stream_load(&parts.at(parts.first[0] + i));
    for (int k = 0; k < items; k++) {
      const PetscInt i = row + k * rows();

      if (i >= size()) continue;
      if constexpr (out) stream_store(&parts.at(parts.first[0] + i), value[k]);
      else at(i) = value[k];
    }
  }

private:
  HD PetscScalar &at(PetscInt i) const { return whole[natural ? natural[parts.first[0] + i] : parts.first[0] + i]; }
};

} // namespace goza::mat
