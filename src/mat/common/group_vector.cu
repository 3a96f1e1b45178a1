#include "group_vector.hpp"
#include "group_parts.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"
#include <petsc/private/vecimpl.h>

namespace goza::mat {

static void move_parts(Space space, const Parts &parts, const PetscInt *natural, PetscScalar *whole, bool out)
{
  const Move<true>  back{parts, natural, whole};
  const Move<false> there{parts, natural, whole};

  if (out) for_each_row(space, back.rows(), back);
  else for_each_row(space, there.rows(), there);
}

PetscErrorCode GroupVector::space(const RankGroup &group, Mat A, Space products, Space *space)
{
  VecType type;

  PetscFunctionBegin;
  PetscCall(MatGetVecType(A, &type));
  const bool there = std::strcmp(type, VECCUDA) == 0 || std::strcmp(type, VECSEQCUDA) == 0 || std::strcmp(type, VECMPICUDA) == 0;
  *space           = there && products == Space::Cuda && petsc_on_device() && group.shares_device_memory() ? Space::Cuda : Space::Host;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupVector::create(RankGroup &group, const GroupPlaces &places, Space values, Space products, PetscInt n)
{
  const auto size = static_cast<std::size_t>(PetscMax(n, 1));

  PetscFunctionBegin;
  PetscCall(VecDestroy(&there_));
  group_  = &group;
  places_ = &places;
  space_  = values;
  n_      = n;
  values_ = Array<PetscScalar>();
  copy_.reset();
  put_for_ = open_for_ = group.tasks(); /* of none that is to come */
  PetscCall(CreateSharedWindow(group.members(), space_ == Space::Cuda ? group.size() * sizeof(Meeting) : size * sizeof(PetscScalar), &window_));
  uses_until_pinned_ = group.leads() && space_ == Space::Host && products == Space::Cuda ? 2 : 0;
  if (space_ == Space::Host) PetscFunctionReturn(PETSC_SUCCESS);
  meeting(group.rank()).n     = places.n;
  meeting(group.rank()).first = places.first;
  PetscCall(use_petsc_stream());
  PetscCall(Together(group.members(), "have a vector of its group's", [&] {
    if (group.leads()) values_ = Array<PetscScalar>(Space::Cuda, size);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupVector::make_there(PetscInt bs, PetscInt N)
{
  const bool several = group_->groups() > 1;

  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (space_ == Space::Cuda) {
    if (several) PetscCall(VecCreateMPICUDAWithArray(group_->leaders(), bs, n_, N, values(), &there_));
    else PetscCall(VecCreateSeqCUDAWithArray(group_->leaders(), bs, n_, values(), &there_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  if (several) PetscCall(VecCreateMPIWithArray(group_->leaders(), bs, n_, N, values(), &there_));
  else PetscCall(VecCreateSeqWithArray(group_->leaders(), bs, n_, values(), &there_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- each rank's part */

static Parts part_of(const GroupPlaces &places, const PetscScalar *data)
{
  Parts part;

  part.n        = 1;
  part.data[0]  = const_cast<PetscScalar *>(data);
  part.first[0] = places.first;
  part.first[1] = places.first + places.n;
  return part;
}

/* with_values: they are read. What the leader knows already is not written again, so that it stays in its cache. */
PetscErrorCode GroupVector::lend(const PetscScalar *v, bool with_values, Lent *known, bool *copied)
{
  const std::size_t bytes = static_cast<std::size_t>(places_->n) * sizeof(PetscScalar);
  Lent              lent;

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    *copied = !group_->lent().lend(bytes ? v : nullptr, &lent);
    if (*copied) {
      if (!copy_) copy_ = std::make_unique<SharedBlock>(bytes);
      if (with_values) device::copy_async(copy_->data(), v, bytes);
      if (!group_->lent().lend(copy_->data(), &lent)) throw DeviceError("device memory: other processes may not open it");
    }
    if (!(lent == *known)) *known = lent;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupVector::put(Vec v)
{
  VecRead in;
  bool    copied;

  PetscFunctionBegin;
  const PetscInt n = local_size(v);
  PetscCheck(n == places_->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "A vector of %" PetscInt_FMT " entries on this rank, where the matrix has %" PetscInt_FMT, n,
             places_->n);
  PetscCall(use_petsc_stream());
  PetscCall(in.get(v, space_, stage_));
  if (space_ == Space::Cuda) PetscCall(lend(in.data(), true, &meeting(group_->rank()).in, &copied));
  else PetscCall(Guarded([&] { move_parts(space_, part_of(*places_, in.data()), places_->natural, values(), false); }));
  PetscCall(in.restore());
  put_for_ = group_->tasks() + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupVector::open(Vec v)
{
  PetscFunctionBegin;
  PetscCall(use_petsc_stream());
  PetscCall(out_.get(v, space_, stage_));
  is_open_ = true;
  if (space_ == Space::Cuda) PetscCall(lend(out_.data(), false, &meeting(group_->rank()).out, &copied_));
  open_for_ = group_->tasks() + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupVector::get(PetscErrorCode failed)
{
  PetscFunctionBegin;
  if (!std::exchange(is_open_, false)) PetscFunctionReturn(failed);
  if (!failed)
    failed = Guarded([&] {
      if (space_ == Space::Host) move_parts(space_, part_of(*places_, out_.data()), places_->natural, values(), true);
      else if (copied_) device::copy_async(out_.data(), copy_->data(), static_cast<std::size_t>(places_->n) * sizeof(PetscScalar));
    });
  const PetscErrorCode also = out_.restore();
  PetscCall(failed);
  PetscCall(also);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the leader */

PetscErrorCode GroupVector::move(bool out)
{
  PetscFunctionBegin;
  PetscCall(use_petsc_stream());
  PetscCall(Guarded([&] {
    for (PetscMPIInt begin = 0; begin < group_->size(); begin += Parts::most) {
      Parts parts;

      parts.n = PetscMin(Parts::most, group_->size() - begin);
      for (int k = 0; k < parts.n; k++) {
        const Meeting &m = meeting(begin + k);

        parts.data[k]      = reinterpret_cast<PetscScalar *>(group_->lent().open(begin + k, out ? m.out : m.in));
        parts.first[k]     = m.first;
        parts.first[k + 1] = m.first + m.n;
      }
      move_parts(space_, parts, places_->device, values(), out);
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupVector::there(Vec *v)
{
  PetscFunctionBegin;
  if (space_ == Space::Cuda && put_for_ == group_->tasks()) PetscCall(move(false));
  if (uses_until_pinned_ && !--uses_until_pinned_) window_.pin(); /* it takes longer than a copy or two, but there will be more of them */
#if PetscDefined(HAVE_DEVICE)
  there_->offloadmask = space_ == Space::Cuda ? PETSC_OFFLOAD_GPU : PETSC_OFFLOAD_CPU; /* the ranks have written there */
#endif
  PetscCall(PetscObjectStateIncrease((PetscObject)there_)); /* norms that PETSc has kept are of something else */
  *v = there_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An operation of PETSc's on the host leaves its result there, where no other rank looks. */
PetscErrorCode GroupVector::written()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (space_ == Space::Cuda && there_->offloadmask == PETSC_OFFLOAD_CPU) {
    const PetscScalar *a;

    PetscCall(VecCUDAGetArrayRead(there_, &a));
    PetscCall(VecCUDARestoreArrayRead(there_, &a));
  }
#endif
  if (space_ == Space::Cuda && open_for_ == group_->tasks()) PetscCall(move(true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
