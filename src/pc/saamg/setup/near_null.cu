#include "near_null.hpp"
#include "core/launch/for_each_row.hpp"
#include "petsc/errors.hpp"
#include "parallel/agree.hpp"
#include "petsc/attached.hpp"
#include "petsc/vec_access.hpp"
#include <algorithm>
#include <utility>

namespace goza::saamg {
namespace {

/* Column j of B[rows][k]; null: of ones */
HD void set_column(PetscInt i, PetscInt k, PetscInt j, const PetscScalar *x, PetscScalar *B)
{
  B[static_cast<std::size_t>(i) * k + j] = x ? x[i] : PetscScalar(1);
}

/* B: [rows][bs] */
HD void set_components(PetscInt i, PetscInt bs, PetscScalar *B)
{
  for (PetscInt j = 0; j < bs; j++) B[static_cast<std::size_t>(i) * bs + j] = i % bs == j;
}

/* The translations and rotations of nodes in `dim` dimensions, as MatNullSpaceCreateRigidBody() orders them: each aggregate makes them orthonormal, so that
   here none are. */
struct SetRigidBody {
  PetscInt         dim, k;
  const PetscReal *place; // [nodes][dim]
  PetscReal        centre[3];
  PetscScalar     *B; // [rows][k]

  HD void operator()(PetscInt i) const
  {
    const PetscInt   c    = i % dim;
    const PetscReal *x    = place + (i - c);
    PetscScalar     *b    = B + static_cast<std::size_t>(i) * k;
    PetscReal        y[3] = {x[0] - centre[0], x[1] - centre[1], dim == 3 ? x[2] - centre[2] : 0};

    for (PetscInt j = 0; j < dim; j++) b[j] = c == j;
    if (dim == 2) b[2] = c == 0 ? -y[1] : y[0];
    else {
      b[3] = c == 0 ? y[1] : c == 1 ? -y[0] : 0;
      b[4] = c == 1 ? -y[2] : c == 2 ? y[1] : 0;
      b[5] = c == 0 ? y[2] : c == 2 ? -y[0] : 0;
    }
  }
};

} // namespace

/* The mean of all nodes' coordinates, about which rotations are: far from it they would be translations but for rounding. */
static PetscErrorCode Centre(MPI_Comm comm, const std::vector<PetscReal> &coordinates, PetscInt dim, PetscReal centre[3])
{
  PetscReal mine[4] = {0, 0, 0, static_cast<PetscReal>(coordinates.size() / dim)}, all[4];

  PetscFunctionBegin;
  for (std::size_t i = 0; i < coordinates.size(); i++) mine[i % dim] += coordinates[i];
  PetscCallMPI(MPI_Allreduce(mine, all, 4, MPIU_REAL, MPIU_SUM, comm));
  for (int d = 0; d < 3; d++) centre[d] = all[3] > 0 ? all[d] / all[3] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

Array<PetscScalar> rigid_body_modes(Space space, PetscInt rows, PetscInt dim, const PetscReal *place, const PetscReal centre[3])
{
  const PetscInt     k = dim == 2 ? 3 : 6;
  Array<PetscScalar> B(space, static_cast<std::size_t>(rows) * k, unset);

  for_each_row(space, rows, SetRigidBody{dim, k, place, {centre[0], centre[1], centre[2]}, B.data()});
  return B;
}

/* What a null space's vectors from the host were sent to a device as, and which these were: it stays with the null space, as what was sent of a device's vector
   stays with that. */
struct SentVectors {
  std::vector<PetscObjectState> of; // number and state of each
  Array<PetscScalar>            B{Space::Cuda};
};

static const char sent_key[] = "goza_sent_near_null";

static std::vector<PetscObjectState> numbers_of(PetscInt n, const Vec *vecs)
{
  std::vector<PetscObjectState> of;

  for (PetscInt j = 0; j < n; j++) {
    of.push_back(id_of(vecs[j]));
    of.push_back(state_of(vecs[j]));
  }
  return of;
}

/* modes.B from there, where nothing has changed since. */
static PetscErrorCode FromSent(MatNullSpace null_space, PetscInt m, PetscInt k, PetscInt n, const Vec *vecs, NearNull &modes)
{
  const SentVectors *sent = attached<SentVectors>(null_space, sent_key);

  PetscFunctionBegin;
  if (!sent || sent->B.size() != (std::size_t)m * k) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    if (numbers_of(n, vecs) != sent->of) return;
    modes.B = Array<PetscScalar>(Space::Cuda, sent->B.size(), unset);
    modes.B.copy_from(sent->B.data(), sent->B.size());
    modes.held = true;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KeepSent(MatNullSpace null_space, PetscInt n, const Vec *vecs, NearNull &modes)
{
  SentVectors *sent = attached<SentVectors>(null_space, sent_key);

  PetscFunctionBegin;
  if (!sent) {
    std::unique_ptr<SentVectors> made;

    PetscCall(Guarded([&] { made = std::make_unique<SentVectors>(); }));
    PetscCall(Attach((PetscObject)null_space, sent_key, std::move(made)));
    sent       = attached<SentVectors>(null_space, sent_key);
    modes.left = modes.B.bytes();
  }
  PetscCall(Guarded([&] {
    if (sent->B.size() != modes.B.size()) sent->B = Array<PetscScalar>(Space::Cuda, modes.B.size(), unset);
    sent->B.copy_from(modes.B.data(), modes.B.size());
    sent->of = numbers_of(n, vecs);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether its vectors are on the host alone. */
static bool on_host(PetscInt n, const Vec *vecs)
{
  return n && std::all_of(vecs, vecs + n, [](Vec v) { return is_type(v, VECSEQ, VECMPI); });
}

static PetscErrorCode FromNullSpace(MatNullSpace null_space, PetscInt m, Space space, PetscInt *k, Array<PetscScalar> &B)
{
  PetscBool  constant;
  PetscInt   n;
  const Vec *vecs;
  Stage      stage;

  PetscFunctionBegin;
  PetscCall(MatNullSpaceGetVecs(null_space, &constant, &n, &vecs));
  *k = n + (constant ? 1 : 0);
  PetscCheck(*k > 0, comm_of(null_space), PETSC_ERR_ARG_WRONG, "The near-null space of the matrix has no vectors");
  PetscCall(Guarded([&] {
    if (B.space() != space || B.size() != (std::size_t)m * *k) B = Array<PetscScalar>(space, (std::size_t)m * *k); // without rows, too
    if (constant) for_each_row(space, m, bound<set_column>(*k, 0, nullptr, B.data()));
  }));
  for (PetscInt j = 0; j < n; j++) {
    VecRead v;

    PetscCall(v.get(vecs[j], space, stage));
    PetscCall(Guarded([&] { for_each_row(space, m, bound<set_column>(*k, (constant ? 1 : 0) + j, v.data(), B.data())); }));
    PetscCall(v.restore());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RoomForNearNull(Mat A, Space space, NearNull &modes)
{
  MatNullSpace null_space;
  PetscBool    constant;
  PetscInt     n    = 0, m;
  const Vec   *vecs = NULL;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetNearNullSpace(A, &null_space));
  if (null_space) PetscCall(MatNullSpaceGetVecs(null_space, &constant, &n, &vecs));
  if (space == Space::Host || !on_host(n, vecs)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FromSent(null_space, m, n + (constant ? 1 : 0), n, vecs, modes));
  if (modes.held) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    modes.B      = Array<PetscScalar>(space, (std::size_t)m * (n + (constant ? 1 : 0)));
    modes.beside = device::fork();
  }));
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
  PetscCheck(m % bs == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "PC saamg: block size %" PetscInt_FMT " does not divide the local size %" PetscInt_FMT " of the matrix", bs, m);
  if (null_space) PetscCall(MatNullSpaceGetVecs(null_space, NULL, &n, &vecs));
  for (PetscInt j = 0; j < n; j++) {
    PetscCall(VecGetLocalSize(vecs[j], &size));
    PetscCheck(size == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "Near-null vector %" PetscInt_FMT " has local size %" PetscInt_FMT ", the matrix %" PetscInt_FMT,
               j, size, m);
  }
  PetscCheck(null_space || dim <= 1 || bs != dim || (PetscInt)coordinates.size() == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "PCSetCoordinates() gave %d numbers, the matrix has %" PetscInt_FMT " local rows", (int)coordinates.size(), m);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the stream beside the others' where there is one, which they wait for, whatever has failed. */
static PetscErrorCode FromNullSpaceBeside(MatNullSpace null_space, PetscInt m, Space space, NearNull &modes)
{
  const bool     keep = modes.beside;
  PetscErrorCode failed;
  PetscBool      constant;
  PetscInt       n;
  const Vec     *vecs;

  PetscFunctionBegin;
  PetscCall(MatNullSpaceGetVecs(null_space, &constant, &n, &vecs));
  if (modes.held) {
    modes.k = n + (constant ? 1 : 0);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  {
    const device::OnStream on(modes.beside ? modes.beside : device::stream());

    failed = FromNullSpace(null_space, m, space, &modes.k, modes.B);
  }
  if (std::exchange(modes.beside, nullptr)) PetscCall(Guarded([] { device::join(); }));
  PetscCall(failed);
  if (keep) PetscCall(KeepSent(null_space, n, vecs, modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NearNullVectors(Mat A, const std::vector<PetscReal> &coordinates, PetscInt dim, Space space, NearNull &modes)
{
  MatNullSpace null_space;
  PetscInt     m;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetBlockSize(A, &modes.bs));
  if (modes.bs < 1) modes.bs = 1;
  PetscCall(MatGetNearNullSpace(A, &null_space));
  PetscCall(FailTogether(comm_of(A), CheckNearNull(A, coordinates, dim), "use its near-null vectors"));
  if (null_space) {
    PetscCall(FromNullSpaceBeside(null_space, m, space, modes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if ((dim == 2 || dim == 3) && modes.bs == dim) {
    PetscReal centre[3];

    PetscCall(Centre(comm_of(A), coordinates, dim, centre));
    modes.k = dim == 2 ? 3 : 6;
    PetscCall(Guarded([&] {
      const Array<PetscReal> place(space, coordinates.data(), coordinates.size());

      modes.B = rigid_body_modes(space, m, dim, place.data(), centre);
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  modes.k = modes.bs;
  PetscCall(Guarded([&] {
    modes.B = Array<PetscScalar>(space, (std::size_t)m * modes.k, unset);
    for_each_row(space, m, bound<set_components>(modes.bs, modes.B.data()));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
