#pragma once
#include "core/device/array.hpp"

namespace goza
{

/* values[n] sorted, each once, in either space; returns how many are left. */
PetscInt sort_unique(Space space, PetscInt *values, PetscInt n);

} // namespace goza
