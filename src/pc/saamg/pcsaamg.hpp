#pragma once
#include <petscpc.h>

namespace goza
{

PetscErrorCode PCCreate_SAAMG(PC pc);

} // namespace goza
