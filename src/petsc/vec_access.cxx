#include "vec_access.hpp"
#include "errors.hpp"
#include "plugin.hpp"

namespace goza {

static void count(Stage &stage, bool host, std::size_t bytes)
{
  (host ? stage.copied : stage.in_place) = true;
  (host ? usage.copied : usage.in_place)++;
  if (host) usage.bytes += (PetscLogDouble)bytes;
}

const char *DescribeStages(std::initializer_list<const Stage *> stages)
{
  bool copied = false, in_place = false;

  for (const Stage *stage : stages) {
    copied |= stage->copied;
    in_place |= stage->in_place;
  }
  if (copied) return in_place ? ", some vectors in place, some copied from and to the host" : ", vectors copied from and to the host";
  return in_place ? ", vectors in place" : "";
}

PetscErrorCode VecRead::get(Vec v, Space space, Stage &stage)
{
  PetscMemType memtype = PETSC_MEMTYPE_HOST;

  PetscFunctionBegin;
  v_     = v;
  space_ = space;
  if (space == Space::Host) {
    PetscCall(VecGetArrayRead(v, &array_));
    data_ = array_;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayReadAndMemType(v, &array_, &memtype));
  data_            = array_;
  const PetscInt n = local_size(v);
  count(stage, PetscMemTypeHost(memtype), n * sizeof(PetscScalar));
  if (PetscMemTypeHost(memtype)) {
    PetscCall(Guarded([&] {
      data_ = stage.resize(space, n);
      stage.array.assign(array_);
    }));
    PetscCall(PetscLogCpuToGpu(n * sizeof(PetscScalar)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecRead::restore()
{
  PetscFunctionBegin;
  if (space_ == Space::Host) PetscCall(VecRestoreArrayRead(v_, &array_));
  else PetscCall(VecRestoreArrayReadAndMemType(v_, &array_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecWrite::get(Vec v, Space space, Stage &stage, bool read_too)
{
  PetscMemType memtype = PETSC_MEMTYPE_HOST;

  PetscFunctionBegin;
  v_        = v;
  space_    = space;
  read_too_ = read_too;
  if (space == Space::Host) {
    if (read_too) PetscCall(VecGetArray(v, &array_));
    else PetscCall(VecGetArrayWrite(v, &array_));
    data_ = array_;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (read_too) PetscCall(VecGetArrayAndMemType(v, &array_, &memtype));
  else PetscCall(VecGetArrayWriteAndMemType(v, &array_, &memtype));
  data_ = array_;
  PetscCall(VecGetLocalSize(v, &n_));
  count(stage, PetscMemTypeHost(memtype), (read_too ? 2 : 1) * n_ * sizeof(PetscScalar));
  if (PetscMemTypeHost(memtype)) {
    PetscCall(Guarded([&] {
      data_ = stage.resize(space, n_);
      if (read_too) stage.array.assign(array_);
    }));
    if (read_too) PetscCall(PetscLogCpuToGpu(n_ * sizeof(PetscScalar)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecWrite::restore()
{
  PetscFunctionBegin;
  if (space_ == Space::Cuda && data_ != array_) {
    PetscCall(Guarded([&] {
      if (n_) device::copy(array_, data_, n_ * sizeof(PetscScalar));
    }));
    PetscCall(PetscLogGpuToCpu(n_ * sizeof(PetscScalar)));
  }
  if (space_ == Space::Host) {
    if (read_too_) PetscCall(VecRestoreArray(v_, &array_));
    else PetscCall(VecRestoreArrayWrite(v_, &array_));
  } else if (read_too_) PetscCall(VecRestoreArrayAndMemType(v_, &array_));
  else PetscCall(VecRestoreArrayWriteAndMemType(v_, &array_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
