/* The settings of paper P5 (Araya, Fujii, Tanaka), tables 2 and 3 and section 4.2, at one word. */
#include "petsc/errors.hpp"
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

const char *const PCSAAMGPapers[] = {"none", "darcy", "anisotropic", "PCSAAMGPaper", "PC_SAAMG_PAPER_", NULL};

namespace {

/* A line of the tables, beside what all have: one sweep on the finest level, thirty on the coarsest. */
struct Problem {
  PetscReal threshold;
  PetscReal finest_jacobi, coarser; // acceleration coefficients; mcgs on the finest level has 1
  PetscInt  sweeps[3];              // on the levels between: behind jacobi, mcgs and chebyshev
  PetscInt  degree;                 // of Chebyshev
  PetscReal ratio;
};

constexpr Problem problems[] = {{}, {0.01, 1.0, 1.0, {2, 2, 2}, 2, 10}, {0.09, 0.4, 0.7, {1, 1, 2}, 4, 30}};

} // namespace

/*@
  PCSAAMGSetPaper - Sets what Araya, Fujii and Tanaka set for one of their two problems

  Logically Collective

  Input Parameters:
+ pc       - the preconditioner, of type `PCSAAMG`
. problem  - `PC_SAAMG_PAPER_DARCY`, `PC_SAAMG_PAPER_ANISOTROPIC`, or `PC_SAAMG_PAPER_NONE`, which does nothing
- smoother - on the finest level: "jacobi", "mcgs" or "chebyshev"; the others have Jacobi

  Options Database Key:
. -pc_saamg_paper (none|darcy|anisotropic) - with the smoother of -pc_saamg_finest_smoother, or -pc_saamg_smoother where that is one of these; else chebyshev

  Level: advanced

  Notes:
  It calls the Set functions of the strength threshold (0.01; 0.09), the smoothers, sweeps (1 on the finest level, 30 on the coarsest, which is smoothed;
  between 2, in the anisotropic problem 1 but behind Chebyshev) and relaxations (1; 0.4 on the finest level and 0.7 below), Chebyshev's degree (2; 4) and ratio
  (10; 30), 50 steps for the largest eigenvalue, mcgs as Jacobi between ranks, interpolation of degree 1, no limit of the complexity, and double precision. What
  is set afterwards, or named by an option, wins; interpolation is then never smoothed further than asked for. The paper's mixed precision is
  `-pc_saamg_precision mixed`.

  What stays ours: aggregates, a threshold that is halved from level to level, Jacobi's relaxation where it would diverge, a sweep's direction after the coarse
  correction.

.seealso: `PCSAAMG`, `PCSAAMGSetThreshold()`, `PCSAAMGSetSmoother()`, `PCSAAMGSetSweeps()`, `PCSAAMGSetJacobiRelax()`
@*/
PetscErrorCode PCSAAMGSetPaper(PC pc, PCSAAMGPaper problem, const char smoother[])
{
  const char *const names[] = {"jacobi", "mcgs", "chebyshev"};
  PetscInt          which   = -1;
  PetscBool         same;

  PetscFunctionBegin;
  PetscCall(goza::CheckObject(pc, PC_CLASSID, "PC", 1));
  PetscValidLogicalCollectiveEnum(pc, problem, 2);
  PetscCall(goza::CheckPointer(smoother, 3));
  PetscCheck(problem >= PC_SAAMG_PAPER_NONE && problem <= PC_SAAMG_PAPER_ANISOTROPIC, goza::comm_of(pc), PETSC_ERR_ARG_OUTOFRANGE, "%d is not a PCSAAMGPaper",
             (int)problem);
  if (problem == PC_SAAMG_PAPER_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(PetscStrcmp(smoother, names[k], &same));
    if (same) which = k;
  }
  PetscCheck(which >= 0, goza::comm_of(pc), PETSC_ERR_ARG_UNKNOWN_TYPE, "The paper's smoothers are jacobi, mcgs and chebyshev, not %s", smoother);
  const Problem &p = problems[problem];

  if (goza::is_type(pc, PCSAAMG)) static_cast<goza::saamg::SAAMG *>(pc->data)->hierarchy_options.further = false;
  PetscCall(PCSAAMGSetThreshold(pc, p.threshold));
  PetscCall(PCSAAMGSetSmoother(pc, PC_SAAMG_ALL_LEVELS, "jacobi"));
  PetscCall(PCSAAMGSetSmoother(pc, PC_SAAMG_FINEST, smoother));
  PetscCall(PCSAAMGSetSweeps(pc, PC_SAAMG_FINEST, 1));
  PetscCall(PCSAAMGSetSweeps(pc, PC_SAAMG_INTERMEDIATE, p.sweeps[which]));
  PetscCall(PCSAAMGSetSweeps(pc, PC_SAAMG_COARSEST, 30));
  PetscCall(PCSAAMGSetDirectLimit(pc, 0));
  PetscCall(PCSAAMGSetJacobiRelax(pc, PC_SAAMG_ALL_LEVELS, p.coarser));
  PetscCall(PCSAAMGSetJacobiRelax(pc, PC_SAAMG_FINEST, p.finest_jacobi));
  PetscCall(PCSAAMGSetMCGSRelax(pc, PC_SAAMG_ALL_LEVELS, 1));
  PetscCall(PCSAAMGSetMCGSCoupling(pc, PC_SAAMG_ALL_LEVELS, PC_SAAMG_COUPLING_LOCAL));
  PetscCall(PCSAAMGSetChebyshevDegree(pc, PC_SAAMG_FINEST, p.degree));
  PetscCall(PCSAAMGSetChebyshevRatio(pc, PC_SAAMG_FINEST, p.ratio));
  PetscCall(PCSAAMGSetChebyshevKind(pc, PC_SAAMG_FINEST, PC_SAAMG_CHEBYSHEV_FIRST));
  PetscCall(PCSAAMGSetEstEigIterations(pc, 50));
  PetscCall(PCSAAMGSetInterpolation(pc, PC_SAAMG_INTERPOLATION_SMOOTHED));
  PetscCall(PCSAAMGSetCoarseInterpolationDegree(pc, 1));
  PetscCall(PCSAAMGSetMaxComplexity(pc, 1e6));
  PetscCall(PCSAAMGSetPrecision(pc, PC_SAAMG_DOUBLE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace goza::saamg {

PetscErrorCode PaperFromOptions(PC pc, GozaOptionItems PetscOptionsObject)
{
  PetscEnum problem      = (PetscEnum)PC_SAAMG_PAPER_NONE;
  char      smoother[64] = "chebyshev", named[64];
  PetscBool given, same;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEnum("-pc_saamg_paper", "Settings of Araya, Fujii and Tanaka for their two problems", "PCSAAMGSetPaper", PCSAAMGPapers, problem,
                             &problem, NULL));
  if (problem == (PetscEnum)PC_SAAMG_PAPER_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  for (const char *option : {"-pc_saamg_smoother", "-pc_saamg_finest_smoother"}) {
    PetscCall(PetscOptionsGetString(((PetscObject)pc)->options, ((PetscObject)pc)->prefix, option, named, sizeof(named), &given));
    for (const char *name : {"jacobi", "mcgs", "chebyshev"}) {
      if (given) PetscCall(PetscStrcmp(named, name, &same));
      if (given && same) PetscCall(PetscStrncpy(smoother, name, sizeof(smoother)));
    }
  }
  PetscCall(PCSAAMGSetPaper(pc, (PCSAAMGPaper)problem, smoother));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
