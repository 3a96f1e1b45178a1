/* Values rounded as half precision rounds them, whatever their exponents. */
#pragma once
#include "core/device/array.hpp"

namespace goza
{

void round_as_half(Space space, std::size_t n, PetscScalar *x); // in place, to 11 bits

} // namespace goza
