/* Matrices and right-hand sides whose entries leave the range of what saamg computes with. */
#pragma once
#include "saamg_inner.hpp"
#include <functional>

namespace goza::saamg {

/* Of the matrix times a power of two, to a right-hand side that is scaled likewise. */
class ScaledPC final : public InnerPC {
public:
  explicit ScaledPC(int exponent) : exponent_(exponent) { } // of the largest entry
  PetscErrorCode setup(PC pc, Mat A, bool *found) override;
  PetscErrorCode apply(PetscErrorCode (*how)(PC, Vec, Vec), bool transposed, Vec b, Vec x) override;
  PetscErrorCode view(PetscViewer viewer) override;

private:
  int exponent_;
};

/* Of the largest entry, wherever the vector is; 0 where all are zeros, or one is infinite. glance: on a host, where a look at all entries may take as long as a
   device does for the solve, some of them tell, unless these are zeros, as where few nodes bear loads, or out of range. */
PetscErrorCode LargestExponent(Vec b, bool glance, int *exponent);

/* x = 2^(exponent + power) M(2^-exponent b) */
PetscErrorCode ApplyScaled(const std::function<PetscErrorCode(Vec, Vec)> &M, Vec b, Vec x, int exponent, int power = 0);

/* Whether single precision has room for a right-hand side and what a cycle makes of it; Unknown: its next one is looked at. */
enum class Range { Unknown, Inside, Outside };

Range range_of(int exponent);

} // namespace goza::saamg
