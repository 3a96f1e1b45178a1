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
  PetscCall(MatFormatAsBase(A, f, [&] { return f->base_coo_preallocate(A, n, i, j); }));
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
  PetscCall(MatFormatAsBase(A, f, [&] { return f->base_coo_values(A, v, mode); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatOverrideCOO(Mat A, FormatMat *f)
{
  PetscFunctionBegin;
  PetscCall(ComposeOver(A, "MatSetPreallocationCOO_C", MatSetPreallocationCOO_Format, &f->base_coo_preallocate));
  PetscCall(ComposeOver(A, "MatSetValuesCOO_C", MatSetValuesCOO_Format, &f->base_coo_values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatRestoreCOO(Mat A, const FormatMat *f)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetPreallocationCOO_C", f->base_coo_preallocate));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetValuesCOO_C", f->base_coo_values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
