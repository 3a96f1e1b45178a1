/* The Krylov methods, for register.cxx. */
#pragma once
#include <petscksp.h>

namespace goza
{

PetscErrorCode KSPCreate_FusedCG(KSP ksp);

} // namespace goza
