#include "detail_view.hpp"
#include "petsc/compat.hpp"
#include "view_machine.hpp"

namespace goza::choice
{

PetscErrorCode MatViewDetail(Mat A, Space space, const Format<PetscScalar> *held, PetscViewer viewer)
{
  DetailOf  of{held, {}, false};
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
