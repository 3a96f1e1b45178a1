#include "group_vector.hpp"
#include "core/launch/for_each_row.hpp"
#include "petsc/errors.hpp"
#include "petsc/plugin.hpp"
#include <cstring>
#include <utility>
#include <petsc/private/vecimpl.h>

namespace goza::mat
{

namespace
{

/* to[i] = from[i], with places on one side. */
struct Scatter {
  const PetscInt    *place; // null: in turn
  const PetscScalar *from;
  PetscScalar       *to;

  HD void operator()(PetscInt i) const { to[place ? place[i] : i] = from[i]; }
};

struct Gather {
  const PetscInt    *place;
  const PetscScalar *from;
  PetscScalar       *to;

  HD void operator()(PetscInt i) const { to[i] = from[place ? place[i] : i]; }
};

} // namespace

PetscErrorCode GroupVector::space(const RankGroup &group, Mat A, Space products, Space *space)
{
  VecType type;

  PetscFunctionBegin;
  PetscCall(MatGetVecType(A, &type));
  const bool there = std::strcmp(type, VECCUDA) == 0 || std::strcmp(type, VECSEQCUDA) == 0 || std::strcmp(type, VECMPICUDA) == 0;
  *space           = there && products == Space::Cuda && petsc_on_device() && group.shares_device_memory() ? Space::Cuda : Space::Host;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupVector::create(const RankGroup &group, Space values, Space products, PetscInt n)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&there_));
  space_  = values;
  n_      = n;
  window_ = SharedWindow();
  block_.reset();
  if (space_ == Space::Cuda) {
    PetscCall(block_.create(group, static_cast<std::size_t>(PetscMax(n, 1)) * sizeof(PetscScalar)));
    data_ = block_.at<PetscScalar>();
  } else {
    PetscCall(Guarded([&] { window_ = SharedWindow(group.members(), static_cast<std::size_t>(PetscMax(n, 1)) * sizeof(PetscScalar)); }));
    data_ = window_.at<PetscScalar>();
    if (group.leads() && products == Space::Cuda) window_.pin();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupVector::make_there(const RankGroup &group, PetscInt bs, PetscInt N)
{
  const PetscInt n = n_;

  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (space_ == Space::Cuda) {
    if (group.groups() > 1) PetscCall(VecCreateMPICUDAWithArray(group.leaders(), bs, n, N, data_, &there_));
    else PetscCall(VecCreateSeqCUDAWithArray(group.leaders(), bs, n, data_, &there_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  if (group.groups() > 1) PetscCall(VecCreateMPIWithArray(group.leaders(), bs, n, N, data_, &there_));
  else PetscCall(VecCreateSeqWithArray(group.leaders(), bs, n, data_, &there_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The leader must not begin before the device has done this, nor overwrite what has not been read. */
static void settle(Space space)
{
  if (space == Space::Cuda) device::synchronize();
}

PetscErrorCode GroupVector::put(Vec v, const GroupPlaces &places)
{
  VecRead in;

  PetscFunctionBegin;
  PetscCall(use_petsc_stream());
  PetscCall(in.get(v, space_, stage_));
  PetscCall(Guarded([&] {
    const bool in_turn = !places.place.size();

    for_each_row(space_, places.n, Scatter{in_turn ? nullptr : places.place.data(), in.data(), data_ + (in_turn ? places.first : 0)});
    settle(space_);
  }));
  PetscCall(in.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupVector::open(Vec v)
{
  PetscFunctionBegin;
  PetscCall(use_petsc_stream());
  PetscCall(out_.get(v, space_, stage_));
  is_open_ = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupVector::get(PetscErrorCode failed, const GroupPlaces &places)
{
  PetscFunctionBegin;
  if (!std::exchange(is_open_, false)) PetscFunctionReturn(failed);
  if (!failed)
    failed = Guarded([&] {
      const bool in_turn = !places.place.size();

      for_each_row(space_, places.n, Gather{in_turn ? nullptr : places.place.data(), data_ + (in_turn ? places.first : 0), out_.data()});
      settle(space_);
    });
  const PetscErrorCode also = out_.restore();
  PetscCall(failed);
  PetscCall(also);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupVector::there(Vec *v)
{
  PetscFunctionBegin;
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
