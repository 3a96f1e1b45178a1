/* What one rank finds, all ranks hear: so that they take the same path, and none waits for one that has turned back. */
#pragma once
#include "mat/common/compat.hpp"
#include <string>

namespace goza
{

/* Collective. why: empty where nothing is in the way. Afterwards it is the lowest complaining rank's on every rank, with that rank's number. */
PetscErrorCode AgreeOnReason(MPI_Comm comm, std::string *why);

/* Collective. An error on one rank (`here`) is an error on all: `what` fills "Another rank could not ...". */
PetscErrorCode FailTogether(MPI_Comm comm, PetscErrorCode here, const char *what);

} // namespace goza
