/* Options of saamg and the functions that set and get them. Setting something takes effect at the next set-up. */
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza
{

const char *const cycle_names[]     = {"v", "w", "PCSAAMGCycleType", "PC_SAAMG_CYCLE_", NULL};
const char *const precision_names[] = {"double", "mixed", "single", "half", "PCSAAMGPrecision", "PC_SAAMG_", NULL};
const char *const reuse_names[]     = {"none", "interpolation", "PCSAAMGReuse", "PC_SAAMG_REUSE_", NULL};

/* The context of a saamg; NULL for another type, on which the Set functions do nothing, as is PETSc's custom. */
static PetscErrorCode Find(PC pc, SAAMG **mg)
{
  PetscBool ours;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSAAMG, &ours));
  *mg = ours ? static_cast<SAAMG *>(pc->data) : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FindOrFail(PC pc, SAAMG **mg)
{
  PetscFunctionBegin;
  PetscCall(Find(pc, mg));
  PetscCheck(*mg, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONG, "PC is of type %s, not saamg", ((PetscObject)pc)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetCoordinates_SAAMG(PC pc, PetscInt dim, PetscInt nodes, PetscReal *coordinates)
{
  SAAMG *mg = static_cast<SAAMG *>(pc->data);

  PetscFunctionBegin;
  mg->dim = dim;
  PetscCallCXX(mg->coordinates.assign(coordinates, coordinates + (std::size_t)dim * nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ComposeSAAMG(PC pc, bool attach)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSetCoordinates_C", attach ? PCSetCoordinates_SAAMG : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCGetInterpolations_C", attach ? PCGetInterpolations_SAAMG : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCGetCoarseOperators_C", attach ? PCGetCoarseOperators_SAAMG : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_SAAMG(PC pc, GozaOptionItems PetscOptionsObject)
{
  SAAMG           *mg = static_cast<SAAMG *>(pc->data);
  SmootherOptions &s  = mg->cycle_options.smoothing;
  PetscInt         n, which;
  PetscReal        r;
  PCSAAMGCycleType cycle;
  PCSAAMGPrecision precision;
  PCSAAMGReuse     reuse;
  PetscBool        flg;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Smoothed-aggregation AMG options");
  PetscCall(PetscOptionsReal("-pc_saamg_threshold", "Weaker entries, relative to the diagonals, are left out of the aggregates", "PCSAAMGSetThreshold",
                             mg->hierarchy_options.threshold, &r, &flg));
  if (flg) PetscCall(PCSAAMGSetThreshold(pc, r));
  PetscCall(PetscOptionsInt("-pc_saamg_max_levels", "Most levels", "PCSAAMGSetMaxLevels", mg->hierarchy_options.max_levels, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetMaxLevels(pc, n));
  PetscCall(PetscOptionsInt("-pc_saamg_coarse_limit", "Rows at which coarsening stops", "PCSAAMGSetCoarseLimit", mg->hierarchy_options.coarse_limit, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetCoarseLimit(pc, n));
  PetscCall(PetscOptionsEnum("-pc_saamg_cycle", "Cycle", "PCSAAMGSetCycleType", cycle_names, (PetscEnum)(mg->cycle_options.gamma - 1), (PetscEnum *)&cycle, &flg));
  if (flg) PetscCall(PCSAAMGSetCycleType(pc, cycle));
  PetscCall(PetscOptionsEList("-pc_saamg_smoother", "Smoother on all but the coarsest level", "PCSAAMGSetSmoother", smoother_names, smoother_count(),
                              smoother_names[mg->cycle_options.smoother], &which, &flg));
  if (flg) PetscCall(PCSAAMGSetSmoother(pc, smoother_names[which]));
  PetscCall(PetscOptionsInt("-pc_saamg_sweeps", "Applications of the smoother before and after the coarse correction", "PCSAAMGSetSweeps", s.sweeps, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetSweeps(pc, n));
  PetscCall(PetscOptionsReal("-pc_saamg_jacobi_relax", "Relaxation of Jacobi", "PCSAAMGSetJacobiRelax", s.jacobi_relax, &r, &flg));
  if (flg) PetscCall(PCSAAMGSetJacobiRelax(pc, r));
  PetscCall(PetscOptionsInt("-pc_saamg_chebyshev_degree", "Degree of the Chebyshev polynomial", "PCSAAMGSetChebyshev", s.chebyshev_degree, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetChebyshev(pc, n, s.chebyshev_ratio));
  PetscCall(PetscOptionsInt("-pc_saamg_chebyshev_kind", "Kind of the Chebyshev polynomial: 1, or 4 with optimal weights, which needs no ratio", "PCSAAMGSetChebyshevKind", s.chebyshev_kind, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetChebyshevKind(pc, n));
  PetscCall(PetscOptionsReal("-pc_saamg_chebyshev_ratio", "The polynomial smooths [lambda_max/ratio, lambda_max]", "PCSAAMGSetChebyshev", s.chebyshev_ratio, &r, &flg));
  if (flg) PetscCall(PCSAAMGSetChebyshev(pc, s.chebyshev_degree, r));
  PetscCall(PetscOptionsInt("-pc_saamg_coarse_chebyshev_degree", "Degree of the Chebyshev polynomial below the finest level", "PCSAAMGSetCoarseChebyshevDegree",
                            mg->cycle_options.coarse_chebyshev_degree, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetCoarseChebyshevDegree(pc, n));
  PetscCall(PetscOptionsInt("-pc_saamg_esteig_iterations", "Lanczos steps of the estimate of the largest eigenvalue", "PCSAAMGSetEstEigIterations",
                            mg->hierarchy_options.esteig_iterations, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetEstEigIterations(pc, n));
  PetscCall(PetscOptionsEnum("-pc_saamg_precision", "Precision of the cycle", "PCSAAMGSetPrecision", precision_names, (PetscEnum)mg->precision, (PetscEnum *)&precision, &flg));
  if (flg) PetscCall(PCSAAMGSetPrecision(pc, precision));
  PetscCall(PetscOptionsEnum("-pc_saamg_reuse", "What is kept when values change and the pattern does not", "PCSAAMGSetReuse", reuse_names, (PetscEnum)mg->reuse, (PetscEnum *)&reuse, &flg));
  if (flg) PetscCall(PCSAAMGSetReuse(pc, reuse));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza

using goza::Find;
using goza::FindOrFail;
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
  PetscCall(Find(pc, &mg));
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
  PetscCall(Find(pc, &mg));
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
  PetscCall(Find(pc, &mg));
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
  PCSAAMGSetSweeps - Sets how often the smoother is applied before and after the coarse correction

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- sweeps - at least 1

  Options Database Key:
. -pc_saamg_sweeps sweeps - how often the smoother is applied before and after the coarse correction

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetSweeps()`
@*/
PetscErrorCode PCSAAMGSetSweeps(PC pc, PetscInt sweeps)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(Find(pc, &mg));
  PetscCheck(sweeps >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_sweeps %" PetscInt_FMT " is less than 1", sweeps);
  if (mg) mg->cycle_options.smoothing.sweeps = sweeps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetSweeps - Gets how often the smoother is applied before and after the coarse correction

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetSweeps()`
@*/
PetscErrorCode PCSAAMGGetSweeps(PC pc, PetscInt *sweeps)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *sweeps = mg->cycle_options.smoothing.sweeps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetJacobiRelax - Sets the relaxation factor of the Jacobi smoother

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- relax - 0 < relax < 2

  Options Database Key:
. -pc_saamg_jacobi_relax relax - the relaxation factor of the Jacobi smoother

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetJacobiRelax()`
@*/
PetscErrorCode PCSAAMGSetJacobiRelax(PC pc, PetscReal relax)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(Find(pc, &mg));
  PetscCheck(relax > 0 && relax < 2, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_jacobi_relax %g is not in (0, 2)", (double)relax);
  if (mg) mg->cycle_options.smoothing.jacobi_relax = relax;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetJacobiRelax - Gets the relaxation factor of the Jacobi smoother

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetJacobiRelax()`
@*/
PetscErrorCode PCSAAMGGetJacobiRelax(PC pc, PetscReal *relax)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *relax = mg->cycle_options.smoothing.jacobi_relax;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetChebyshev - Sets the Chebyshev smoother's degree and interval

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
. degree - at least 1 (paper P5: 2 to 4)
- ratio - more than 1: the polynomial smooths [lambda_max/ratio, lambda_max] (paper P5: 10 for Darcy flow, 30 for anisotropic diffusion)

  Options Database Keys:
+ -pc_saamg_chebyshev_degree degree - the Chebyshev smoother's degree and interval
- -pc_saamg_chebyshev_ratio ratio - lower end of the interval

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetChebyshev()`
@*/
PetscErrorCode PCSAAMGSetChebyshev(PC pc, PetscInt degree, PetscReal ratio)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(Find(pc, &mg));
  PetscCheck(degree >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_chebyshev_degree %" PetscInt_FMT " is less than 1", degree);
  PetscCheck(ratio > 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_chebyshev_ratio %g is not more than 1", (double)ratio);
  if (mg) {
    mg->cycle_options.smoothing.chebyshev_degree = degree;
    mg->cycle_options.smoothing.chebyshev_ratio  = ratio;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetChebyshev - Gets the Chebyshev smoother's degree and interval

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetChebyshev()`
@*/
PetscErrorCode PCSAAMGGetChebyshev(PC pc, PetscInt *degree, PetscReal *ratio)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  if (degree) *degree = mg->cycle_options.smoothing.chebyshev_degree;
  if (ratio) *ratio = mg->cycle_options.smoothing.chebyshev_ratio;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetChebyshevKind - Sets the kind of the Chebyshev smoother's polynomials

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner, of type `PCSAAMG`
- kind - 1: of the first kind, on the interval of `PCSAAMGSetChebyshev()` (the default); 4: of the fourth kind with optimal weights, on all of (0, lambda_max]

  Options Database Key:
. -pc_saamg_chebyshev_kind (1|4) - the kind of the Chebyshev smoother's polynomials

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetChebyshevKind()`, `PCSAAMGSetChebyshev()`
@*/
PetscErrorCode PCSAAMGSetChebyshevKind(PC pc, PetscInt kind)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(Find(pc, &mg));
  PetscCheck(kind == 1 || kind == 4, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_chebyshev_kind %" PetscInt_FMT " is neither 1 nor 4", kind);
  if (mg) mg->cycle_options.smoothing.chebyshev_kind = kind;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetChebyshevKind - Gets the kind of the Chebyshev smoother's polynomials

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetChebyshevKind()`
@*/
PetscErrorCode PCSAAMGGetChebyshevKind(PC pc, PetscInt *kind)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *kind = mg->cycle_options.smoothing.chebyshev_kind;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetCoarseChebyshevDegree - Sets the Chebyshev smoother's degree below the finest level

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- degree - at least 1 (default 4)

  Options Database Key:
. -pc_saamg_coarse_chebyshev_degree degree - the Chebyshev smoother's degree below the finest level

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetCoarseChebyshevDegree()`
@*/
PetscErrorCode PCSAAMGSetCoarseChebyshevDegree(PC pc, PetscInt degree)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(Find(pc, &mg));
  PetscCheck(degree >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_coarse_chebyshev_degree %" PetscInt_FMT " is less than 1", degree);
  if (mg) mg->cycle_options.coarse_chebyshev_degree = degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetCoarseChebyshevDegree - Gets the Chebyshev smoother's degree below the finest level

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetCoarseChebyshevDegree()`
@*/
PetscErrorCode PCSAAMGGetCoarseChebyshevDegree(PC pc, PetscInt *degree)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *degree = mg->cycle_options.coarse_chebyshev_degree;
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
  PetscCall(Find(pc, &mg));
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
  sums and interpolation in single, the values of the levels' operators in half, scaled where they leave its range: see `MatCDSSetPrecision()`)

  Options Database Key:
. -pc_saamg_precision (double|mixed|single|half) - the precision of the cycle

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetPrecision()`
@*/
PetscErrorCode PCSAAMGSetPrecision(PC pc, PCSAAMGPrecision precision)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(Find(pc, &mg));
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
- reuse - `PC_SAAMG_REUSE_NONE` or `PC_SAAMG_REUSE_INTERPOLATION` (keep P, redo the coarse operators)

  Options Database Key:
. -pc_saamg_reuse (none|interpolation) - what is kept when the values of the matrix change and its pattern does not

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetReuse()`
@*/
PetscErrorCode PCSAAMGSetReuse(PC pc, PCSAAMGReuse reuse)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(Find(pc, &mg));
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
  PetscCall(Find(pc, &mg));
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

/*@C
  PCSAAMGSetSmoother - Sets the smoother of all but the coarsest level

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner, of type `PCSAAMG`
- name - "jacobi", "chebyshev", "mcgs" (Gauss-Seidel over colours of rows, symmetric over the cycle; Jacobi across ranks) or "l1jacobi" (Jacobi with the
         l1 norms of the rows in the diagonal's place)

  Options Database Key:
. -pc_saamg_smoother (jacobi|chebyshev|mcgs|l1jacobi) - the smoother

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetSmoother()`, `PCSAAMGSetSweeps()`, `PCSAAMGSetChebyshev()`
@*/
PetscErrorCode PCSAAMGSetSmoother(PC pc, const char name[])
{
  SAAMG    *mg = nullptr;
  PetscInt  which;
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(Find(pc, &mg));
  PetscCall(PetscEListFind(goza::smoother_count(), goza::smoother_names, name, &which, &found));
  PetscCheck(found, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_UNKNOWN_TYPE, "-pc_saamg_smoother: no smoother is called %s", name);
  if (mg) mg->cycle_options.smoother = which;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PCSAAMGGetSmoother - Gets the name of the smoother

  Not Collective

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetSmoother()`
@*/
PetscErrorCode PCSAAMGGetSmoother(PC pc, const char *name[])
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOrFail(pc, &mg));
  *name = goza::smoother_names[mg->cycle_options.smoother];
  PetscFunctionReturn(PETSC_SUCCESS);
}
