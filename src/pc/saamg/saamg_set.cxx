/* The functions that set and get the options of saamg, but for those of its smoothers. Setting something takes effect at the next set-up. */
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

using goza::FindOrFail;
using goza::FindSAAMG;
using goza::SAAMG;

/*@
  PCSAAMGSetThreshold - Sets the strength below which a connection is left out of the aggregates

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- threshold - 0 <= threshold < 1: i and j are connected when |a_ij|^2 > threshold^2 |a_ii a_jj| (0 keeps every nonzero); halved on each coarser level

  Options Database Key:
. -pc_saamg_threshold threshold - the strength below which a connection is left out of the aggregates

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetThreshold()`
@*/
PetscErrorCode PCSAAMGSetThreshold(PC pc, PetscReal threshold)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  PetscCheck(threshold >= 0 && threshold < 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_threshold %g is not in [0, 1)", (double)threshold);
  if (mg) mg->hierarchy_options.threshold = threshold;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetThreshold - Gets the strength below which a connection is left out of the aggregates

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetThreshold()`
@*/
PetscErrorCode PCSAAMGGetThreshold(PC pc, PetscReal *threshold)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *threshold = mg->hierarchy_options.threshold;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetMaxLevels - Sets the largest number of levels

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- levels - at least 1

  Options Database Key:
. -pc_saamg_max_levels levels - the largest number of levels

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetMaxLevels()`
@*/
PetscErrorCode PCSAAMGSetMaxLevels(PC pc, PetscInt levels)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  PetscCheck(levels >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_max_levels %" PetscInt_FMT " is less than 1", levels);
  if (mg) mg->hierarchy_options.max_levels = levels;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetMaxLevels - Gets the largest number of levels

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetMaxLevels()`
@*/
PetscErrorCode PCSAAMGGetMaxLevels(PC pc, PetscInt *levels)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *levels = mg->hierarchy_options.max_levels;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetCoarseLimit - Sets the number of rows at which coarsening stops and the operator is inverted

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- rows - at least 1; the inverse is dense, on every rank

  Options Database Key:
. -pc_saamg_coarse_limit rows - the number of rows at which coarsening stops and the operator is inverted

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetCoarseLimit()`
@*/
PetscErrorCode PCSAAMGSetCoarseLimit(PC pc, PetscInt rows)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  PetscCheck(rows >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_coarse_limit %" PetscInt_FMT " is less than 1", rows);
  if (mg) mg->hierarchy_options.coarse_limit = rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetCoarseLimit - Gets the number of rows at which coarsening stops and the operator is inverted

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetCoarseLimit()`
@*/
PetscErrorCode PCSAAMGGetCoarseLimit(PC pc, PetscInt *rows)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *rows = mg->hierarchy_options.coarse_limit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetAggressiveLevels - Sets on how many levels the aggregates are aggregated once more

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- levels - at least 0 (the default): the finest so many levels are coarsened aggressively

  Options Database Key:
. -pc_saamg_aggressive_levels levels - the number of finest levels that are coarsened aggressively

  Level: intermediate

  Note:
  The levels below become much smaller, and the set-up and the memory with them; the number of iterations grows.

.seealso: `PCSAAMG`, `PCSAAMGGetAggressiveLevels()`, `PCSAAMGSetThreshold()`
@*/
PetscErrorCode PCSAAMGSetAggressiveLevels(PC pc, PetscInt levels)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  PetscCheck(levels >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_aggressive_levels %" PetscInt_FMT " is negative", levels);
  if (mg) mg->hierarchy_options.aggressive_levels = levels;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetAggressiveLevels - Gets on how many levels the aggregates are aggregated once more

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetAggressiveLevels()`
@*/
PetscErrorCode PCSAAMGGetAggressiveLevels(PC pc, PetscInt *levels)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *levels = mg->hierarchy_options.aggressive_levels;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetDirectLimit - Sets the number of rows up to which the coarsest level is solved exactly

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- rows - at least 0; a coarsest level with more rows is smoothed, `PCSAAMGSetSweeps()` with `PC_SAAMG_COARSEST` times, as in paper P5

  Options Database Key:
. -pc_saamg_direct_limit rows - the number of rows up to which the coarsest level is solved by its dense inverse

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetDirectLimit()`, `PCSAAMGSetCoarseLimit()`
@*/
PetscErrorCode PCSAAMGSetDirectLimit(PC pc, PetscInt rows)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  PetscCheck(rows >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_direct_limit %" PetscInt_FMT " is negative", rows);
  if (mg) mg->cycle_options.direct_limit = rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetDirectLimit - Gets the number of rows up to which the coarsest level is solved exactly

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetDirectLimit()`
@*/
PetscErrorCode PCSAAMGGetDirectLimit(PC pc, PetscInt *rows)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *rows = mg->cycle_options.direct_limit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetGatherLimit - Sets the number of rows a rank below which a level goes to fewer ranks

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- rows - at least 0; a level with fewer rows than so many for every rank lies on as few ranks as have so many, finally on one. 0: rows stay where their aggregates' roots are

  Options Database Key:
. -pc_saamg_gather_limit rows - the number of rows a rank below which a level goes to fewer ranks

  Level: intermediate

  Note:
  The finest level stays where the user put it. The other ranks wait. The levels themselves are the same for any limit.

.seealso: `PCSAAMG`, `PCSAAMGGetGatherLimit()`, `PCSAAMGSetDirectLimit()`
@*/
PetscErrorCode PCSAAMGSetGatherLimit(PC pc, PetscInt rows)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  PetscCheck(rows >= 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_gather_limit %" PetscInt_FMT " is negative", rows);
  if (mg) mg->hierarchy_options.gather_limit = rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetGatherLimit - Gets the number of rows a rank below which a level goes to fewer ranks

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetGatherLimit()`
@*/
PetscErrorCode PCSAAMGGetGatherLimit(PC pc, PetscInt *rows)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *rows = mg->hierarchy_options.gather_limit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetRepartitionRatio - Sets when a coarse level is distributed anew

  Logically Collective

  Input Parameters:
+ pc    - the preconditioner, of type `PCSAAMG`
- ratio - more than 1: the rows of the fullest rank over the mean beyond which `MatPartitioning` distributes a level, as it does where the ranks reach more rows of others
          than there are; 0 (the default): never

  Options Database Keys:
+ -pc_saamg_repartition_ratio ratio - when
- -pc_saamg_mat_partitioning_type type - how: parmetis or ptscotch where PETSc has them, average (equal shares in the order of the numbers) else

  Level: advanced

  Notes:
  The finest level stays where the user put it. A level that goes to fewer ranks (`PCSAAMGSetGatherLimit()`) is not partitioned.

  Rows get new numbers, and the levels below other aggregates than on one rank: a solve may take an iteration more or less.

.seealso: `PCSAAMG`, `PCSAAMGGetRepartitionRatio()`, `PCSAAMGSetGatherLimit()`, `MatPartitioning`
@*/
PetscErrorCode PCSAAMGSetRepartitionRatio(PC pc, PetscReal ratio)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  PetscCheck(ratio == 0 || ratio > 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_repartition_ratio %g is neither 0 nor more than 1", (double)ratio);
  if (mg) mg->hierarchy_options.repartition_ratio = ratio;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetRepartitionRatio - Gets when a coarse level is distributed anew

  Not Collective

  Level: advanced

.seealso: `PCSAAMG`, `PCSAAMGSetRepartitionRatio()`
@*/
PetscErrorCode PCSAAMGGetRepartitionRatio(PC pc, PetscReal *ratio)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *ratio = mg->hierarchy_options.repartition_ratio;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetEstEigIterations - Sets the number of Lanczos steps that estimate the largest eigenvalue of D^-1 A on each level

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- its - at least 1 (paper P5: 50)

  Options Database Key:
. -pc_saamg_esteig_iterations its - the number of Lanczos steps that estimate the largest eigenvalue of D^-1 A on each level

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetEstEigIterations()`
@*/
PetscErrorCode PCSAAMGSetEstEigIterations(PC pc, PetscInt its)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  PetscCheck(its >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_esteig_iterations %" PetscInt_FMT " is less than 1", its);
  if (mg) mg->hierarchy_options.esteig_iterations = its;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetEstEigIterations - Gets the number of Lanczos steps that estimate the largest eigenvalue of D^-1 A on each level

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetEstEigIterations()`
@*/
PetscErrorCode PCSAAMGGetEstEigIterations(PC pc, PetscInt *its)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *its = mg->hierarchy_options.esteig_iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetPrecision - Sets the precision of the cycle

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- precision - `PC_SAAMG_DOUBLE`, `PC_SAAMG_MIXED` (the finest level in double, the others in single), `PC_SAAMG_SINGLE` or `PC_SAAMG_HALF` (vectors,
  sums in single, the values of the levels' operators in half where that is expected to be faster, scaled where they leave its range: see `MatCDSSetPrecision()`; those of an
  interpolation where that keeps its small entries)

  Options Database Key:
. -pc_saamg_precision (double|mixed|single|half) - the precision of the cycle

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetPrecision()`
@*/
PetscErrorCode PCSAAMGSetPrecision(PC pc, PCSAAMGPrecision precision)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  if (mg) mg->precision = precision;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetPrecision - Gets the precision of the cycle

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetPrecision()`
@*/
PetscErrorCode PCSAAMGGetPrecision(PC pc, PCSAAMGPrecision *precision)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *precision = mg->precision;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetReuse - Sets what is kept when the values of the matrix change and its pattern does not

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- reuse - `PC_SAAMG_REUSE_NONE`, `PC_SAAMG_REUSE_PATTERN` (keep the aggregates; redo the interpolation and the coarse operators) or `PC_SAAMG_REUSE_INTERPOLATION` (keep the interpolation too)

  Options Database Key:
. -pc_saamg_reuse (none|pattern|interpolation) - what is kept when the values of the matrix change and its pattern does not

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetReuse()`
@*/
PetscErrorCode PCSAAMGSetReuse(PC pc, PCSAAMGReuse reuse)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  if (mg) mg->reuse = reuse;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetReuse - Gets what is kept when the values of the matrix change and its pattern does not

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetReuse()`
@*/
PetscErrorCode PCSAAMGGetReuse(PC pc, PCSAAMGReuse *reuse)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *reuse = mg->reuse;
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  if (mg) mg->cycle_options.gamma = type == PC_SAAMG_CYCLE_V ? 1 : 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetCycleType - Gets the cycle

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetCycleType()`
@*/
PetscErrorCode PCSAAMGGetCycleType(PC pc, PCSAAMGCycleType *type)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *type = mg->cycle_options.gamma == 1 ? PC_SAAMG_CYCLE_V : PC_SAAMG_CYCLE_W;
  PetscFunctionReturn(PETSC_SUCCESS);
}
