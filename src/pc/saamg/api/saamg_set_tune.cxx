/* Set and Get functions of saamg: tuning. Setting something takes effect at the next set-up. */
#include "saamg_call.hpp"

/*@
  PCSAAMGSetTune - Sets what is looked for to make the cycle faster where many solves are likely

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner, of type `PCSAAMG`
- tune - `PC_SAAMG_TUNE_NONE`, `PC_SAAMG_TUNE_QUICK` (default: from the second set-up with a pattern on a lower precision on the host, by the user's own solves)
         or `PC_SAAMG_TUNE_FULL` (several cycles are tried in the first set-up, and the fastest is kept)

  Options Database Key:
. -pc_saamg_tune (none|quick|full) - what is looked for

  Level: intermediate

  Notes:
  Quick costs nothing but the copies in single precision. On the host the cycle is in single where the precision is left open, the Krylov method's residuals
  stay true whatever a cycle rounds (see `PCSAAMGSetPrecision()`), and the solves between the first two set-ups took sixteen iterations or more; it saves a
  quarter of a solve in the mean. The first solve with it is its trial: where its iterations gain less than 0.8 of the digits that those of the last solve in
  double did, the next solve is in double, and `-ksp_view` says so. Iterations alone decide, so that all runs, on any number of ranks, take the same. On a GPU
  the default precision is half from the beginning, and quick adds nothing.

  A trial of full is sixteen iterations of a solve, or as many as take seven digits off the residual of a random right-hand side. What is left of that and the
  time of a cycle and a product, the slowest rank's, give the time that a solve takes for each digit. The candidate with the least is kept for as long as
  pattern and settings stay, unless it gains less than a twentieth. `-ksp_view` and `-goza_info` show it as options, which give the same cycle without a trial,
  and `-info` what all trials found. Candidates differ by the time that was measured: runs of one program may come to different cycles and numbers of
  iterations, though all ranks of a run come to the same.

  Candidates change what is left as it is in a new `PC`, and keep the levels: the degree (1 to 6) and kind of Chebyshev polynomials, the smoothers mcgs and
  l1jacobi, the degree on the levels between, W-cycles, and behind a Krylov method that bears it a lower precision. A preconditioner that was symmetric stays
  so.

.seealso: `PCSAAMG`, `PCSAAMGGetTune()`, `PCSAAMGSetChebyshevDegree()`, `PCSAAMGSetSmoother()`, `PCSAAMGSetPrecision()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetTune, PCSAAMGGetTune, PCSAAMGTune)
