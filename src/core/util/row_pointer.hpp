#pragma once
#include "core/device/array.hpp"

namespace goza
{

/* As lengths_to_pointer(), from length[ptr.size()], whose last does not count. False, and no error, where a length is negative or a PetscInt cannot count the entries. */
bool scan_lengths(Space space, const PetscInt *length, Array<PetscInt> &ptr, PetscInt *nnz);

} // namespace goza
