#include "agree.hpp"
#include "petsc/last_error.hpp"
#include <cstdio>

namespace goza::parallel {

void SetReason(std::string *why, const char *text) noexcept
{
  try {
    *why = text;
  } catch (...) {
    *why = "no memory"; // short enough to need none
  }
}

PetscErrorCode AgreeOnReason(MPI_Comm comm, std::string *why)
{
  PetscMPIInt first;
  char        text[512] = "";

  PetscFunctionBegin;
  const PetscMPIInt rank = rank_in(comm), size = ranks_of(comm);
  const PetscMPIInt mine = why->empty() ? size : rank;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) PetscFunctionReturn(PETSC_SUCCESS);
  if (rank == first) std::snprintf(text, sizeof(text), size > 1 ? "%.450s (rank %d)" : "%.450s", why->c_str(), rank);
  PetscCallMPI(MPI_Bcast(text, (PetscMPIInt)sizeof(text), MPI_CHAR, first, comm));
  SetReason(why, text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FailTogether(MPI_Comm comm, PetscErrorCode here, const char *what)
{
  struct {
    int  code;
    char text[1024]; // as many as PETSc keeps
  } news{here, ""};
  PetscMPIInt first;

  PetscFunctionBegin;
  const PetscMPIInt rank = rank_in(comm), size = ranks_of(comm);
  const PetscMPIInt mine = here ? rank : size;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) PetscFunctionReturn(PETSC_SUCCESS);
  if (rank == first) std::snprintf(news.text, sizeof(news.text), "%s", LastErrorText(here));
  PetscCallMPI(MPI_Bcast(&news, (PetscMPIInt)sizeof(news), MPI_BYTE, first, comm));
  const PetscErrorCode everyones = static_cast<PetscErrorCode>(news.code);
  PetscCheck(here, PETSC_COMM_SELF, everyones, "Rank %d could not %s: %s", first, what, news.text);
  PetscCall(everyones);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void AgreeNoFailure(MPI_Comm comm, bool fine)
{
  PetscMPIInt size = 1, here = !fine, any = 0;

  if (MPI_Comm_size(comm, &size) != MPI_SUCCESS || size == 1) return;
  if (MPI_Allreduce(&here, &any, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) throw std::runtime_error("MPI_Allreduce failed between ranks");
  if (any && fine) throw FailedElsewhere();
}

} // namespace goza::parallel
