/* Set and Get functions of saamg: the cycle. Setting something takes effect at the next set-up. */
#include "saamg_call.hpp"

/*@
  PCSAAMGSetCycleType - Sets the cycle

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner, of type `PCSAAMG`
- type - `PC_SAAMG_CYCLE_V` or `PC_SAAMG_CYCLE_W`

  Options Database Key:
. -pc_saamg_cycle (v|w) - the cycle

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetCycleType()`
@*/
PetscErrorCode PCSAAMGSetCycleType(PC pc, PCSAAMGCycleType type)
{
  PetscFunctionBegin;
  PetscCall(goza::CallSet(pc, "PCSAAMGSetCycleType_C", type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetCycleType - Gets what `PCSAAMGSetCycleType()` sets

  Not Collective

  Level: intermediate
@*/
PetscErrorCode PCSAAMGGetCycleType(PC pc, PCSAAMGCycleType *type)
{
  PetscFunctionBegin;
  PetscCall(goza::CallGet(pc, "PCSAAMGGetCycleType_C", type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetPrecision - Sets the precision of the cycle

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- precision - `PC_SAAMG_AUTO` (default: half on a GPU where that does no harm, see `PCSAAMG`; else double), `PC_SAAMG_DOUBLE`, `PC_SAAMG_MIXED` (the finest level in double, the others in single), `PC_SAAMG_SINGLE` or `PC_SAAMG_HALF` (vectors,
  sums in single, the values of the levels' operators in half where that is expected to be faster, scaled where they leave its range: see `MatCDSSetPrecision()`; those of an
  interpolation where that keeps its small entries)

  Options Database Key:
. -pc_saamg_precision (auto|double|mixed|single|half) - the precision of the cycle

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetPrecision()`
@*/
PetscErrorCode PCSAAMGSetPrecision(PC pc, PCSAAMGPrecision precision)
{
  PetscFunctionBegin;
  PetscCall(goza::CallSet(pc, "PCSAAMGSetPrecision_C", precision));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetPrecision - Gets what `PCSAAMGSetPrecision()` sets

  Not Collective

  Level: intermediate
@*/
PetscErrorCode PCSAAMGGetPrecision(PC pc, PCSAAMGPrecision *precision)
{
  PetscFunctionBegin;
  PetscCall(goza::CallGet(pc, "PCSAAMGGetPrecision_C", precision));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetDirectLimit - Sets the number of rows up to which the coarsest level is solved exactly

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- rows - 0 to 46340; a coarsest level with more rows is smoothed, `PCSAAMGSetSweeps()` with `PC_SAAMG_COARSEST` times, as in paper P5

  Options Database Key:
. -pc_saamg_direct_limit rows - the number of rows up to which the coarsest level is solved by its dense inverse

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetDirectLimit()`, `PCSAAMGSetCoarseLimit()`
@*/
PetscErrorCode PCSAAMGSetDirectLimit(PC pc, PetscInt rows)
{
  PetscFunctionBegin;
  PetscCall(goza::CallSet(pc, "PCSAAMGSetDirectLimit_C", rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetDirectLimit - Gets what `PCSAAMGSetDirectLimit()` sets

  Not Collective

  Level: intermediate
@*/
PetscErrorCode PCSAAMGGetDirectLimit(PC pc, PetscInt *rows)
{
  PetscFunctionBegin;
  PetscCall(goza::CallGet(pc, "PCSAAMGGetDirectLimit_C", rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetInterpolation - Sets what the interpolation between aggregates is smoothed with

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- interpolation - `PC_SAAMG_INTERPOLATION_SMOOTHED` (the matrix), `PC_SAAMG_INTERPOLATION_DIFFUSIVE` (the part of the matrix that both directions of an edge share, on every level: of upwind
  convection and diffusion the diffusion), `PC_SAAMG_INTERPOLATION_UNSMOOTHED` (nothing: piecewise constant) or `PC_SAAMG_INTERPOLATION_AUTO` (default: the matrix where that is symmetric,
  else its diffusive part)

  Options Database Key:
. -pc_saamg_interpolation (auto|smoothed|diffusive|unsmoothed) - what interpolation is smoothed with

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetInterpolation()`, `PCSAAMGSetCoarseInterpolationDegree()`
@*/
PetscErrorCode PCSAAMGSetInterpolation(PC pc, PCSAAMGInterpolation interpolation)
{
  PetscFunctionBegin;
  PetscCall(goza::CallSet(pc, "PCSAAMGSetInterpolation_C", interpolation));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetInterpolation - Gets what `PCSAAMGSetInterpolation()` sets

  Not Collective

  Level: intermediate
@*/
PetscErrorCode PCSAAMGGetInterpolation(PC pc, PCSAAMGInterpolation *interpolation)
{
  PetscFunctionBegin;
  PetscCall(goza::CallGet(pc, "PCSAAMGGetInterpolation_C", interpolation));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetMaxComplexity - Sets the operator complexity that the levels may not exceed

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- complexity - at least 1: entries of the operators of all levels, over those of the finest (default 2.5)

  Options Database Key:
. -pc_saamg_max_complexity complexity - the operator complexity that the levels may not exceed

  Level: intermediate

  Note:
  A level that would exceed it is made anew from larger aggregates with a piecewise constant interpolation; where that is not enough, coarsening stops above it, and the level that is
  then the coarsest is smoothed, or solved where it has no more rows than `PCSAAMGSetDirectLimit()` says. No level costs more than the products of these two attempts.

.seealso: `PCSAAMG`, `PCSAAMGGetMaxComplexity()`, `PCSAAMGSetAggressiveLevels()`
@*/
PetscErrorCode PCSAAMGSetMaxComplexity(PC pc, PetscReal complexity)
{
  PetscFunctionBegin;
  PetscCall(goza::CallSet(pc, "PCSAAMGSetMaxComplexity_C", complexity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetMaxComplexity - Gets what `PCSAAMGSetMaxComplexity()` sets

  Not Collective

  Level: intermediate
@*/
PetscErrorCode PCSAAMGGetMaxComplexity(PC pc, PetscReal *complexity)
{
  PetscFunctionBegin;
  PetscCall(goza::CallGet(pc, "PCSAAMGGetMaxComplexity_C", complexity));
  PetscFunctionReturn(PETSC_SUCCESS);
}
