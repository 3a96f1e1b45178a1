/* Set and Get functions of saamg: how the levels are made. Setting something takes effect at the next set-up. */
#include "eigen.hpp"
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
- threshold - 0 <= threshold < 1: i and j are connected when |a_ij|^2 > threshold^2 |a_ii a_jj| (0 keeps every nonzero); halved on each coarser level;
              or `PETSC_DECIDE` (default): 0, or half of what an entry is where all are alike if the matrix is a symmetric M-matrix in which a quarter of the entries are weaker than that, as on stretched grids

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
  PetscCheck(threshold == (PetscReal)PETSC_DECIDE || (threshold >= 0 && threshold < 1), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_threshold %g is neither in [0, 1) nor -1 (by the matrix)", (double)threshold);
  if (mg) mg->threshold = threshold;
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
  *threshold = mg->threshold;
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
  PCSAAMGSetCoarseInterpolationDegree - Sets the degree of the polynomial that smooths the interpolation of the levels below the finest

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- degree - 1 (the default) to 10

  Options Database Key:
. -pc_saamg_coarse_interpolation_degree degree - the degree

  Level: advanced

  Notes:
  The interpolation is a polynomial in $D^{-1} A$, of degree 1 on the finest level, times that of the aggregates. Its roots are those of
  $T_{2d+1}(\sqrt{t/\lambda_{max}}) / \sqrt{t}$, which makes the energy of its columns least (Brezina, Vanek, Vassilevski 2012).

  Of degree 2 it serves Darcy flow, for instance, where the second level is a ninth of the first and its rows may grow: a third to a half of the iterations less, most where
  the field jumps. Weak entries, which `PCSAAMGSetThreshold()` leaves out of an interpolation of degree 1, are then taken in: where levels are coarsened along lines, rows
  grow too much.

.seealso: `PCSAAMG`, `PCSAAMGGetCoarseInterpolationDegree()`, `PCSAAMGSetThreshold()`
@*/
PetscErrorCode PCSAAMGSetCoarseInterpolationDegree(PC pc, PetscInt degree)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  PetscCheck(degree >= 1 && degree <= goza::most_interpolation_degree, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_coarse_interpolation_degree %" PetscInt_FMT " is not in 1 ... %" PetscInt_FMT, degree, goza::most_interpolation_degree);
  if (mg) mg->hierarchy_options.coarse_interpolation_degree = degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetCoarseInterpolationDegree - Gets the degree of the polynomial that smooths the interpolation of the levels below the finest

  Not Collective

  Level: advanced

.seealso: `PCSAAMG`, `PCSAAMGSetCoarseInterpolationDegree()`
@*/
PetscErrorCode PCSAAMGGetCoarseInterpolationDegree(PC pc, PetscInt *degree)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *degree = mg->hierarchy_options.coarse_interpolation_degree;
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
  PCSAAMGSetEstEigIterations - Sets the number of Lanczos steps that estimate the largest eigenvalue of D^-1 A on each level

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- its - 1 to 100 (paper P5: 50)

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
  PetscCheck(its >= 1 && its <= goza::max_lanczos_steps, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_esteig_iterations %" PetscInt_FMT " is not in 1 ... %" PetscInt_FMT, its, goza::max_lanczos_steps);
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
  PetscCheck(reuse >= PC_SAAMG_REUSE_NONE && reuse <= PC_SAAMG_REUSE_INTERPOLATION, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_reuse: %d is not a PCSAAMGReuse", (int)reuse);
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
