/* Assembly by coordinates (COO), the values on the host or on the device. */
#include "format_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat {

/* call(), of a matrix that is not bound to the CPU: while it is, PETSc's SeqAIJCUSPARSE has lost its functions and what they know of the coordinates, and its
   MPIAIJCUSPARSE puts the values on the device all the same. */
template <class Call> static PetscErrorCode Unbound(Mat A, const FormatMat *f, const Call &call)
{
  const bool cusparse = f->base_type == MATSEQAIJCUSPARSE || f->base_type == MATMPIAIJCUSPARSE;

  PetscFunctionBegin;
  const bool bound = is_bound(A);
  if (cusparse && bound) PetscCall(MatBindToCPU(A, PETSC_FALSE));
  const PetscErrorCode failed = call();
  if (cusparse && bound) PetscCall(MatBindToCPU(A, PETSC_TRUE));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetPreallocationCOO_Format(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  f->coo_n = n;
  PetscCall(Unbound(A, f, [&] {
    return MatFormatAsBase(A, f, [&] { return f->base_function<decltype(MatSetPreallocationCOO_Format)>(COO_PREALLOCATION)(A, n, i, j); });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetValuesCOO_Format(Mat A, const PetscScalar v[], InsertMode mode)
{
  FormatMat               *f = format_of(A);
  std::vector<PetscScalar> host;

  PetscFunctionBegin;
  if (!petsc_on_device() && default_space() == Space::Cuda) { /* this PETSc knows no device memory */
    PetscCall(Together(comm_of(A), "bring its values to the host", [&] {
      if (!device::is_device_pointer(v)) return;
      host.resize(f->coo_n);
      device::copy(host.data(), v, host.size() * sizeof(PetscScalar));
      v = host.data();
    }));
  }
  PetscCall(Unbound(A, f, [&] { return MatFormatAsBase(A, f, [&] { return f->base_function<decltype(MatSetValuesCOO_Format)>(COO_VALUES)(A, v, mode); }); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatOverrideCOO(Mat A, FormatMat *f)
{
  PetscFunctionBegin;
  PetscCall(ComposeOver(A, f, COO_PREALLOCATION, MatSetPreallocationCOO_Format));
  PetscCall(ComposeOver(A, f, COO_VALUES, MatSetValuesCOO_Format));
  if (f->base_type == MATSEQAIJCUSPARSE && is_bound(A) && f->composed[COO_VALUES]) { /* see Unbound() */
    PetscCall(PetscObjectComposeFunction((PetscObject)A, composed_names[COO_PREALLOCATION], MatSetPreallocationCOO_Format));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, composed_names[COO_VALUES], MatSetValuesCOO_Format));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
