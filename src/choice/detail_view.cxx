#include "detail_view.hpp"
#include "petsc/compat.hpp"
#include "parallel/agree.hpp"

namespace goza::choice {

/* Collective: the machine of -goza_platform, else the first rank's own, measured where it is not known. *is_this: what is measured here is measured on it. */
static PetscErrorCode FindViewMachine(MPI_Comm comm, Space space, Machine *machine, bool *is_this)
{
  constexpr char take[] = "take the platform";
  std::string    text;
  PetscMPIInt    length = 0;

  PetscFunctionBegin;
  if (chosen_machine()) PetscCall(Together(comm, take, [&] { *machine = *chosen_machine(); })); /* the same on every rank */
  else {
    const PetscMPIInt rank = rank_in(comm);
    PetscCall(Together(comm, "measure its machine", [&] {
      if (!rank) text = machine_text(this_machine(space));
    }));
    length = static_cast<PetscMPIInt>(text.size());
    PetscCallMPI(MPI_Bcast(&length, 1, MPI_INT, 0, comm));
    PetscCall(Together(comm, take, [&] { text.resize(length); }));
    PetscCallMPI(MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm));
    PetscCall(Together(comm, take, [&] { *machine = machine_from_text(text, "the first rank's platform"); }));
  }
  PetscCall(Together(comm, "compare the platform with its machine", [&] {
    const std::string    device = device_name(space);
    const Machine *const named  = find_machine_by_device(space, device);

    *is_this = machine->space() == space && (machine->device == device || (named && named->name == machine->name));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatViewDetail(Mat A, Mat pattern, Space space, const Format<PetscScalar> *held, PetscViewer viewer)
{
  DetailOf  of{pattern, held, {}, false};
  PetscBool assembled;

  PetscFunctionBegin;
  PetscCall(MatAssembled(A, &assembled));
  if (!assembled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindViewMachine(comm_of(A), space, &of.machine, &of.is_this));
  PetscCall(MatViewLocality(A, of, viewer));
  PetscCall(MatViewModel(A, of, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::choice
