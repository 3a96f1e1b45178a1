/* The Krylov methods, for register.cxx. */
#pragma once
#include "core/rooms.hpp"
#include <petscksp.h>

namespace goza::ksp {

PetscErrorCode KSPCreate_FusedCG(KSP ksp);
PetscErrorCode KSPCreate_FusedBCGS(KSP ksp);
PetscErrorCode KSPCreate_FusedGMRES(KSP ksp);

} // namespace goza::ksp
