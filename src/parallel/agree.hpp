/* What one rank finds, all ranks hear: so that they take the same path, and none waits for one that has turned back. */
#pragma once
#include "petsc/errors.hpp"

namespace goza::parallel {

void SetReason(std::string *why, const char *text) noexcept; // without memory for the text a shorter one

/* Collective. why: empty where nothing is in the way. Afterwards it is the lowest complaining rank's on every rank, with that rank's number in the world. */
PetscErrorCode AgreeOnReason(MPI_Comm comm, std::string *why);

/* In sentences a rank has the number that PETSc's own errors begin with, that in the world, whatever communicator the work is done on. */
PetscMPIInt WorldRank(MPI_Comm comm, PetscMPIInt rank);

/* Raises another rank's error here, in its own words after "Rank 3 could not ...: "; where these tell of a third rank's already, as they are. */
PetscErrorCode RaiseErrorOf(PetscMPIInt world_rank, PetscErrorCode code, const char *what, const char *text);

/* Collective. An error on one rank (`here`) is an error on all, of one class: that of the lowest rank that has one. Those that had none tell of that rank's as
   RaiseErrorOf() does. Where there is no error it is one small reduction. */
PetscErrorCode FailTogether(MPI_Comm comm, PetscErrorCode here, const char *what);

/* The same within a set-up, where errors are exceptions. Every exchange begins with AgreeNoFailure(), and so does its end. A rank that an exception stops takes
   part in the next agreement and reports the failure there, so that no rank waits for a message that is never sent. */
class FailedElsewhere : public std::runtime_error {
public:
  FailedElsewhere() : std::runtime_error("another rank failed") { }
};

void AgreeNoFailure(MPI_Comm comm, bool fine = true); // collective. Throws FailedElsewhere where one of the others is not fine

/* Guarded(body), for a body that sends and receives. Collective: an error on one rank is an error on all, as FailTogether() makes it. */
template <class Body> PetscErrorCode Together(MPI_Comm comm, const char *what, Body &&body)
{
  bool elsewhere = false;

  PetscFunctionBegin;
  const PetscErrorCode here = Guarded([&] {
    try {
      body();
      AgreeNoFailure(comm);
    } catch (const FailedElsewhere &) {
      elsewhere = true;
    } catch (...) {
      AgreeNoFailure(comm, false);
      throw;
    }
  });
  if (here || elsewhere) PetscCall(FailTogether(comm, here, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::parallel
