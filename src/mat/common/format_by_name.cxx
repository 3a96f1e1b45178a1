/* Functions that PETSc looks for by type names: conversions from us (those to us are ops->convertfrom), and products with other types. */
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

PetscErrorCode MatFormatComposeByName(Mat A, const FormatMat *f, bool attach)
{
  char        name[128];
  const bool  mpi  = f->base_type.rfind("mpi", 0) == 0;
  const char *size = mpi ? "mpi" : "seq", *type = mpi ? f->kind->mpi : f->kind->seq;
  const bool  on_device = f->base_type != MATSEQAIJ && f->base_type != MATMPIAIJ;

  PetscFunctionBegin;
  for (const char *to : {"aij", "aijcusparse"}) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "MatConvert_%s_%s%s_C", type, size, to));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? MatConvert_Format_Base : NULL));
    PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s_%s%s_C", type, size, to));
    if (on_device) PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? MatProductSetFromOptions_Format : NULL));
    PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s%s_%s_C", size, to, type));
    if (on_device) PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? MatProductSetFromOptions_Format : NULL));
  }
  /* to the same type by its root name, which PETSc's test for "the same type" does not know */
  PetscCall(PetscSNPrintf(name, sizeof(name), "MatConvert_%s_%s_C", type, f->kind->root));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? MatConvert_Format_Same : NULL));
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
