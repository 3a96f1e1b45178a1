/* packed[k] = x[index[k]] in one space, or each value to a place of its own; instantiated in gather.cu for the vector types. */
#pragma once
#include "core/space.hpp"

namespace goza
{

template <class V> void gather(Space space, PetscInt n, const PetscInt *index, const V *x, V *packed);
template <class V> void gather_to(Space space, PetscInt n, const PetscInt *index, const V *x, V *const *place); // *place[k] = x[index[k]]

} // namespace goza
