/* Set and Get functions of saamg: tuning. Setting something takes effect at the next set-up. */
#include "saamg_call.hpp"

/*@
  PCSAAMGSetTune - Sets whether the set-up tries several cycles and keeps the fastest

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner, of type `PCSAAMG`
- tune - `PC_SAAMG_TUNE_NONE` (default), `PC_SAAMG_TUNE_QUICK` (in the second set-up with a pattern, where more solves are likely) or `PC_SAAMG_TUNE_FULL` (more of them, in the first set-up)

  Options Database Key:
. -pc_saamg_tune (none|quick|full) - whether the set-up tries several cycles and keeps the fastest

  Level: intermediate

  Notes:
  A trial is four iterations of a solve (full: sixteen), or as many as take seven digits off the residual of a random right-hand side. What is left of that and the time of a cycle and a product,
  the slowest rank's, give the time that a solve takes for each digit. The candidate with the least is kept for as long as pattern and settings stay, unless it gains less than a twentieth. `-ksp_view` and
  `-goza_info` show it as options, which give the same cycle without a trial, and `-info` what all trials found.

  Candidates change what is left as it is in a new `PC`, and keep the levels: the degree (1 to 4; full: 6) and kind of Chebyshev polynomials, the smoother mcgs, and behind a Krylov method that bears
  it a lower precision; full: l1jacobi, the degree on the levels between, W-cycles, and precisions whose copies cost more. A preconditioner that was symmetric stays so.

  It is not the default, because candidates differ by the time that was measured: runs of one program may come to different cycles and numbers of iterations, though all ranks of a run come to the same. On
  a host the quick ones gain a tenth of a solve in the mean of a hundred problems, and cost as much as eight solves: whoever solves a hundred times gains by them.

.seealso: `PCSAAMG`, `PCSAAMGGetTune()`, `PCSAAMGSetChebyshevDegree()`, `PCSAAMGSetSmoother()`, `PCSAAMGSetPrecision()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetTune, PCSAAMGGetTune, PCSAAMGTune)
