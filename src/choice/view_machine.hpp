/* The machine that a view speaks of. */
#pragma once
#include "locality/machine.hpp"
#include <petscmat.h>

namespace goza::choice
{

/* Collective: the one of -goza_platform, else the first rank's own, measured where it is not known. *is_this: what is measured here is measured on it. */
PetscErrorCode FindViewMachine(MPI_Comm comm, Space space, Machine *machine, bool *is_this);

} // namespace goza::choice
