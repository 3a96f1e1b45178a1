#include "view_machine.hpp"
#include "parallel/agree.hpp"
#include "petsc/errors.hpp"

namespace goza::choice
{

PetscErrorCode FindViewMachine(MPI_Comm comm, Space space, Machine *machine, bool *is_this)
{
  std::string text;
  PetscMPIInt rank, length = 0;

  PetscFunctionBegin;
  if (chosen_machine()) { /* the same on every rank */
    const PetscErrorCode failed = Guarded([&] { *machine = *chosen_machine(); });

    PetscCall(FailTogether(comm, failed, "take the platform"));
  } else {
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscErrorCode failed = rank ? PETSC_SUCCESS : Guarded([&] { text = machine_text(this_machine(space)); });

    PetscCall(FailTogether(comm, failed, "measure its machine"));
    length = static_cast<PetscMPIInt>(text.size());
    PetscCallMPI(MPI_Bcast(&length, 1, MPI_INT, 0, comm));
    failed = Guarded([&] { text.resize(length); });
    PetscCall(FailTogether(comm, failed, "take the platform"));
    PetscCallMPI(MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm));
    failed = Guarded([&] { *machine = machine_from_text(text, "the first rank's platform"); });
    PetscCall(FailTogether(comm, failed, "take the platform"));
  }
  const PetscErrorCode unknown = Guarded([&] {
    const std::string    device = device_name(space);
    const Machine *const named  = find_machine_by_device(space, device);

    *is_this = machine->space() == space && (machine->device == device || (named && named->name == machine->name));
  });
  PetscCall(FailTogether(comm, unknown, "compare the platform with its machine"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::choice
