/* Division by the rows of a node. */
#pragma once
#include "core/device/space.hpp"
#include <petscsystypes.h>

namespace goza {

/* c / bs: by what is known when this is compiled it is a multiplication. */
HD inline PetscInt divided(PetscInt c, PetscInt bs) { return bs == 1 ? c : bs == 3 ? c / 3 : bs == 6 ? c / 6 : c / bs; }

} // namespace goza
