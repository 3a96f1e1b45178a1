#include "near_null.hpp"
#include "core/launch/for_each_row.hpp"
#include "petsc/errors.hpp"
#include "parallel/agree.hpp"
#include "petsc/vec_access.hpp"

namespace goza::saamg
{

namespace
{

/* Column j of B[rows][k] */
struct SetColumn {
  PetscInt           k, j;
  const PetscScalar *x; // null: ones
  PetscScalar       *B;

  HD void operator()(PetscInt i) const { B[static_cast<std::size_t>(i) * k + j] = x ? x[i] : PetscScalar(1); }
};

struct SetComponents {
  PetscInt     bs;
  PetscScalar *B; // [rows][bs]

  HD void operator()(PetscInt i) const
  {
    for (PetscInt j = 0; j < bs; j++) B[static_cast<std::size_t>(i) * bs + j] = i % bs == j;
  }
};

} // namespace

static PetscErrorCode FromNullSpace(MatNullSpace null_space, PetscInt m, Space space, PetscInt *k, Array<PetscScalar> &B)
{
  PetscBool  constant;
  PetscInt   n;
  const Vec *vecs;
  Stage      stage;

  PetscFunctionBegin;
  PetscCall(MatNullSpaceGetVecs(null_space, &constant, &n, &vecs));
  *k = n + (constant ? 1 : 0);
  PetscCheck(*k > 0, PetscObjectComm((PetscObject)null_space), PETSC_ERR_ARG_WRONG, "The near-null space of the matrix has no vectors");
  PetscCall(Guarded([&] {
    B = Array<PetscScalar>(space, (std::size_t)m * *k);
    if (constant) for_each_row(space, m, SetColumn{*k, 0, NULL, B.data()});
  }));
  for (PetscInt j = 0; j < n; j++) {
    VecRead v;

    PetscCall(v.get(vecs[j], space, stage));
    PetscCall(Guarded([&] { for_each_row(space, m, SetColumn{*k, (constant ? 1 : 0) + j, v.data(), B.data()}); }));
    PetscCall(v.restore());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckNearNull(Mat A, const std::vector<PetscReal> &coordinates, PetscInt dim)
{
  PetscInt     n = 0, m, bs, size;
  const Vec   *vecs;
  MatNullSpace null_space;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  if (bs < 1) bs = 1;
  PetscCall(MatGetNearNullSpace(A, &null_space));
  PetscCheck(m % bs == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "PC saamg: block size %" PetscInt_FMT " does not divide the local size %" PetscInt_FMT " of the matrix", bs, m);
  if (null_space) PetscCall(MatNullSpaceGetVecs(null_space, NULL, &n, &vecs));
  for (PetscInt j = 0; j < n; j++) {
    PetscCall(VecGetLocalSize(vecs[j], &size));
    PetscCheck(size == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "Near-null vector %" PetscInt_FMT " has local size %" PetscInt_FMT ", the matrix %" PetscInt_FMT, j, size, m);
  }
  PetscCheck(null_space || dim <= 1 || bs != dim || (PetscInt)coordinates.size() == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "PCSetCoordinates() gave %d numbers, the matrix has %" PetscInt_FMT " local rows",
             (int)coordinates.size(), m);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NearNullVectors(Mat A, const std::vector<PetscReal> &coordinates, PetscInt dim, Space space, PetscInt *bs, PetscInt *k, Array<PetscScalar> &B)
{
  MatNullSpace null_space;
  PetscInt     m;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetBlockSize(A, bs));
  if (*bs < 1) *bs = 1;
  PetscCall(MatGetNearNullSpace(A, &null_space));
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), CheckNearNull(A, coordinates, dim), "use its near-null vectors"));
  if (null_space) {
    PetscCall(FromNullSpace(null_space, m, space, k, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (dim > 1 && *bs == dim) {
    Vec coords;

    PetscCall(VecCreate(PetscObjectComm((PetscObject)A), &coords));
    PetscCall(VecSetSizes(coords, m, PETSC_DECIDE));
    PetscCall(VecSetBlockSize(coords, dim));
    PetscCall(VecSetType(coords, VECSTANDARD));
    PetscScalar *c;
    PetscCall(VecGetArray(coords, &c));
    for (PetscInt i = 0; i < m; i++) c[i] = coordinates[i];
    PetscCall(VecRestoreArray(coords, &c));
    PetscCall(MatNullSpaceCreateRigidBody(coords, &null_space));
    PetscCall(FromNullSpace(null_space, m, space, k, B));
    PetscCall(MatNullSpaceDestroy(&null_space));
    PetscCall(VecDestroy(&coords));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *k = *bs;
  PetscCall(Guarded([&] {
    B = Array<PetscScalar>(space, (std::size_t)m * *k);
    for_each_row(space, m, SetComponents{*bs, B.data()});
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
