#include "vec_access.hpp"
#include "errors.hpp"

namespace goza
{

PetscErrorCode VecRead::get(Vec v, Space space, Array<PetscScalar> &stage)
{
  PetscMemType memtype = PETSC_MEMTYPE_HOST;
  PetscInt     n;

  PetscFunctionBegin;
  v_     = v;
  space_ = space;
  if (space == Space::Host) {
    PetscCall(VecGetArrayRead(v, &array_));
    data_ = array_;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayReadAndMemType(v, &array_, &memtype));
  data_ = array_;
  if (PetscMemTypeHost(memtype)) {
    PetscCall(VecGetLocalSize(v, &n));
    PetscCall(Guarded([&] {
      if (stage.space() != space) stage = Array<PetscScalar>(space);
      stage.resize(n);
      stage.assign(array_);
    }));
    PetscCall(PetscLogCpuToGpu(n * sizeof(PetscScalar)));
    data_ = stage.data();
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

PetscErrorCode VecWrite::get(Vec v, Space space, Array<PetscScalar> &stage, bool read_too)
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
  if (PetscMemTypeHost(memtype)) {
    PetscCall(VecGetLocalSize(v, &n_));
    PetscCall(Guarded([&] {
      if (stage.space() != space) stage = Array<PetscScalar>(space);
      stage.resize(n_);
      if (read_too) stage.assign(array_);
    }));
    data_ = stage.data();
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
