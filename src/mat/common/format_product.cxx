/* Products of a Goza matrix with matrices of other types, which PETSc looks for by the names of both. */
#include "format_mat.hpp"

namespace goza
{

/* Only over SeqAIJCUSPARSE: a product with its own kernels checks exact type names later, when ours are back; the AIJ product, which a matrix bound to the
   CPU gets, is the one that fits. */
PetscErrorCode MatProductSetFromOptions_Format(Mat C)
{
  FormatMat *f;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(C->product->A, &f));
  if (!f) PetscCall(MatGetFormatMat(C->product->B, &f)); /* only B is ours */
#if PetscDefined(HAVE_DEVICE)
  Mat             A     = C->product->A;
  const PetscBool bound = A->boundtocpu;

  A->boundtocpu             = f->base_type == MATSEQAIJCUSPARSE ? PETSC_TRUE : bound;
  const PetscErrorCode ierr = f->base.productsetfromoptions(C);
  A->boundtocpu             = bound;
  PetscCall(ierr);
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatComposeProducts(Mat A, const FormatMat *f, bool attach)
{
  char        name[128];
  const bool  mpi  = f->base_type.rfind("mpi", 0) == 0;
  const char *size = mpi ? "mpi" : "seq", *type = mpi ? f->kind->mpi : f->kind->seq;
  const bool  on_device = f->base_type != MATSEQAIJ && f->base_type != MATMPIAIJ;

  PetscFunctionBegin;
  if (on_device) {
    for (const char *with : {"aij", "aijcusparse"}) {
      PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s_%s%s_C", type, size, with));
      PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? MatProductSetFromOptions_Format : NULL));
      PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s%s_%s_C", size, with, type));
      PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? MatProductSetFromOptions_Format : NULL));
    }
  }
  for (const char *dense : {"seqdense", "mpidense"}) {
    PetscErrorCode (*product)(Mat) = nullptr;

    PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%saij_%s_C", size, dense));
    PetscCall(PetscObjectQueryFunction((PetscObject)A, name, &product));
    PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s_%s_C", type, dense));
    if (product) PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? product : NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
