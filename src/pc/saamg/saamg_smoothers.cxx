/* The smoothers of saamg by level: finest, coarsest and those between. Setting something takes effect at the next set-up. */
#include "saamg_data.hpp"
#include <cstdio>
#include <petsc/private/pcimpl.h>

namespace goza
{

static const PetscInt    block_sizes[]      = {0, 1, 2, 3, 6};
static const char *const block_size_names[] = {"auto", "1", "2", "3", "6"};

static const char *const coupling_names[] = {"global", "local", "PCSAAMGCoupling", "PC_SAAMG_COUPLING_", NULL};

const char *const level_prefixes[] = {"finest_", "intermediate_", "coarsest_", ""};

PetscErrorCode SmoothersFromOptions(PC pc, GozaOptionItems PetscOptionsObject)
{
  const char *const places[] = {"the finest level", "the levels between", "the coarsest level, where it is smoothed", "all levels"};
  char              option[80], text[160];
  PetscInt          n;
  PetscReal         r;
  PetscBool         flg;

  PetscFunctionBegin;
  for (PCSAAMGLevels where : {PC_SAAMG_ALL_LEVELS, PC_SAAMG_FINEST, PC_SAAMG_INTERMEDIATE, PC_SAAMG_COARSEST}) { /* what is named wins */
    const SmootherChoice &s     = static_cast<SAAMG *>(pc->data)->cycle_options.smoothers[where == PC_SAAMG_ALL_LEVELS ? PC_SAAMG_FINEST : where];
    const auto            spell = [&](const char *name, const char *what) {
      std::snprintf(option, sizeof(option), "-pc_saamg_%s%s", level_prefixes[where], name);
      std::snprintf(text, sizeof(text), "%s, on %s", what, places[where]);
    };

    spell("smoother", "Smoother");
    PetscCall(PetscOptionsEList(option, text, "PCSAAMGSetSmoother", smoother_names, smoother_count(), smoother_names[s.which], &n, &flg));
    if (flg) PetscCall(PCSAAMGSetSmoother(pc, where, smoother_names[n]));
    spell("sweeps", "Applications of the smoother");
    PetscCall(PetscOptionsInt(option, text, "PCSAAMGSetSweeps", s.options.sweeps, &n, &flg));
    if (flg) PetscCall(PCSAAMGSetSweeps(pc, where, n));
    spell("jacobi_relax", "Relaxation of Jacobi");
    PetscCall(PetscOptionsReal(option, text, "PCSAAMGSetJacobiRelax", s.options.jacobi_relax, &r, &flg));
    if (flg) PetscCall(PCSAAMGSetJacobiRelax(pc, where, r));
    spell("chebyshev_degree", "Degree of the Chebyshev polynomial");
    PetscCall(PetscOptionsInt(option, text, "PCSAAMGSetChebyshevDegree", s.options.chebyshev_degree, &n, &flg));
    if (flg) PetscCall(PCSAAMGSetChebyshevDegree(pc, where, n));
    spell("chebyshev_ratio", "The polynomial smooths [lambda_max/ratio, lambda_max]");
    PetscCall(PetscOptionsReal(option, text, "PCSAAMGSetChebyshevRatio", s.options.chebyshev_ratio, &r, &flg));
    if (flg) PetscCall(PCSAAMGSetChebyshevRatio(pc, where, r));
    spell("mcgs_block_size", "Unknowns that mcgs relaxes together (auto: those of a node)");
    for (n = 0; n < 5 && block_sizes[n] != s.options.mcgs_block_size; n++) { }
    PetscCall(PetscOptionsEList(option, text, "PCSAAMGSetMCGSBlockSize", block_size_names, 5, block_size_names[n], &n, &flg));
    if (flg) PetscCall(PCSAAMGSetMCGSBlockSize(pc, where, block_sizes[n]));
    PCSAAMGCoupling coupling = static_cast<PCSAAMGCoupling>(s.options.mcgs_coupling);
    spell("mcgs_coupling", "What mcgs does between ranks: global, as on one rank; local, Jacobi");
    PetscCall(PetscOptionsEnum(option, text, "PCSAAMGSetMCGSCoupling", coupling_names, (PetscEnum)coupling, (PetscEnum *)&coupling, &flg));
    if (flg) PetscCall(PCSAAMGSetMCGSCoupling(pc, where, coupling));
    spell("chebyshev_kind", "Kind of the Chebyshev polynomial: 1, or 4 with optimal weights, which needs no ratio");
    PetscCall(PetscOptionsInt(option, text, "PCSAAMGSetChebyshevKind", s.options.chebyshev_kind, &n, &flg));
    if (flg) PetscCall(PCSAAMGSetChebyshevKind(pc, where, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza

using goza::SAAMG;
using goza::SmootherChoice;

static PetscErrorCode Check(PC pc, PCSAAMGLevels levels)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscCheck(levels >= PC_SAAMG_FINEST && levels <= PC_SAAMG_ALL_LEVELS, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "%d is not a PCSAAMGLevels", (int)levels);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Change> static PetscErrorCode SetOnLevels(PC pc, PCSAAMGLevels levels, const Change &change)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(goza::FindSAAMG(pc, &mg));
  for (PetscInt l = PC_SAAMG_FINEST; mg && l <= PC_SAAMG_COARSEST; l++) {
    if (levels == PC_SAAMG_ALL_LEVELS || levels == l) change(mg->cycle_options.smoothers[l]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOnLevel(PC pc, PCSAAMGLevels levels, const SmootherChoice **s)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(Check(pc, levels));
  PetscCall(goza::FindOrFail(pc, &mg));
  *s = &mg->cycle_options.smoothers[levels == PC_SAAMG_ALL_LEVELS ? PC_SAAMG_FINEST : levels];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PCSAAMGSetSmoother - Sets the smoother

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- name   - "jacobi", "chebyshev", "mcgs" (Gauss-Seidel over colours of rows, symmetric over the cycle) or "l1jacobi" (Jacobi with the
           l1 norms of the rows in the diagonal's place)

  Options Database Keys:
+ -pc_saamg_smoother (jacobi|chebyshev|mcgs|l1jacobi) - on all levels
. -pc_saamg_finest_smoother name - on the finest
. -pc_saamg_intermediate_smoother name - on those between
- -pc_saamg_coarsest_smoother name - on the coarsest

  Level: intermediate

  Note:
  Paper P5 smooths the finest level with one of the first three and the others with "jacobi".

.seealso: `PCSAAMG`, `PCSAAMGGetSmoother()`, `PCSAAMGSetSweeps()`, `PCSAAMGSetChebyshevDegree()`, `PCSAAMGSetDirectLimit()`
@*/
PetscErrorCode PCSAAMGSetSmoother(PC pc, PCSAAMGLevels levels, const char name[])
{
  PetscInt  which;
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(Check(pc, levels));
  PetscCall(PetscEListFind(goza::smoother_count(), goza::smoother_names, name, &which, &found));
  PetscCheck(found, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_UNKNOWN_TYPE, "-pc_saamg_%ssmoother: no smoother is called %s", goza::level_prefixes[levels], name);
  PetscCall(SetOnLevels(pc, levels, [which](SmootherChoice &s) { s.which = which; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PCSAAMGGetSmoother - Gets the name of the smoother

  Not Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
- levels - which; `PC_SAAMG_ALL_LEVELS` gives the finest's

  Output Parameter:
. name - the name, which is not to be freed

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetSmoother()`
@*/
PetscErrorCode PCSAAMGGetSmoother(PC pc, PCSAAMGLevels levels, const char *name[])
{
  const SmootherChoice *s = nullptr;

  PetscFunctionBegin;
  PetscCall(GetOnLevel(pc, levels, &s));
  *name = goza::smoother_names[s->which];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetSweeps - Sets how often the smoother is applied

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- sweeps - at least 1: applications before and after the coarse correction; on the coarsest level in all, forward and backward in turn (there an even number keeps mcgs symmetric)

  Options Database Keys:
+ -pc_saamg_sweeps sweeps - on all levels but the coarsest
. -pc_saamg_finest_sweeps sweeps - on the finest
. -pc_saamg_intermediate_sweeps sweeps - on those between
- -pc_saamg_coarsest_sweeps sweeps - on the coarsest

  Level: intermediate

  Note:
  `PC_SAAMG_ALL_LEVELS` leaves the number of the coarsest level (30, paper P5), which counts something else, as it is.

.seealso: `PCSAAMG`, `PCSAAMGGetSweeps()`, `PCSAAMGSetSmoother()`
@*/
PetscErrorCode PCSAAMGSetSweeps(PC pc, PCSAAMGLevels levels, PetscInt sweeps)
{
  PetscFunctionBegin;
  PetscCall(Check(pc, levels));
  PetscCheck(sweeps >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_%ssweeps %" PetscInt_FMT " is less than 1", goza::level_prefixes[levels], sweeps);
  for (PCSAAMGLevels level : {PC_SAAMG_FINEST, PC_SAAMG_INTERMEDIATE, PC_SAAMG_COARSEST}) {
    if (levels != level && (levels != PC_SAAMG_ALL_LEVELS || level == PC_SAAMG_COARSEST)) continue;
    PetscCall(SetOnLevels(pc, level, [sweeps](SmootherChoice &s) { s.options.sweeps = sweeps; }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetSweeps - Gets how often the smoother is applied

  Not Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
- levels - which; `PC_SAAMG_ALL_LEVELS` gives the finest's

  Output Parameter:
. sweeps - its value

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetSweeps()`
@*/
PetscErrorCode PCSAAMGGetSweeps(PC pc, PCSAAMGLevels levels, PetscInt *sweeps)
{
  const SmootherChoice *s = nullptr;

  PetscFunctionBegin;
  PetscCall(GetOnLevel(pc, levels, &s));
  *sweeps = s->options.sweeps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetJacobiRelax - Sets the relaxation factor of the Jacobi smoother

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- relax - 0 < relax < 2

  Options Database Keys:
+ -pc_saamg_jacobi_relax relax - on all levels
. -pc_saamg_finest_jacobi_relax relax - on the finest
. -pc_saamg_intermediate_jacobi_relax relax - on those between
- -pc_saamg_coarsest_jacobi_relax relax - on the coarsest

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetJacobiRelax()`, `PCSAAMGSetSmoother()`
@*/
PetscErrorCode PCSAAMGSetJacobiRelax(PC pc, PCSAAMGLevels levels, PetscReal relax)
{
  PetscFunctionBegin;
  PetscCall(Check(pc, levels));
  PetscCheck(relax > 0 && relax < 2, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_%sjacobi_relax %g is not in (0, 2)", goza::level_prefixes[levels], (double)relax);
  PetscCall(SetOnLevels(pc, levels, [relax](SmootherChoice &s) { s.options.jacobi_relax = relax; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetJacobiRelax - Gets the relaxation factor of the Jacobi smoother

  Not Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
- levels - which; `PC_SAAMG_ALL_LEVELS` gives the finest's

  Output Parameter:
. relax - its value

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetJacobiRelax()`
@*/
PetscErrorCode PCSAAMGGetJacobiRelax(PC pc, PCSAAMGLevels levels, PetscReal *relax)
{
  const SmootherChoice *s = nullptr;

  PetscFunctionBegin;
  PetscCall(GetOnLevel(pc, levels, &s));
  *relax = s->options.jacobi_relax;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetChebyshevDegree - Sets the degree of the Chebyshev smoother's polynomial

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- degree - at least 1 (paper P5: 2 to 4)

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
  PetscCall(Check(pc, levels));
  PetscCheck(degree >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_%schebyshev_degree %" PetscInt_FMT " is less than 1", goza::level_prefixes[levels], degree);
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
- ratio - more than 1: the polynomial smooths [lambda_max/ratio, lambda_max] (paper P5: 10 for Darcy flow, 30 for anisotropic diffusion)

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
  PetscCall(Check(pc, levels));
  PetscCheck(ratio > 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_%schebyshev_ratio %g is not more than 1", goza::level_prefixes[levels], (double)ratio);
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
  PetscCall(Check(pc, levels));
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

/*@
  PCSAAMGSetMCGSBlockSize - Sets how many unknowns the smoother "mcgs" relaxes together

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- bs     - 1 (points), 2, 3 or 6, or 0 (the default) for those of a node: the matrix's block size on the finest level, the number of near-null vectors on
           the others (points where that is another number)

  Options Database Keys:
+ -pc_saamg_mcgs_block_size (auto|1|2|3|6) - on all levels
. -pc_saamg_finest_mcgs_block_size (auto|1|2|3|6) - on the finest
. -pc_saamg_intermediate_mcgs_block_size (auto|1|2|3|6) - on those between
- -pc_saamg_coarsest_mcgs_block_size (auto|1|2|3|6) - on the coarsest

  Level: intermediate

  Note:
  On the finest level the local rows of every rank must be a multiple of it. On the others, whose nodes are given, it is 0 where it does not divide them.

.seealso: `PCSAAMG`, `PCSAAMGGetMCGSBlockSize()`, `PCSAAMGSetSmoother()`, `MatSetBlockSize()`
@*/
PetscErrorCode PCSAAMGSetMCGSBlockSize(PC pc, PCSAAMGLevels levels, PetscInt bs)
{
  PetscFunctionBegin;
  PetscCall(Check(pc, levels));
  PetscCheck(bs == 0 || bs == 1 || bs == 2 || bs == 3 || bs == 6, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_%smcgs_block_size %" PetscInt_FMT " is not 0 (auto), 1, 2, 3 or 6", goza::level_prefixes[levels], bs);
  PetscCall(SetOnLevels(pc, levels, [bs](SmootherChoice &s) { s.options.mcgs_block_size = bs; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetMCGSBlockSize - Gets how many unknowns the smoother "mcgs" relaxes together

  Not Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
- levels - which; `PC_SAAMG_ALL_LEVELS` gives the finest's

  Output Parameter:
. bs - its value; 0: those of a node

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGSetMCGSBlockSize()`
@*/
PetscErrorCode PCSAAMGGetMCGSBlockSize(PC pc, PCSAAMGLevels levels, PetscInt *bs)
{
  const SmootherChoice *s = nullptr;

  PetscFunctionBegin;
  PetscCall(GetOnLevel(pc, levels, &s));
  *bs = s->options.mcgs_block_size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGSetMCGSCoupling - Sets what the smoother "mcgs" does between ranks

  Logically Collective

  Input Parameters:
+ pc       - the preconditioner, of type `PCSAAMG`
. levels   - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- coupling - `PC_SAAMG_COUPLING_GLOBAL` (the default): ranks exchange their values before each colour, and the sweep is that of one rank alone;
             `PC_SAAMG_COUPLING_LOCAL`: before each sweep, with the l1 norms of what couples the ranks added to the diagonal

  Options Database Keys:
+ -pc_saamg_mcgs_coupling (global|local) - on all levels
. -pc_saamg_finest_mcgs_coupling (global|local) - on the finest
. -pc_saamg_intermediate_mcgs_coupling (global|local) - on those between
- -pc_saamg_coarsest_mcgs_coupling (global|local) - on the coarsest

  Level: advanced

  Note:
  The colours are the same for both, and on any number of ranks. With the second a solve takes more iterations, the more the more ranks there are.

.seealso: `PCSAAMG`, `PCSAAMGGetMCGSCoupling()`, `PCSAAMGSetSmoother()`
@*/
PetscErrorCode PCSAAMGSetMCGSCoupling(PC pc, PCSAAMGLevels levels, PCSAAMGCoupling coupling)
{
  PetscFunctionBegin;
  PetscCall(Check(pc, levels));
  PetscCheck(coupling == PC_SAAMG_COUPLING_GLOBAL || coupling == PC_SAAMG_COUPLING_LOCAL, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "-pc_saamg_%smcgs_coupling: %d is not a PCSAAMGCoupling", goza::level_prefixes[levels], (int)coupling);
  PetscCall(SetOnLevels(pc, levels, [coupling](SmootherChoice &s) { s.options.mcgs_coupling = coupling; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetMCGSCoupling - Gets what the smoother "mcgs" does between ranks

  Not Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
- levels - which; `PC_SAAMG_ALL_LEVELS` gives the finest's

  Output Parameter:
. coupling - its value

  Level: advanced

.seealso: `PCSAAMG`, `PCSAAMGSetMCGSCoupling()`
@*/
PetscErrorCode PCSAAMGGetMCGSCoupling(PC pc, PCSAAMGLevels levels, PCSAAMGCoupling *coupling)
{
  const SmootherChoice *s = nullptr;

  PetscFunctionBegin;
  PetscCall(GetOnLevel(pc, levels, &s));
  *coupling = static_cast<PCSAAMGCoupling>(s->options.mcgs_coupling);
  PetscFunctionReturn(PETSC_SUCCESS);
}
