/* saamg of a matrix whose entries leave the range of what it computes with. */
#pragma once
#include "saamg_inner.hpp"

namespace goza::saamg {

/* Of the matrix times a power of two, to a right-hand side that is scaled likewise. */
class ScaledPC final : public InnerPC {
public:
  explicit ScaledPC(int exponent) : exponent_(exponent) { } // of the largest entry
  ~ScaledPC() override { (void)VecDestroy(&scaled_); }
  PetscErrorCode setup(PC pc, Mat A, bool *found) override;
  PetscErrorCode apply(PetscErrorCode (*how)(PC, Vec, Vec), bool transposed, Vec b, Vec x) override;
  PetscErrorCode view(PetscViewer viewer) override;

private:
  int exponent_;
  Vec scaled_ = NULL; // b
};

} // namespace goza::saamg
