/* Products of owning matrices with matrices: PETSc's of AIJ, which each phase makes of the factors. PETSc comes here when it finds nothing by the types' names.

   A matrix times a dense one is left to PETSc, which takes column by column: no AIJ is needed. */
#include "mat/common/product_phases.hpp"
#include "own_mat.hpp"
#include "parallel/agree.hpp"

namespace goza::mat {
namespace {

constexpr char any_type[] = "MatProductSetFromOptions_anytype_C", product_key[] = "GozaOwnProductPhases";

PetscErrorCode ProductSymbolic(Mat C);
PetscErrorCode ProductNumeric(Mat C);

/* AIJ of the factors of a product, of their entries or of all places, where the factors stand, for a while. */
class AijFactors {
public:
  explicit AijFactors(Mat_Product *product, bool places = false) : places_(places), slot_{&product->A, &product->B, &product->C} { }

  PetscErrorCode begin()
  {
    PetscFunctionBegin;
    for (int k = 0; k < 3; k++) {
      if (!find_own(*slot_[k])) continue;
      PetscCall(OwnBorrowAij(*slot_[k], places_, &aij_[k]));
      PetscCall(PetscObjectReference((PetscObject)aij_[k]));
      owner_[k] = std::exchange(*slot_[k], aij_[k]);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* What PETSc finds may put other factors in their places, as those of a transpose that is not formed. */
  PetscErrorCode end()
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
      PetscCall(OwnReturnAij(owner, places_));
      PetscCall(MatDestroy(&owner_[k]));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  bool places_;
  Mat *slot_[3], owner_[3] = {NULL, NULL, NULL}, aij_[3] = {NULL, NULL, NULL};
};

/* References to three factors. */
class Held {
public:
  Held()                        = default;
  Held(const Held &)            = delete;
  Held &operator=(const Held &) = delete;
  ~Held() { (void)release(); }

  PetscErrorCode release()
  {
    PetscFunctionBegin;
    for (Mat &M : factor_) PetscCall(MatDestroy(&M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode take(const Mat_Product *product)
  {
    const Mat factor[] = {product->A, product->B, product->C};

    PetscFunctionBegin;
    PetscCall(release());
    for (int k = 0; k < 3; k++) {
      PetscCall(PetscObjectReference((PetscObject)factor[k]));
      factor_[k] = factor[k];
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  bool are(const Mat_Product *product) const { return factor_[0] == product->A && factor_[1] == product->B && factor_[2] == product->C; }

private:
  Mat factor_[3] = {NULL, NULL, NULL};
};

/* The nonzero patterns of owning factors. */
using Patterns = std::array<PetscObjectState, 3>;

Patterns patterns_of(const Mat_Product *product)
{
  const auto of = [](Mat factor) { return find_own(factor) ? factor->nonzerostate : -1; };

  return {of(product->A), of(product->B), of(product->C)};
}

/* kept: PETSc's own data of a product may be of the very objects that were multiplied first. whole: the product of all places of the factors, where entries are
   no longer those that the symbolic phase saw, as of diagonals that were 0 then: PETSc's numeric phases write to the places that they found. */
struct ProductPhases {
  PetscErrorCode (*symbolic)(Mat) = nullptr, (*numeric)(Mat) = nullptr;
  Held     kept, of_whole;
  Patterns seen{-1, -1, -1};
  Mat      whole = NULL;

  ~ProductPhases() { (void)release(); }

  PetscErrorCode release()
  {
    PetscFunctionBegin;
    PetscCall(kept.release());
    PetscCall(of_whole.release());
    PetscCall(MatDestroy(&whole));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* One of PETSc's phases. */
PetscErrorCode RunPhase(Mat C, PetscErrorCode (*phase)(Mat))
{
  AijFactors factors(C->product);

  PetscFunctionBegin;
  PetscErrorCode failed = factors.begin();
  if (!failed) failed = CallPhase(C, product_key, phase);
  ProductPhases *phases = attached<ProductPhases>(C, product_key);
  if (!failed && phases) failed = C->product->clear ? phases->release() : phases->kept.take(C->product);
  PetscCall(factors.end());
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With its factors' AIJ where they stand. */
PetscErrorCode MakeWhole(const Mat_Product *product, ProductPhases *phases)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&phases->whole));
  PetscCall(phases->of_whole.take(product));
  PetscCall(MatProductCreate(product->A, product->B, product->C, &phases->whole));
  PetscCall(MatProductSetType(phases->whole, product->type));
  PetscCall(MatProductSetAlgorithm(phases->whole, product->alg));
  PetscCall(MatProductSetFill(phases->whole, product->fill));
  phases->whole->product->api_user = product->api_user;
  PetscCall(MatProductSetFromOptions(phases->whole));
  PetscCall(MatProductSymbolic(phases->whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the place of PETSc's numeric phase. C gets its places the first time, which for PETSc is another matrix in its place. */
PetscErrorCode ComputeWhole(Mat C)
{
  AijFactors     factors(C->product, true);
  ProductPhases *phases = attached<ProductPhases>(C, product_key);
  bool           made   = false;

  PetscFunctionBegin;
  PetscErrorCode failed = factors.begin();
  if (!failed && !(phases->whole && phases->of_whole.are(C->product))) {
    failed = MakeWhole(C->product, phases);
    made   = true;
  }
  if (!failed) failed = MatProductNumeric(phases->whole);
  PetscCall(factors.end());
  if (failed) (void)MatDestroy(&phases->whole);
  PetscCall(failed);
  PetscCall(MatCopy(phases->whole, C, made ? DIFFERENT_NONZERO_PATTERN : SAME_NONZERO_PATTERN));
  if (C->product->clear) PetscCall(phases->release());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProductNumeric(Mat C)
{
  ProductPhases *phases = attached<ProductPhases>(C, product_key);

  PetscFunctionBegin;
  for (Mat factor : {C->product->A, C->product->B, C->product->C})
    if (find_own(factor)) PetscCall(OwnPatternNow(factor)); /* MatZeroEntries() leaves the question open, since values mostly follow */
  if (patterns_of(C->product) == phases->seen) PetscCall(RunPhase(C, phases->numeric));
  else PetscCall(CallPhase(C, product_key, ComputeWhole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProductSymbolic(Mat C)
{
  PetscFunctionBegin;
  PetscCall(RunPhase(C, attached<ProductPhases>(C, product_key)->symbolic));
  if (ProductPhases *phases = attached<ProductPhases>(C, product_key)) phases->seen = patterns_of(C->product);
  stand_in_for_numeric<ProductPhases>(C, product_key, ProductNumeric);
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool column_by_column(const Mat_Product *product)
{
  return find_own(product->A) && (product->type == MATPRODUCT_AB || product->type == MATPRODUCT_AtB) && is_based_on(product->B, MATSEQDENSE, MATMPIDENSE);
}

PetscErrorCode MatProductSetFromOptions_Own(Mat C)
{
  AijFactors                     factors(C->product);
  std::unique_ptr<ProductPhases> phases;

  PetscFunctionBegin;
  if (column_by_column(C->product)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Together(comm_of(C), "hold a product of matrices", [&] { phases = std::make_unique<ProductPhases>(); }));
  PetscErrorCode failed = factors.begin();
  if (!failed) failed = MatProductSetFromOptions(C);
  if (!failed) failed = phases->kept.take(C->product); /* until the symbolic phase */
  PetscCall(factors.end());
  PetscCall(failed);
  if (!C->ops->productsymbolic || C->ops->productsymbolic == ProductSymbolic) PetscFunctionReturn(PETSC_SUCCESS);
  phases->symbolic        = C->ops->productsymbolic;
  C->ops->productsymbolic = ProductSymbolic;
  PetscCall(Attach((PetscObject)C, product_key, std::move(phases)));
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
