/* Set and Get functions of saamg: the cycle. Setting something takes effect at the next set-up. */
#include "saamg_call.hpp"

/*@
  PCSAAMGSetCycleType - Sets the cycle

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner, of type `PCSAAMG`
- type - `PC_SAAMG_CYCLE_V` (default) or `PC_SAAMG_CYCLE_W`

  Options Database Key:
. -pc_saamg_cycle (v|w) - the cycle

  Level: intermediate

  Note:
  Where the degree of the finest level's Chebyshev polynomial is left open, a V-cycle makes a second coarse correction there, by another V-cycle below, if that
  takes a sixth of the whole or less and aggregates are no boxes of 27 rows of one unknown: for solids, for instance, where a plane is cut into triangles, and
  along a flow; or on the level below where there are five levels and more, of lines along which couplings are strong. `-ksp_view` says so.

.seealso: `PCSAAMG`, `PCSAAMGGetCycleType()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetCycleType, PCSAAMGGetCycleType, PCSAAMGCycleType)

/*@
  PCSAAMGSetPrecision - Sets the precision of the cycle

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- precision - `PC_SAAMG_AUTO` (default: half on a GPU, and single on a host where solves take long, where that does no harm, see `PCSAAMG`; else double),
              `PC_SAAMG_DOUBLE`, `PC_SAAMG_MIXED` (the finest level in double, the others in single), `PC_SAAMG_SINGLE` or `PC_SAAMG_HALF` (vectors,
  sums in single, the values of the levels' operators in half where that is expected to be faster, scaled where they leave its range: see
  `MatCDSSetPrecision()`; those of an interpolation where that keeps its small entries)

  Options Database Key:
. -pc_saamg_precision (auto|double|mixed|single|half) - the precision of the cycle

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetPrecision()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetPrecision, PCSAAMGGetPrecision, PCSAAMGPrecision)

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
SAAMG_SET_AND_GET(PCSAAMGSetDirectLimit, PCSAAMGGetDirectLimit, PetscInt)

/*@
  PCSAAMGSetInterpolation - Sets what the interpolation between aggregates is smoothed with

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- interpolation - `PC_SAAMG_INTERPOLATION_SMOOTHED` (the matrix), `PC_SAAMG_INTERPOLATION_DIFFUSIVE` (the part of the matrix that both directions of an edge
                  share, on every level: of upwind
  convection and diffusion the diffusion), `PC_SAAMG_INTERPOLATION_UNSMOOTHED` (nothing: piecewise constant) or `PC_SAAMG_INTERPOLATION_AUTO` (default: the
  matrix where that is symmetric, else its diffusive part)

  Options Database Key:
. -pc_saamg_interpolation (auto|smoothed|diffusive|unsmoothed) - what interpolation is smoothed with

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetInterpolation()`, `PCSAAMGSetCoarseInterpolationDegree()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetInterpolation, PCSAAMGGetInterpolation, PCSAAMGInterpolation)

/*@
  PCSAAMGSetRestriction - Sets what the restriction is

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- restriction - `PC_SAAMG_RESTRICTION_TRANSPOSE` (of interpolation), `PC_SAAMG_RESTRICTION_ADJOINT` (interpolation is smoothed with the matrix, restriction,
                from its other side, with the
  matrix, too: the test functions are smoothed with its transpose) or `PC_SAAMG_RESTRICTION_AUTO` (default: the latter where interpolation is left open, too,
  and a flow dominates in most rows, by differences that keep signs)

  Options Database Key:
. -pc_saamg_restriction (auto|transpose|adjoint) - what the restriction is

  Level: intermediate

  Note:
  Of a symmetric matrix, and where interpolation is smoothed with the diffusive part of the matrix or with nothing, the two are the same. A level whose coarse
  operator would have too many entries is made with the diffusive part and the transpose; the view says so. Of a matrix that is not symmetric coarse operators
  have no entries of the diagonal's sign whose mirror images are of the other: so much diffusion is added.

.seealso: `PCSAAMG`, `PCSAAMGGetRestriction()`, `PCSAAMGSetInterpolation()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetRestriction, PCSAAMGGetRestriction, PCSAAMGRestriction)

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
  A level that would exceed it is made anew: without what lengthens its interpolation (a higher degree, a restriction of its own), then from larger aggregates,
  then from these with a piecewise constant interpolation; where that is not enough, coarsening stops above it, and the level that is then the coarsest is
  smoothed, or solved where it has no more rows than `PCSAAMGSetDirectLimit()` says. No level costs more than the products of these four attempts. A level of no
  more rows than `PCSAAMGSetCoarseLimit()` says is always made.

.seealso: `PCSAAMG`, `PCSAAMGGetMaxComplexity()`, `PCSAAMGSetAggressiveLevels()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetMaxComplexity, PCSAAMGGetMaxComplexity, PetscReal)
