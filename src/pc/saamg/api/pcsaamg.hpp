#pragma once
#include "core/device/space.hpp"
#include <petscpc.h>

namespace goza::saamg
{

class Cycle;
class GroupPC;

PetscErrorCode PCCreate_SAAMG(PC pc);

/* The cycle of a PC that is set up, for whoever has arrays in its space; NULL for another type of PC, or where the set-up failed. */
PetscErrorCode PCGetCycle_SAAMG(PC pc, Space space, Cycle **cycle);

/* What does its work where ranks share a GPU; NULL for another type of PC, or where each rank is for itself. */
PetscErrorCode PCGetGroup_SAAMG(PC pc, GroupPC **group);

} // namespace goza::saamg
