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

PetscMPIInt WorldRank(MPI_Comm comm, PetscMPIInt rank)
{
  MPI_Group   here = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  PetscMPIInt found = MPI_UNDEFINED;

  if (!MPI_Comm_group(comm, &here) && !MPI_Comm_group(MPI_COMM_WORLD, &world)) (void)MPI_Group_translate_ranks(here, 1, &rank, world, &found);
  if (here != MPI_GROUP_NULL) (void)MPI_Group_free(&here);
  if (world != MPI_GROUP_NULL) (void)MPI_Group_free(&world);
  return found == MPI_UNDEFINED ? rank : found;
}

/* As RaiseErrorOf() begins its sentences */
static bool tells_of_a_rank(const char *text)
{
  int rank = -1, read = 0;

  return std::sscanf(text, "Rank %d could not %n", &rank, &read) == 1 && read > 0;
}

PetscErrorCode RaiseErrorOf(PetscMPIInt world_rank, PetscErrorCode code, const char *what, const char *text)
{
  PetscFunctionBegin;
  PetscCheck(!tells_of_a_rank(text), PETSC_COMM_SELF, code, "%s", text);
  SETERRQ(PETSC_COMM_SELF, code, "Rank %d could not %s: %s", world_rank, what, text);
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
  if (rank == first) std::snprintf(text, sizeof(text), size > 1 ? "%.450s (rank %d)" : "%.450s", why->c_str(), PetscGlobalRank);
  PetscCallMPI(MPI_Bcast(text, (PetscMPIInt)sizeof(text), MPI_CHAR, first, comm));
  SetReason(why, text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FailTogether(MPI_Comm comm, PetscErrorCode here, const char *what)
{
  struct {
    int         code;
    PetscMPIInt rank;
    char        text[1024]; // as many as PETSc keeps
  } news{here, PetscGlobalRank, ""};
  PetscMPIInt first;

  PetscFunctionBegin;
  const PetscMPIInt rank = rank_in(comm), size = ranks_of(comm);
  const PetscMPIInt mine = here ? rank : size;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) PetscFunctionReturn(PETSC_SUCCESS);
  if (rank == first) std::snprintf(news.text, sizeof(news.text), "%s", LastErrorText(here));
  PetscCallMPI(MPI_Bcast(&news, (PetscMPIInt)sizeof(news), MPI_BYTE, first, comm));
  const PetscErrorCode everyones = static_cast<PetscErrorCode>(news.code);
  if (!here) PetscCall(RaiseErrorOf(news.rank, everyones, what, news.text));
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
