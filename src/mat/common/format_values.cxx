/* The values that PETSc keeps on the host, read and written by operations that look at nothing else. */
#include "format_mat.hpp"

namespace goza::mat {

PetscErrorCode MatFormatHostValues(Mat A, bool written)
{
  const AijBlocks blocks = blocks_of(A);

  PetscFunctionBegin;
  for (Mat block : blocks) {
    const PetscScalar *a;

    if (written) {
#if PetscDefined(HAVE_DEVICE)
      block->offloadmask = PETSC_OFFLOAD_CPU;
#endif
      PetscCall(PetscObjectStateIncrease((PetscObject)block));
    } else { /* copies what the device has newer */
      PetscCall(MatSeqAIJGetArrayRead(block, &a));
      PetscCall(MatSeqAIJRestoreArrayRead(block, &a));
    }
  }
  if (written && A != blocks.diagonal()) PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatStoreValues_Format(Mat A)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  PetscCall(MatFormatHostValues(A, false));
  PetscCall(f->base_function<decltype(MatStoreValues_Format)>(STORE_VALUES)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc 3.18 does not say that the values are others now. */
static PetscErrorCode MatRetrieveValues_Format(Mat A)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  PetscCall(f->base_function<decltype(MatRetrieveValues_Format)>(RETRIEVE_VALUES)(A));
  PetscCall(MatFormatHostValues(A, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatOverrideValues(Mat A, FormatMat *f)
{
  PetscFunctionBegin;
  PetscCall(ComposeOver(A, f, STORE_VALUES, MatStoreValues_Format));
  PetscCall(ComposeOver(A, f, RETRIEVE_VALUES, MatRetrieveValues_Format));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
