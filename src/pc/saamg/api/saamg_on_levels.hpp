/* What the Set and Get functions of saamg's smoothers begin with: a set of levels, and the smoother's choices there. */
#pragma once
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg
{

inline PetscErrorCode CheckLevels(PC pc, PCSAAMGLevels levels)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscCheck(levels >= PC_SAAMG_FINEST && levels <= PC_SAAMG_ALL_LEVELS, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE, "%d is not a PCSAAMGLevels", (int)levels);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Change> PetscErrorCode SetOnLevels(PC pc, PCSAAMGLevels levels, const Change &change)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(FindSAAMG(pc, &mg));
  for (PetscInt l = PC_SAAMG_FINEST; mg && l <= PC_SAAMG_COARSEST; l++) {
    if (levels == PC_SAAMG_ALL_LEVELS || levels == l) change(mg->cycle_options.smoothers[l]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode GetOnLevel(PC pc, PCSAAMGLevels levels, const SmootherChoice **s)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(CheckLevels(pc, levels));
  PetscCall(FindOrFail(pc, &mg));
  *s = &mg->cycle_options.smoothers[levels == PC_SAAMG_ALL_LEVELS ? PC_SAAMG_FINEST : levels];
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
