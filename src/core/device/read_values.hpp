#pragma once
#include "space.hpp"
#include <vector>

namespace goza {

/* x[place] of a few places, from either space, in one go: the places travel with the kernel that picks them. */
std::vector<PetscInt> read_values(Space space, const PetscInt *x, const std::vector<PetscInt> &places);

} // namespace goza
