/* packed[k] = x[index[k]] in one space; instantiated in gather.cu for PetscInt and the vector types. */
#pragma once
#include "core/device/space.hpp"

namespace goza
{

template <class V> void gather(Space space, PetscInt n, const PetscInt *index, const V *x, V *packed);

} // namespace goza
