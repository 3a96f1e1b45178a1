/* What is known of a matrix beside its entries, on the way to the leaders' one. */
#include "group_mat.hpp"
#include "petsc/errors.hpp"
#include <petsc/private/matimpl.h>

namespace goza::mat {

/* What PETSc has been told of A; what it has not is not known there either. */
void GroupMat::share_properties(Mat A)
{
  if (!there_) return;
  there_->symmetric              = A->symmetric;
  there_->hermitian              = A->hermitian;
  there_->structurally_symmetric = A->structurally_symmetric;
  there_->spd                    = A->spd;
}

PetscErrorCode GroupMat::share_null_space(Mat A, PetscErrorCode (*get)(Mat, MatNullSpace *), PetscErrorCode (*set)(Mat, MatNullSpace), SpaceSeen *seen)
{
  MatNullSpace     space, made = NULL;
  PetscBool        constant = PETSC_FALSE;
  PetscInt         n        = 0;
  const Vec       *vecs     = NULL;
  std::vector<Vec> there; // on leaders
  SpaceSeen        now;

  PetscFunctionBegin;
  PetscCall(get(A, &space));
  if (space) {
    now.id = id_of(space);
    PetscCall(MatNullSpaceGetVecs(space, &constant, &n, &vecs));
  }
  for (PetscInt k = 0; k < n; k++) now.state += state_of(vecs[k]);
  now.known = true;
  if (seen->known && seen->id == now.id && seen->state == now.state) PetscFunctionReturn(PETSC_SUCCESS);
  seen->known = false;
  for (PetscInt k = 0; k < n; k++)
    PetscCall(group_->on_leader(right_.put(vecs[k]), "hand its null space to its group", [&]() -> PetscErrorCode {
      Vec from, to;

      PetscFunctionBegin;
      PetscCall(right_.there(&from));
      PetscCall(VecDuplicate(from, &to));
      PetscCall(Guarded([&] { there.push_back(to); }));
      PetscCall(VecCopy(from, to));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
  PetscCall(group_->on_leader(PETSC_SUCCESS, "hand its null space to its group", [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    if (space) PetscCall(MatNullSpaceCreate(group_->leaders(), constant, n, there.data(), &made));
    PetscCall(set(there_, made));
    PetscCall(MatNullSpaceDestroy(&made));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  for (Vec &v : there) PetscCall(VecDestroy(&v));
  *seen = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
