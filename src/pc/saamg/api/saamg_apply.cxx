/* The cycle between PETSc's vectors. */
#include "petsc/plugin.hpp"
#include "saamg_data.hpp"

namespace goza::saamg {

static PetscErrorCode Run(SAAMG *mg, Cycle &cycle, Vec b, Vec x)
{
  VecRead  bin;
  VecWrite xout;

  PetscFunctionBegin;
  PetscCall(use_petsc_stream());
  PetscCall(bin.get(b, mg->space, mg->staged_b));
  PetscCall(xout.get(x, mg->space, mg->staged_x));
  PetscCall(cycle.apply(bin.data(), xout.data())); /* it logs its steps */
  usage.cycles[(int)mg->space]++;
  PetscCall(xout.restore());
  PetscCall(bin.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ApplyCycle(SAAMG *mg, Cycle &cycle, Vec b, Vec x)
{
  int exponent = 0;

  PetscFunctionBegin;
  if (mg->cycle_precision != PC_SAAMG_DOUBLE && mg->range != Range::Inside) PetscCall(LargestExponent(b, false, &exponent));
  if (range_of(exponent) == Range::Inside) PetscCall(Run(mg, cycle, b, x));
  else PetscCall(ApplyScaled([&](Vec scaled, Vec to) { return Run(mg, cycle, scaled, to); }, b, x, exponent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
