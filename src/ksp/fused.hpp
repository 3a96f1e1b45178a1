/* The Krylov methods, for register.cxx. */
#pragma once
#include <petscksp.h>

namespace goza
{

PetscErrorCode KSPCreate_FusedCG(KSP ksp);
PetscErrorCode KSPCreate_FusedBCGS(KSP ksp);
PetscErrorCode KSPCreate_FusedGMRES(KSP ksp);

} // namespace goza
