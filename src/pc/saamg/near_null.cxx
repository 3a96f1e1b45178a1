#include "near_null.hpp"
#include "mat/common/compat.hpp"

namespace goza
{

static PetscErrorCode FromNullSpace(MatNullSpace space, PetscInt m, PetscInt *k, std::vector<PetscScalar> &B)
{
  PetscBool  constant;
  PetscInt   n;
  const Vec *vecs;

  PetscFunctionBegin;
  PetscCall(MatNullSpaceGetVecs(space, &constant, &n, &vecs));
  *k = n + (constant ? 1 : 0);
  PetscCheck(*k > 0, PetscObjectComm((PetscObject)space), PETSC_ERR_ARG_WRONG, "The near-null space of the matrix has no vectors");
  PetscCallCXX(B.resize((std::size_t)m * *k));
  if (constant) {
    for (PetscInt i = 0; i < m; i++) B[i * *k] = 1;
  }
  for (PetscInt j = 0; j < n; j++) {
    const PetscScalar *v;
    PetscInt           size;

    PetscCall(VecGetLocalSize(vecs[j], &size));
    PetscCheck(size == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "Near-null vector %" PetscInt_FMT " has local size %" PetscInt_FMT ", the matrix %" PetscInt_FMT, j, size, m);
    PetscCall(VecGetArrayRead(vecs[j], &v));
    for (PetscInt i = 0; i < m; i++) B[i * *k + (constant ? 1 : 0) + j] = v[i];
    PetscCall(VecRestoreArrayRead(vecs[j], &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NearNullVectors(Mat A, const std::vector<PetscReal> &coordinates, PetscInt dim, PetscInt *bs, PetscInt *k, std::vector<PetscScalar> &B)
{
  MatNullSpace space;
  PetscInt     m;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetBlockSize(A, bs));
  if (*bs < 1) *bs = 1;
  PetscCheck(m % *bs == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "PC saamg: block size %" PetscInt_FMT " does not divide the local size %" PetscInt_FMT " of the matrix", *bs, m);
  PetscCall(MatGetNearNullSpace(A, &space));
  B.clear();
  if (space) {
    PetscCall(FromNullSpace(space, m, k, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (dim > 1 && *bs == dim) {
    Vec coords;

    PetscCheck((PetscInt)coordinates.size() == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "PCSetCoordinates() gave %d numbers, the matrix has %" PetscInt_FMT " local rows",
               (int)coordinates.size(), m);
    PetscCall(VecCreate(PetscObjectComm((PetscObject)A), &coords));
    PetscCall(VecSetSizes(coords, m, PETSC_DECIDE));
    PetscCall(VecSetBlockSize(coords, dim));
    PetscCall(VecSetType(coords, VECSTANDARD));
    PetscScalar *c;
    PetscCall(VecGetArray(coords, &c));
    for (PetscInt i = 0; i < m; i++) c[i] = coordinates[i];
    PetscCall(VecRestoreArray(coords, &c));
    PetscCall(MatNullSpaceCreateRigidBody(coords, &space));
    PetscCall(FromNullSpace(space, m, k, B));
    PetscCall(MatNullSpaceDestroy(&space));
    PetscCall(VecDestroy(&coords));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *k = *bs;
  PetscCallCXX(B.assign((std::size_t)m * *k, 0.0));
  for (PetscInt i = 0; i < m; i++) B[i * *k + i % *bs] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
