#include "detail_view.hpp"
#include "petsc/compat.hpp"

namespace goza::choice
{

PetscErrorCode MatViewDetail(Mat A, Space space, const Format<PetscScalar> *held, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(MatViewLocality(A, space, viewer));
  PetscCall(MatViewModel(A, space, held, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::choice
