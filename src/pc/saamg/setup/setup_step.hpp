/* A step of a set-up for the log. */
#pragma once
#include "parallel/agree.hpp"
#include "parallel/column_map.hpp"
#include "petsc/errors.hpp"
#include <petscsys.h>

namespace goza::saamg {

/* A step under its event, with the device's time where that is asked for. Ranks: columns of a level. Collective: an error on one rank is an error on all. */
template <class Body> PetscErrorCode Step(PetscLogEvent event, const LocalColumns &ranks, const Body &body)
{
  const Space space = ranks.space();

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, 0, 0, 0, 0));
  if (space == Space::Cuda) PetscCall(PetscLogGpuTimeBegin());
  PetscCall(Together(ranks.comm(), "do its part of the set-up", body));
  if (space == Space::Cuda) PetscCall(PetscLogGpuTimeEnd());
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
