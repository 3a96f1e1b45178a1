#include "group_entries.hpp"
#include "borrowed_csr.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"
#include "values_to_write.hpp"

namespace goza::mat {

PetscErrorCode GroupEntries::create(const RankGroup &group, PetscInt n, bool on_device)
{
  PetscFunctionBegin;
  n_ = PetscMax(n, 1);
  there_.reset();
  values_ = SharedWindow();
  apart_  = Array<PetscScalar>();
  PetscCall(CreateSharedWindow(group.members(), static_cast<std::size_t>(n_) * sizeof(PetscInt), &columns_));
  PetscCall(Together(group.members(), "hold its group's values", [&] {
    if (on_device && group.leads()) apart_ = Array<PetscScalar>(Space::Host, n_);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsOnDevice(Mat block, bool *yes)
{
  PetscFunctionBegin;
  *yes = nonzeros_of(block) == 0;
  if (*yes) PetscFunctionReturn(PETSC_SUCCESS);
#if PetscDefined(HAVE_CUDA)
  if (block->offloadmask == PETSC_OFFLOAD_GPU || block->offloadmask == PETSC_OFFLOAD_BOTH) PetscCall(ValuesToWrite::is_resident(block, Space::Cuda, yes));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupEntries::are_on_device(const RankGroup &group, const AijBlocks &blocks, bool *yes)
{
  PetscFunctionBegin;
  *yes = petsc_on_device() && group.shares_device_memory();
  for (Mat block : blocks) {
    bool there;

    PetscCall(IsOnDevice(block, &there));
    *yes = *yes && there;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupEntries::meet(const RankGroup &group, bool on_device)
{
  PetscFunctionBegin;
  on_device_              = on_device;
  const std::size_t bytes = static_cast<std::size_t>(n_) * sizeof(PetscScalar);
  if (on_device && !there_) PetscCall(there_.create(group, bytes));
  if (!on_device && !values_.bytes()) PetscCall(CreateSharedWindow(group.members(), bytes, &values_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PutFromHost(Mat block, EntryPlaces &places, PetscScalar *out)
{
  BorrowedCsr lent;

  PetscFunctionBegin;
  PetscCall(lent.open(block, Space::Host));
  PetscCheck(lent.nnz() == places.size(), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " entries have %" PetscInt_FMT " places", lent.nnz(),
             places.size());
  places.put(Space::Host, lent.csr().val, out);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From where PETSc has them there; pattern and host values are not asked for. */
static PetscErrorCode PutFromDevice(Mat block, EntryPlaces &places, PetscScalar *out)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  const PetscScalar *values;

  PetscCall(MatAsPlain(block, [&] { return MatSeqAIJCUSPARSEGetArrayRead(block, &values); }));
  PetscCall(Guarded([&] { places.put(Space::Cuda, values, out); }));
  PetscCall(MatAsPlain(block, [&] { return MatSeqAIJCUSPARSERestoreArrayRead(block, &values); }));
#else
  (void)block, (void)places, (void)out;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupEntries::put(const AijBlocks &blocks)
{
  EntryPlaces *places = &diag;

  PetscFunctionBegin;
  PetscCall(use_petsc_stream());
  for (Mat block : blocks) {
    if (on_device_ && places->size()) PetscCall(PutFromDevice(block, *places, there_.at<PetscScalar>()));
    if (!on_device_) PetscCall(PutFromHost(block, *places, values_.at<PetscScalar>()));
    places = &offd;
  }
  if (on_device_) PetscCall(Guarded([] { device::synchronize(); })); /* the leader must not begin before */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupEntries::give(Mat there, Space space)
{
  const AijBlocks blocks = blocks_of(there);
  std::size_t     from   = 0;

  PetscFunctionBegin;
  if (!on_device_) {
    if (apart_.size()) apart_.assign(values_.at<PetscScalar>());
    else if (space == Space::Cuda) values_.pin(); /* there will be more of them */
    PetscCall(MatFormatHostValues(there, true));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(use_petsc_stream());
  for (Mat block : blocks) {
    ValuesToWrite values;
    const auto    n = static_cast<std::size_t>(nonzeros_of(block));

    if (!n) continue;
    PetscCall(values.open(block, Space::Cuda, (PetscInt)n, false));
    PetscCall(Guarded([&] { device::copy_async(values.data(), there_.at<PetscScalar>() + from, n * sizeof(PetscScalar)); }));
    PetscCall(values.close());
    from += n;
  }
  if (there != blocks.diagonal()) PetscCall(PetscObjectStateIncrease((PetscObject)there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
