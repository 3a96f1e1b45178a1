/* A plugin shares structures with PETSc: release, scalar and index must be those it was compiled with. Another PETSc is refused. */
#pragma once
#include <petscsys.h>

namespace goza {

PetscErrorCode GozaCheckRelease(int major, int minor);
PetscErrorCode GozaCheckTypes(PetscDataType scalar, size_t scalar_size, size_t index_size);
PetscErrorCode CheckPETSc(); // both, of the PETSc that is there

} // namespace goza
