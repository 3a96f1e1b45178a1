/* Products of a Goza matrix with others. PETSc looks for them by the names of all the types; AIJ has entries there that a new name lacks. */
#include "format_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"
#include "product_phases.hpp"

namespace goza::mat {

static const char any_type[] = "MatProductSetFromOptions_anytype_C", phases_key[] = "GozaProductPhases";

static PetscErrorCode MatProductSetFromOptions_Format_Any(Mat C);

/* --- the host's names */

namespace {

/* A factor of a product, or a block of one, for a while: with the name of a host AIJ, and without the function by which PETSc would come here again. */
struct Renamed {
  Mat   factor     = NULL;
  char *name       = nullptr;
  bool  comes_here = false;
};

PetscErrorCode Rename(Renamed *r)
{
  PetscObject obj            = (PetscObject)r->factor;
  PetscErrorCode (*any)(Mat) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction(obj, any_type, &any));
  r->comes_here = any == MatProductSetFromOptions_Format_Any;
  if (r->comes_here) PetscCall(PetscObjectComposeFunction(obj, any_type, NULL));
  if (!is_aij(r->factor)) PetscFunctionReturn(PETSC_SUCCESS);
  r->name = obj->type_name; /* kept, not freed: a user may hold what MatGetType() gave */
  PetscCall(PetscStrallocpy(HostType(r->name), &obj->type_name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Restore(const Renamed &r)
{
  PetscObject obj = (PetscObject)r.factor;

  PetscFunctionBegin;
  if (r.comes_here) PetscCall(PetscObjectComposeFunction(obj, any_type, MatProductSetFromOptions_Format_Any));
  if (!r.name) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(obj->type_name));
  obj->type_name = r.name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

class HostNames {
public:
  PetscErrorCode begin(const Mat_Product *product, bool with_blocks)
  {
    PetscFunctionBegin;
    for (Mat factor : {product->A, product->B, product->C}) {
      PetscCall(add(factor));
      if (!factor || !with_blocks || !is_aij(factor)) continue;
      for (Mat block : blocks_of(factor)) PetscCall(add(block));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode end()
  {
    PetscFunctionBegin;
    for (; n_; n_--) {
      PetscCall(Restore(renamed_[n_ - 1]));
      PetscCall(MatDestroy(&renamed_[n_ - 1].factor));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  PetscErrorCode add(Mat M)
  {
    PetscFunctionBegin;
    if (!M || std::any_of(renamed_, renamed_ + n_, [M](const Renamed &r) { return r.factor == M; })) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscObjectReference((PetscObject)M)); /* what PETSc finds may put other factors in their place */
    renamed_[n_].factor = M;
    PetscCall(Rename(&renamed_[n_++]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Renamed renamed_[9];
  int     n_ = 0;
};

} // namespace

/* --- the phases of a product that PETSc knows for host matrices */

namespace {

struct Phases {
  PetscErrorCode (*symbolic)(Mat) = nullptr, (*numeric)(Mat) = nullptr;
};

/* They read the factors' host arrays and write the result's, whatever the device has. */
PetscErrorCode FetchFactors(Mat C)
{
  PetscFunctionBegin;
  for (Mat factor : {C->product->A, C->product->B, C->product->C})
    if (factor && is_aij(factor)) PetscCall(MatFormatHostValues(factor, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the host, whatever PETSc's types say. Its parallel products on the device hand cuSPARSE values that nobody has set, and cuSPARSE's product of two matrices
   may not end where one of them has all its bits set; those on the host do the same with blocks that they transpose, unless nothing on the way is called a
   matrix of the device. A B' gives the transpose that it makes of B the type of A, which takes its entries where it had another. */
PetscErrorCode RunPhase(Mat C, PetscErrorCode (*phase)(Mat))
{
  HostNames  names;
  const bool sparse = petsc_on_device() && is_aij(C->product->A) && is_aij(C->product->B), stays = seqaij_stays;

  PetscFunctionBegin;
  if (sparse) PetscCall(names.begin(C->product, true));
  seqaij_stays              = sparse || stays;
  const PetscErrorCode ierr = CallPhase(C, phases_key, phase);
  seqaij_stays              = stays;
  PetscCall(names.end());
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A result that is a plain AIJ, which only some of the phases make, becomes a matrix of the kind that was multiplied. */
PetscErrorCode ProductNumeric(Mat C)
{
  Phases    *phases = attached<Phases>(C, phases_key);
  FormatMat *f      = nullptr;

  PetscFunctionBegin;
  for (Mat factor : {C->product->A, C->product->B})
    if (!f) f = format_of(factor);
  PetscCall(FetchFactors(C));
  PetscCall(RunPhase(C, phases->numeric));
  if (is_aij(C)) PetscCall(MatFormatHostValues(C, true));
  if (f && is_type(C, MATSEQAIJ, MATMPIAIJ)) PetscCall(MatFormatBecomeLike(C, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProductSymbolic(Mat C)
{
  PetscFunctionBegin;
  PetscCall(RunPhase(C, attached<Phases>(C, phases_key)->symbolic));
  stand_in_for_numeric<Phases>(C, phases_key, ProductNumeric);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ComposePhases(Mat C)
{
  std::unique_ptr<Phases> phases;

  PetscFunctionBegin;
  PetscCall(Together(comm_of(C), "hold a product of matrices", [&] { phases = std::make_unique<Phases>(); }));
  phases->symbolic        = C->ops->productsymbolic;
  C->ops->productsymbolic = ProductSymbolic;
  PetscCall(Attach((PetscObject)C, phases_key, std::move(phases)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* --- the search, under the host's names */

/* For a dense factor PETSc goes column by column through the products of a type that it does not know: those are ours, and on the device. */
static bool columns_on_device(const Mat_Product *product)
{
  const FormatMat *f = format_of(product->A);

  return f && f->base_type != HostType(f->base_type) && (product->type == MATPRODUCT_AB || product->type == MATPRODUCT_AtB) &&
         is_based_on(product->B, MATSEQDENSE, MATMPIDENSE);
}

/* PETSc comes here when it has found nothing under the types' own names. */
static PetscErrorCode MatProductSetFromOptions_Format_Any(Mat C)
{
  HostNames names;

  PetscFunctionBegin;
  if (columns_on_device(C->product)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(names.begin(C->product, false));
  const PetscErrorCode ierr = MatProductSetFromOptions(C);
  PetscCall(names.end());
  PetscCall(ierr);
  if (C->ops->productsymbolic && C->ops->productsymbolic != ProductSymbolic) PetscCall(ComposePhases(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All factors are ours. PETSc's own products on the device check exact type names later, when ours are back, and may not end (RunPhase()); the AIJ product,
   which a matrix bound to the CPU gets, is the one that fits. Most of its numeric phases read AIJ's host arrays as they are. */
PetscErrorCode MatProductSetFromOptions_Device(Mat C)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_DEVICE)
  Mat             A     = C->product->A;
  const PetscBool bound = A->boundtocpu;

  A->boundtocpu             = PETSC_TRUE;
  const PetscErrorCode ierr = format_of(A)->base.productsetfromoptions(C);
  A->boundtocpu             = bound;
  PetscCall(ierr);
#endif
  if (C->ops->productsymbolic) PetscCall(ComposePhases(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the Kronecker product, which wants two SeqAIJ by name */

static PetscErrorCode MatSeqAIJKron_Format(Mat A, Mat B, MatReuse reuse, Mat *C)
{
  FormatMat *f = format_of(A);
  Renamed    right{B};

  PetscFunctionBegin;
  PetscCall(Rename(&right));
  const PetscErrorCode ierr = f->base_function<decltype(MatSeqAIJKron_Format)>(KRONECKER)(A, B, reuse, C);
  PetscCall(Restore(right));
  PetscCall(ierr);
  if (reuse != MAT_INITIAL_MATRIX) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatFormatBecomeLike(*C, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatOverrideProducts(Mat A, FormatMat *f)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, any_type, MatProductSetFromOptions_Format_Any));
  PetscCall(ComposeOver(A, f, KRONECKER, MatSeqAIJKron_Format));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatRestoreProducts(Mat A) { return PetscObjectComposeFunction((PetscObject)A, any_type, NULL); }

} // namespace goza::mat
