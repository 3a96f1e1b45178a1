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
SAAMG_SET_AND_GET_ON_LEVELS(PCSAAMGSetMCGSRelax, PCSAAMGGetMCGSRelax, PetscReal)

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
SAAMG_SET_AND_GET_ON_LEVELS(PCSAAMGSetMCGSCoupling, PCSAAMGGetMCGSCoupling, PCSAAMGCoupling)
