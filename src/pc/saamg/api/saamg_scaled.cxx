#include "saamg_scaled.hpp"
#include "petsc/compat.hpp"
#include <cmath>
#include <limits>

namespace goza::saamg {

/* A power of two, in two steps where one is no number: 2^1100 times 2^-1050. */
static PetscErrorCode ScaleByPower(Vec v, int exponent)
{
  constexpr int most = std::numeric_limits<PetscReal>::max_exponent - 2;

  PetscFunctionBegin;
  while (exponent != 0) {
    const int step = PetscMax(-most, PetscMin(most, exponent));

    PetscCall(VecScale(v, static_cast<PetscReal>(std::ldexp(1.0, step))));
    exponent -= step;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ScaledPC::setup(PC pc, Mat A, bool *found)
{
  Mat scaled;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &scaled));
  PetscCall(MatScale(scaled, static_cast<PetscReal>(std::ldexp(1.0, -exponent_))));
  const PetscErrorCode failed = setup_inner(pc, A, scaled);
  PetscCall(MatDestroy(&scaled)); /* the PC has it */
  PetscCall(failed);
  *found = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LargestExponent(Vec b, int *exponent)
{
  PetscReal largest;

  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_INFINITY, &largest));
  *exponent = largest > 0 && !PetscIsInfOrNanReal(largest) ? std::ilogb(largest) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ApplyScaled(const std::function<PetscErrorCode(Vec, Vec)> &M, Vec b, Vec x, int exponent, int power)
{
  Vec scaled;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &scaled));
  PetscErrorCode failed = VecCopy(b, scaled);
  if (!failed) failed = ScaleByPower(scaled, -exponent);
  if (!failed) failed = M(scaled, x);
  PetscCall(VecDestroy(&scaled));
  PetscCall(failed);
  PetscCall(ScaleByPower(x, exponent + power));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix's entries may be as far from 1, and then a correction twice as far. */
Range range_of(int exponent) { return std::abs(exponent) <= 60 ? Range::Inside : Range::Outside; }

PetscErrorCode ScaledPC::apply(PetscErrorCode (*how)(PC, Vec, Vec), bool, Vec b, Vec x)
{
  int exponent = 0;

  PetscFunctionBegin;
  PetscCall(LargestExponent(b, &exponent));
  PetscCall(ApplyScaled([&](Vec scaled, Vec to) { return how(pc(), scaled, to); }, b, x, exponent, -exponent_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ScaledPC::view(PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  of the matrix times 2^%d:\n", -exponent_));
  PetscCall(view_inner(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
