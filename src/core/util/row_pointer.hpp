#pragma once
#include "core/device/array.hpp"

namespace goza
{

/* As lengths_to_pointer(), from length[ptr.size()], whose last does not count. False, and no error, where a length is negative or a PetscInt cannot count the entries. */
bool scan_lengths(Space space, const PetscInt *length, Array<PetscInt> &ptr, PetscInt *nnz);

/* The same where the number of entries is known or not asked for: nothing waits. More than a PetscInt counts are the most that it holds. */
void scan_lengths(Space space, const PetscInt *length, Array<PetscInt> &ptr);

} // namespace goza
