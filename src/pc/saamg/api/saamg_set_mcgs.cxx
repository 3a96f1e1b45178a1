/* Set and Get functions of saamg: Gauss-Seidel by colours, by level. Setting something takes effect at the next set-up. */
#include "saamg_call.hpp"

/*@
  PCSAAMGSetMCGSRelax - Sets the relaxation of the smoother "mcgs"

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- relax  - between 0 and 2; 1 (the default): Gauss-Seidel

  Options Database Keys:
+ -pc_saamg_mcgs_relax w - on all levels
. -pc_saamg_finest_mcgs_relax w - on the finest
. -pc_saamg_intermediate_mcgs_relax w - on those between
- -pc_saamg_coarsest_mcgs_relax w - on the coarsest

  Level: advanced

.seealso: `PCSAAMG`, `PCSAAMGGetMCGSRelax()`, `PCSAAMGSetSmoother()`, `PCSAAMGSetJacobiRelax()`
@*/
PetscErrorCode PCSAAMGSetMCGSRelax(PC pc, PCSAAMGLevels levels, PetscReal relax)
{
  PetscFunctionBegin;
  PetscCall(goza::CallSet(pc, "PCSAAMGSetMCGSRelax_C", levels, relax));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetMCGSRelax - Gets what `PCSAAMGSetMCGSRelax()` sets; of `PC_SAAMG_ALL_LEVELS` the finest's

  Not Collective

  Level: advanced
@*/
PetscErrorCode PCSAAMGGetMCGSRelax(PC pc, PCSAAMGLevels levels, PetscReal *relax)
{
  PetscFunctionBegin;
  PetscCall(goza::CallGet(pc, "PCSAAMGGetMCGSRelax_C", levels, relax));
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
  PetscCall(goza::CallSet(pc, "PCSAAMGSetMCGSBlockSize_C", levels, bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetMCGSBlockSize - Gets what `PCSAAMGSetMCGSBlockSize()` sets; of `PC_SAAMG_ALL_LEVELS` the finest's

  Not Collective

  Level: intermediate
@*/
PetscErrorCode PCSAAMGGetMCGSBlockSize(PC pc, PCSAAMGLevels levels, PetscInt *bs)
{
  PetscFunctionBegin;
  PetscCall(goza::CallGet(pc, "PCSAAMGGetMCGSBlockSize_C", levels, bs));
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
  PetscCall(goza::CallSet(pc, "PCSAAMGSetMCGSCoupling_C", levels, coupling));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSAAMGGetMCGSCoupling - Gets what `PCSAAMGSetMCGSCoupling()` sets; of `PC_SAAMG_ALL_LEVELS` the finest's

  Not Collective

  Level: advanced
@*/
PetscErrorCode PCSAAMGGetMCGSCoupling(PC pc, PCSAAMGLevels levels, PCSAAMGCoupling *coupling)
{
  PetscFunctionBegin;
  PetscCall(goza::CallGet(pc, "PCSAAMGGetMCGSCoupling_C", levels, coupling));
  PetscFunctionReturn(PETSC_SUCCESS);
}
