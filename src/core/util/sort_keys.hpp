#pragma once
#include "core/device/array.hpp"
#include <petscsystypes.h>

namespace goza {

#if defined(__CUDACC__)
/* On a device: keys[n] become sorted, and order[n] the places that they had; `bits` of a key count. */
void sort_keys(Array<PetscInt> &keys, Array<PetscInt> &order, PetscInt n, int bits);
#endif

} // namespace goza
