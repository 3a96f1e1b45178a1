/* Set and Get functions of saamg: which ranks have rows of a level. Setting something takes effect at the next set-up. */
#include "saamg_call.hpp"

/*@
  PCSAAMGSetGatherLimit - Sets the number of rows a rank below which a level goes to fewer ranks

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- rows - at least 0; a level with fewer rows than so many for every rank lies on as few ranks as have so many, finally on one. 0: rows stay where their
         aggregates' roots are

  Options Database Key:
. -pc_saamg_gather_limit rows - the number of rows a rank below which a level goes to fewer ranks (default 1000, on a GPU 10000)

  Level: intermediate

  Note:
  The finest level stays where the user put it. The other ranks wait. The levels themselves are the same for any limit.

.seealso: `PCSAAMG`, `PCSAAMGGetGatherLimit()`, `PCSAAMGSetDirectLimit()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetGatherLimit, PCSAAMGGetGatherLimit, PetscInt)
