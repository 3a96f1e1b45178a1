/* Assembly by coordinates (COO), the values on the host or on the device. */
#include "format_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat
{

static PetscErrorCode MatSetPreallocationCOO_Format(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
{
  FormatMat *f;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  f->coo_n = n;
  PetscCall(MatFormatAsBase(A, f, [&] { return f->base_function<decltype(MatSetPreallocationCOO_Format)>(COO_PREALLOCATION)(A, n, i, j); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetValuesCOO_Format(Mat A, const PetscScalar v[], InsertMode mode)
{
  FormatMat               *f;
  std::vector<PetscScalar> host;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  if (!petsc_on_device() && default_space() == Space::Cuda) { /* this PETSc knows no device memory */
    const PetscErrorCode failed = Guarded([&] {
      if (!device::is_device_pointer(v)) return;
      host.resize(f->coo_n);
      device::copy(host.data(), v, host.size() * sizeof(PetscScalar));
      v = host.data();
    });

    PetscCall(FailTogether(PetscObjectComm((PetscObject)A), failed, "bring its values to the host"));
  }
  const bool on_host = f->bound && f->base_type == MATMPIAIJCUSPARSE; /* which puts them on the device all the same */
  if (on_host) PetscCall(MatBindToCPU(A, PETSC_FALSE));
  const PetscErrorCode failed = MatFormatAsBase(A, f, [&] { return f->base_function<decltype(MatSetValuesCOO_Format)>(COO_VALUES)(A, v, mode); });
  if (on_host) PetscCall(MatBindToCPU(A, PETSC_TRUE));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatOverrideCOO(Mat A, FormatMat *f)
{
  PetscFunctionBegin;
  PetscCall(ComposeOver(A, f, COO_PREALLOCATION, MatSetPreallocationCOO_Format));
  PetscCall(ComposeOver(A, f, COO_VALUES, MatSetValuesCOO_Format));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
