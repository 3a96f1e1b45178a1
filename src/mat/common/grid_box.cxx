#include "grid_box.hpp"
#include "petsc/errors.hpp"
#include <petscdm.h>
#include <petscdmda.h>

namespace goza::mat {

PetscErrorCode FindGridBoxes(Mat A, GridBoxes *boxes)
{
  DM       dm;
  PetscInt ranks[2];
  GridBox  box;

  PetscFunctionBegin;
  boxes->clear();
  PetscCall(MatGetDM(A, &dm));
  if (!dm || !is_type(dm, DMDA)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDAGetInfo(dm, NULL, &box.points[0], &box.points[1], &box.points[2], &ranks[0], &ranks[1], NULL, &box.dof, NULL, NULL, NULL, NULL, NULL));
  PetscCall(DMDAGetCorners(dm, &box.begin[0], &box.begin[1], &box.begin[2], &box.width[0], &box.width[1], &box.width[2]));
  box.slabs = ranks[0] == 1 && (ranks[1] == 1 || box.points[2] == 1);
  PetscCall(Guarded([&] { boxes->push_back(box); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
