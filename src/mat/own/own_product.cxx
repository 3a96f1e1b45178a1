/* Products of owning matrices with matrices: PETSc's of AIJ, which each phase makes of the factors. PETSc comes here when it finds nothing by the types' names.

   A matrix times a dense one is left to PETSc, which takes column by column: no AIJ is needed. */
#include "mat/common/product_phases.hpp"
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/attached.hpp"

namespace goza::mat
{

namespace
{

constexpr char any_type[] = "MatProductSetFromOptions_anytype_C", phases_key[] = "GozaOwnProductPhases";

PetscErrorCode ProductSymbolic(Mat C);
PetscErrorCode ProductNumeric(Mat C);

/* AIJ of the factors of a product in their places, for a while. */
class AijFactors {
public:
  explicit AijFactors(Mat_Product *product) : slot_{&product->A, &product->B, &product->C} { }
  PetscErrorCode begin();
  PetscErrorCode end();

private:
  Mat *slot_[3], owner_[3] = {NULL, NULL, NULL}, aij_[3] = {NULL, NULL, NULL};
};

PetscErrorCode AijFactors::begin()
{
  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) {
    OwnMat *own = nullptr;

    if (*slot_[k]) PetscCall(MatGetOwn(*slot_[k], &own));
    if (!own) continue;
    PetscCall(OwnBorrowAij(*slot_[k], false, &aij_[k]));
    PetscCall(PetscObjectReference((PetscObject)aij_[k]));
    owner_[k] = std::exchange(*slot_[k], aij_[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PETSc finds may put other factors in their places, as those of a transpose that is not formed. */
PetscErrorCode AijFactors::end()
{
  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) {
    if (!owner_[k]) continue;
    Mat owner = owner_[k];

    if (*slot_[k] == aij_[k]) {
      PetscCall(PetscObjectReference((PetscObject)owner));
      PetscCall(MatDestroy(slot_[k]));
      *slot_[k] = owner;
    }
    PetscCall(OwnReturnAij(owner, false));
    PetscCall(MatDestroy(&owner_[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kept: PETSc's own data of a product may be of the very objects that were multiplied first. */
struct Phases {
  PetscErrorCode (*symbolic)(Mat) = nullptr, (*numeric)(Mat) = nullptr;
  Mat kept[3] = {NULL, NULL, NULL};

  Phases()                          = default;
  Phases(const Phases &)            = delete;
  Phases &operator=(const Phases &) = delete;
  ~Phases() { (void)release(); }

  PetscErrorCode release()
  {
    PetscFunctionBegin;
    for (Mat &M : kept) PetscCall(MatDestroy(&M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode keep(const Mat_Product *product)
  {
    const Mat factor[] = {product->A, product->B, product->C};

    PetscFunctionBegin;
    PetscCall(release());
    for (int k = 0; k < 3; k++) {
      PetscCall(PetscObjectReference((PetscObject)factor[k]));
      kept[k] = factor[k];
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* One of PETSc's phases. */
PetscErrorCode RunPhase(Mat C, PetscErrorCode (*phase)(Mat))
{
  AijFactors factors(C->product);
  Phases    *phases;

  PetscFunctionBegin;
  PetscErrorCode failed = factors.begin();
  if (!failed) failed = CallPhase(C, phases_key, phase);
  PetscCall(GetAttached((PetscObject)C, phases_key, &phases));
  if (!failed && phases) failed = C->product->clear ? phases->release() : phases->keep(C->product);
  PetscCall(factors.end());
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProductNumeric(Mat C)
{
  Phases *phases;

  PetscFunctionBegin;
  PetscCall(GetAttached((PetscObject)C, phases_key, &phases));
  PetscCall(RunPhase(C, phases->numeric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProductSymbolic(Mat C)
{
  Phases *phases;

  PetscFunctionBegin;
  PetscCall(GetAttached((PetscObject)C, phases_key, &phases));
  PetscCall(RunPhase(C, phases->symbolic));
  PetscCall(StandInForNumeric<Phases>(C, phases_key, ProductNumeric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ColumnByColumn(const Mat_Product *product, PetscBool *yes)
{
  OwnMat *own;

  PetscFunctionBegin;
  *yes = PETSC_FALSE;
  PetscCall(MatGetOwn(product->A, &own));
  if (own && (product->type == MATPRODUCT_AB || product->type == MATPRODUCT_AtB))
    PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)product->B, yes, MATSEQDENSE, MATMPIDENSE, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatProductSetFromOptions_Own(Mat C)
{
  AijFactors              factors(C->product);
  std::unique_ptr<Phases> phases;
  PetscBool               columns;

  PetscFunctionBegin;
  PetscCall(ColumnByColumn(C->product, &columns));
  if (columns) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FailTogether(PetscObjectComm((PetscObject)C), Guarded([&] { phases = std::make_unique<Phases>(); }), "hold a product of matrices"));
  PetscErrorCode failed = factors.begin();
  if (!failed) failed = MatProductSetFromOptions(C);
  if (!failed) failed = phases->keep(C->product); /* until the symbolic phase */
  PetscCall(factors.end());
  PetscCall(failed);
  if (!C->ops->productsymbolic || C->ops->productsymbolic == ProductSymbolic) PetscFunctionReturn(PETSC_SUCCESS);
  phases->symbolic        = C->ops->productsymbolic;
  C->ops->productsymbolic = ProductSymbolic;
  PetscCall(Attach((PetscObject)C, phases_key, std::move(phases)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode OwnComposeProducts(Mat A, bool attach)
{
  PetscFunctionBegin;
  A->ops->productsetfromoptions = MatProductSetFromOptions_Own;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, any_type, attach ? MatProductSetFromOptions_Own : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
