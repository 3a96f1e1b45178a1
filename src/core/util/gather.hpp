/* packed[k] = x[index[k]] in one space; instantiated in gather.cu for PetscInt and the vector types; of vectors index may be of 64 bits. */
#pragma once
#include "core/device/space.hpp"

namespace goza
{

template <class V, class Index> void gather(Space space, PetscInt n, const Index *index, const V *x, V *packed);

} // namespace goza
