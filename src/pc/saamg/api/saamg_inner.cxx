#include "saamg_inner.hpp"
#include "saamg_data.hpp"
#include "petsc/errors.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

static PetscErrorCode SayTheSame(Mat A, Mat B)
{
  PetscBool    known, symmetric;
  MatNullSpace near;
  DM           dm;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  if (known) PetscCall(MatSetOption(B, MAT_SYMMETRIC, symmetric));
  PetscCall(MatGetNearNullSpace(A, &near));
  PetscCall(MatSetNearNullSpace(B, near));
  PetscCall(MatGetDM(A, &dm));
  if (dm) PetscCall(MatSetDM(B, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode InnerPC::setup_inner(PC pc, Mat A, Mat changed)
{
  const SAAMG *mg = static_cast<const SAAMG *>(pc->data);

  PetscFunctionBegin;
  PetscCall(SayTheSame(A, changed));
  PetscCall(PCCreate(comm_of(changed), &inner_));
  PetscCall(PCSetType(inner_, PCSAAMG));
  SAAMG *there = static_cast<SAAMG *>(inner_->data);
  PetscCall(Guarded([&] { there->take_settings(*mg); }));
  PetscCall(Guarded([&] { there->take_coordinates(mg->dim, std::vector<PetscReal>(mg->coordinates)); }));
  PetscCall(PCSetErrorIfFailure(inner_, pc->erroriffailure));
  PetscCall(PCSetOperators(inner_, changed, changed));
  PetscCall(PCSetUp(inner_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode InnerPC::view_inner(PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscUseTypeMethod(inner_, view, viewer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetUpInner(PC pc, std::unique_ptr<InnerPC> made)
{
  SAAMG *mg = static_cast<SAAMG *>(pc->data);
  Mat    A = mg->converted ? mg->converted : pc->pmat, aij = A;
  bool   found = false;

  PetscFunctionBegin;
  if (!is_aij(A)) PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &aij));
  const PetscErrorCode failed = made->setup(pc, aij, &found);
  if (aij != A) PetscCall(MatDestroy(&aij));
  PetscCall(failed);
  if (found) mg->inner = std::move(made);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
