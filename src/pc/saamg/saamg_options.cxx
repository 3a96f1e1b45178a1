/* The options of saamg, and what PETSc finds on it by name. */
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza
{

const char *const cycle_names[]     = {"v", "w", "PCSAAMGCycleType", "PC_SAAMG_CYCLE_", NULL};
const char *const precision_names[] = {"double", "mixed", "single", "half", "PCSAAMGPrecision", "PC_SAAMG_", NULL};
const char *const reuse_names[]     = {"none", "pattern", "interpolation", "PCSAAMGReuse", "PC_SAAMG_REUSE_", NULL};

PetscErrorCode FindSAAMG(PC pc, SAAMG **mg)
{
  PetscBool ours;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSAAMG, &ours));
  *mg = ours ? static_cast<SAAMG *>(pc->data) : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindOrFail(PC pc, SAAMG **mg)
{
  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, mg));
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
  SAAMG               *mg = static_cast<SAAMG *>(pc->data);
  PetscInt             n;
  PetscReal            r;
  PCSAAMGCycleType     cycle;
  PCSAAMGInterpolation interpolation;
  PCSAAMGPrecision     precision;
  PCSAAMGReuse         reuse;
  PetscBool            flg;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Smoothed-aggregation AMG options");
  PetscCall(PetscOptionsReal("-pc_saamg_threshold", "Weaker entries, relative to the diagonals, are left out of the aggregates; -1: by the matrix", "PCSAAMGSetThreshold", mg->threshold, &r, &flg));
  if (flg) PetscCall(PCSAAMGSetThreshold(pc, r));
  PetscCall(PetscOptionsInt("-pc_saamg_max_levels", "Most levels", "PCSAAMGSetMaxLevels", mg->hierarchy_options.max_levels, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetMaxLevels(pc, n));
  PetscCall(PetscOptionsInt("-pc_saamg_coarse_limit", "Rows at which coarsening stops", "PCSAAMGSetCoarseLimit", mg->hierarchy_options.coarse_limit, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetCoarseLimit(pc, n));
  PetscCall(PetscOptionsReal("-pc_saamg_max_complexity", "Entries of all levels over those of the finest that may not be exceeded", "PCSAAMGSetMaxComplexity",
                             mg->hierarchy_options.max_complexity, &r, &flg));
  if (flg) PetscCall(PCSAAMGSetMaxComplexity(pc, r));
  PetscCall(PetscOptionsInt("-pc_saamg_aggressive_levels", "Finest levels whose aggregates are aggregated once more", "PCSAAMGSetAggressiveLevels",
                            mg->hierarchy_options.aggressive_levels, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetAggressiveLevels(pc, n));
  PetscCall(PetscOptionsInt("-pc_saamg_coarse_interpolation_degree", "Degree of the polynomial that smooths the interpolation below the finest level", "PCSAAMGSetCoarseInterpolationDegree",
                            mg->hierarchy_options.coarse_interpolation_degree, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetCoarseInterpolationDegree(pc, n));
  PetscCall(PetscOptionsEnum("-pc_saamg_interpolation", "What interpolation is smoothed with", "PCSAAMGSetInterpolation", interpolation_names, (PetscEnum)mg->interpolation, (PetscEnum *)&interpolation, &flg));
  if (flg) PetscCall(PCSAAMGSetInterpolation(pc, interpolation));
  PetscCall(PetscOptionsEnum("-pc_saamg_cycle", "Cycle", "PCSAAMGSetCycleType", cycle_names, (PetscEnum)(mg->cycle_options.gamma - 1), (PetscEnum *)&cycle, &flg));
  if (flg) PetscCall(PCSAAMGSetCycleType(pc, cycle));
  PetscCall(PetscOptionsInt("-pc_saamg_direct_limit", "Rows up to which the coarsest level is solved by its inverse", "PCSAAMGSetDirectLimit", mg->cycle_options.direct_limit, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetDirectLimit(pc, n));
  PetscCall(PetscOptionsInt("-pc_saamg_gather_limit", "Rows a rank below which a level goes to fewer ranks", "PCSAAMGSetGatherLimit", mg->hierarchy_options.gather_limit, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetGatherLimit(pc, n));
  PetscCall(PetscOptionsReal("-pc_saamg_repartition_ratio", "Rows of the fullest rank over the mean beyond which a coarse level is partitioned anew; 0: never", "PCSAAMGSetRepartitionRatio",
                             mg->hierarchy_options.repartition_ratio, &r, &flg));
  if (flg) PetscCall(PCSAAMGSetRepartitionRatio(pc, r));
  PetscCall(PetscOptionsInt("-pc_saamg_esteig_iterations", "Lanczos steps of the estimate of the largest eigenvalue", "PCSAAMGSetEstEigIterations",
                            mg->hierarchy_options.esteig_iterations, &n, &flg));
  if (flg) PetscCall(PCSAAMGSetEstEigIterations(pc, n));
  PetscCall(PetscOptionsEnum("-pc_saamg_precision", "Precision of the cycle", "PCSAAMGSetPrecision", precision_names, (PetscEnum)mg->precision, (PetscEnum *)&precision, &flg));
  if (flg) PetscCall(PCSAAMGSetPrecision(pc, precision));
  PetscCall(PetscOptionsEnum("-pc_saamg_reuse", "What is kept when values change and the pattern does not", "PCSAAMGSetReuse", reuse_names, (PetscEnum)mg->reuse, (PetscEnum *)&reuse, &flg));
  if (flg) PetscCall(PCSAAMGSetReuse(pc, reuse));
  PetscCall(SmoothersFromOptions(pc, PetscOptionsObject));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
