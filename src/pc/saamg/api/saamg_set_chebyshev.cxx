/* Set and Get functions of saamg: the polynomials of the Chebyshev smoother, by level. Setting something takes effect at the next set-up. */
#include "saamg_on_levels.hpp"

using goza::CheckLevels;
using goza::GetOnLevel;
using goza::SetOnLevels;
using goza::SmootherChoice;

/*@
  PCSAAMGSetChebyshevDegree - Sets the degree of the Chebyshev smoother's polynomial

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- degree - 1 to 100 (paper P5: 2 to 4)

  Options Database Keys:
+ -pc_saamg_chebyshev_degree degree - on all levels
. -pc_saamg_finest_chebyshev_degree degree - on the finest
. -pc_saamg_intermediate_chebyshev_degree degree - on those between
- -pc_saamg_coarsest_chebyshev_degree degree - on the coarsest

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetChebyshevDegree()`, `PCSAAMGSetSmoother()`
@*/
PetscErrorCode PCSAAMGSetChebyshevDegree(PC pc, PCSAAMGLevels levels, PetscInt degree)
{
  PetscFunctionBegin;
  PetscCall(CheckLevels(pc, levels));
  PetscCheck(degree >= 1 && degree <= goza::most_chebyshev_degree, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_%schebyshev_degree %" PetscInt_FMT " is not in 1 ... %" PetscInt_FMT, goza::level_prefixes[levels], degree, goza::most_chebyshev_degree);
  PetscCall(SetOnLevels(pc, levels, [degree](SmootherChoice &s) { s.options.chebyshev_degree = degree; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetChebyshevDegree - Gets the degree of the Chebyshev smoother's polynomial

  Not Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
- levels - which; `PC_SAAMG_ALL_LEVELS` gives the finest's

  Output Parameter:
. degree - its value

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetChebyshevDegree()`
@*/
PetscErrorCode PCSAAMGGetChebyshevDegree(PC pc, PCSAAMGLevels levels, PetscInt *degree)
{
  const SmootherChoice *s = nullptr;

  PetscFunctionBegin;
  PetscCall(GetOnLevel(pc, levels, &s));
  *degree = s->options.chebyshev_degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetChebyshevRatio - Sets the lower end of the Chebyshev smoother's interval

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- ratio - more than 1, finite: the polynomial smooths [lambda_max/ratio, lambda_max] (paper P5: 10 for Darcy flow, 30 for anisotropic diffusion)

  Options Database Keys:
+ -pc_saamg_chebyshev_ratio ratio - on all levels
. -pc_saamg_finest_chebyshev_ratio ratio - on the finest
. -pc_saamg_intermediate_chebyshev_ratio ratio - on those between
- -pc_saamg_coarsest_chebyshev_ratio ratio - on the coarsest

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetChebyshevRatio()`, `PCSAAMGSetSmoother()`
@*/
PetscErrorCode PCSAAMGSetChebyshevRatio(PC pc, PCSAAMGLevels levels, PetscReal ratio)
{
  PetscFunctionBegin;
  PetscCall(CheckLevels(pc, levels));
  PetscCheck(ratio > 1 && !PetscIsInfReal(ratio), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_%schebyshev_ratio %g is not more than 1 and finite", goza::level_prefixes[levels], (double)ratio);
  PetscCall(SetOnLevels(pc, levels, [ratio](SmootherChoice &s) { s.options.chebyshev_ratio = ratio; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetChebyshevRatio - Gets the lower end of the Chebyshev smoother's interval

  Not Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
- levels - which; `PC_SAAMG_ALL_LEVELS` gives the finest's

  Output Parameter:
. ratio - its value

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetChebyshevRatio()`
@*/
PetscErrorCode PCSAAMGGetChebyshevRatio(PC pc, PCSAAMGLevels levels, PetscReal *ratio)
{
  const SmootherChoice *s = nullptr;

  PetscFunctionBegin;
  PetscCall(GetOnLevel(pc, levels, &s));
  *ratio = s->options.chebyshev_ratio;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetChebyshevKind - Sets the kind of the Chebyshev smoother's polynomials

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- kind - 1: of the first kind, on the interval of `PCSAAMGSetChebyshevRatio()`; 4: of the fourth kind with optimal weights, on all of (0, lambda_max]

  Options Database Keys:
+ -pc_saamg_chebyshev_kind kind - on all levels
. -pc_saamg_finest_chebyshev_kind kind - on the finest
. -pc_saamg_intermediate_chebyshev_kind kind - on those between
- -pc_saamg_coarsest_chebyshev_kind kind - on the coarsest

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetChebyshevKind()`, `PCSAAMGSetSmoother()`
@*/
PetscErrorCode PCSAAMGSetChebyshevKind(PC pc, PCSAAMGLevels levels, PetscInt kind)
{
  PetscFunctionBegin;
  PetscCall(CheckLevels(pc, levels));
  PetscCheck(kind == 1 || kind == 4, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_%schebyshev_kind %" PetscInt_FMT " is neither 1 nor 4", goza::level_prefixes[levels], kind);
  PetscCall(SetOnLevels(pc, levels, [kind](SmootherChoice &s) { s.options.chebyshev_kind = kind; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetChebyshevKind - Gets the kind of the Chebyshev smoother's polynomials

  Not Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
- levels - which; `PC_SAAMG_ALL_LEVELS` gives the finest's

  Output Parameter:
. kind - its value

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetChebyshevKind()`
@*/
PetscErrorCode PCSAAMGGetChebyshevKind(PC pc, PCSAAMGLevels levels, PetscInt *kind)
{
  const SmootherChoice *s = nullptr;

  PetscFunctionBegin;
  PetscCall(GetOnLevel(pc, levels, &s));
  *kind = s->options.chebyshev_kind;
  PetscFunctionReturn(PETSC_SUCCESS);
}
