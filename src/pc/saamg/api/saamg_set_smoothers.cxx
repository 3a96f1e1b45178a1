/* Set and Get functions of saamg: which smoother, and how often, by level. Setting something takes effect at the next set-up. */
#include "saamg_call.hpp"

/*@C
  PCSAAMGSetSmoother - Sets the smoother

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- name   - "jacobi", "chebyshev", "mcgs" (Gauss-Seidel over colours of rows, symmetric over the cycle), "l1jacobi" (Jacobi with the
           l1 norms of the rows in the diagonal's place) or "auto" (default: chebyshev where the matrix is symmetric, else mcgs or, with central differences of
           strong convection, l1jacobi)

  Options Database Keys:
+ -pc_saamg_smoother (jacobi|chebyshev|mcgs|l1jacobi|auto) - on all levels
. -pc_saamg_finest_smoother name - on the finest
. -pc_saamg_intermediate_smoother name - on those between
- -pc_saamg_coarsest_smoother name - on the coarsest

  Level: intermediate

  Notes:
  Where the matrix is not symmetric and has no blocks, the colours of "mcgs" are in the order of its flow: a row comes after those upstream of it, column j
  being upstream of row i where a_ij outweighs a_ji, and all sweeps go downstream, two in each application, or four (`PCSAAMGSetSweeps()`). Closed flows are
  cut where rows' numbers turn from falling to rising along them, which helps most where these follow the geometry. On a GPU, where each of these hundreds of
  colours would be a launch, they are as few as a random order leaves: in space as many iterations, in a plane more, each in a fraction of the time.

  Paper P5 smooths the finest level with one of the first three and the others with "jacobi".

.seealso: `PCSAAMG`, `PCSAAMGGetSmoother()`, `PCSAAMGSetSweeps()`, `PCSAAMGSetChebyshevDegree()`, `PCSAAMGSetDirectLimit()`
@*/
SAAMG_SET_AND_GET_ON_LEVELS(PCSAAMGSetSmoother, PCSAAMGGetSmoother, const char *)

/*@
  PCSAAMGSetSweeps - Sets how often the smoother is applied

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- sweeps - 1 to 10000: applications before and after the coarse correction; on the coarsest level in all, where mcgs goes forward and backward in turn, and once
           more after an odd number, so that the cycle stays symmetric

  Options Database Keys:
+ -pc_saamg_sweeps sweeps - on all levels but the coarsest
. -pc_saamg_finest_sweeps sweeps - on the finest
. -pc_saamg_intermediate_sweeps sweeps - on those between
- -pc_saamg_coarsest_sweeps sweeps - on the coarsest

  Level: intermediate

  Note:
  `PC_SAAMG_ALL_LEVELS` leaves the number of the coarsest level (30, paper P5), which counts something else, as it is. Of that two at most are taken where the
  level is the only one, or its smoother covers all of its spectrum: the Krylov method makes more of so many products. Where the colours of mcgs follow a flow,
  an application is two passes over the rows, and on the finest level four if most rows' edges differ by a quarter from one way to the other.

.seealso: `PCSAAMG`, `PCSAAMGGetSweeps()`, `PCSAAMGSetSmoother()`
@*/
SAAMG_SET_AND_GET_ON_LEVELS(PCSAAMGSetSweeps, PCSAAMGGetSweeps, PetscInt)

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

  Note:
  On a level where `relax` times the largest eigenvalue of D^-1 A (as estimated) is 2 or more, so that Jacobi diverges, 4/3 divided by that eigenvalue is used
  instead; `-pc_view` shows it.

.seealso: `PCSAAMG`, `PCSAAMGGetJacobiRelax()`, `PCSAAMGSetSmoother()`
@*/
SAAMG_SET_AND_GET_ON_LEVELS(PCSAAMGSetJacobiRelax, PCSAAMGGetJacobiRelax, PetscReal)
