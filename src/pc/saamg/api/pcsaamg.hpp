#pragma once
#include "core/device/space.hpp"
#include <petscpc.h>

namespace goza::saamg {

class Cycle;
class GroupPC;

PetscErrorCode PCCreate_SAAMG(PC pc);
bool           PCIsSAAMG(PC pc); // by whatever name: -goza_replace

/* The cycle of a PC that is set up, for whoever has arrays in its space; NULL for another type of PC, or where the set-up failed, or the
   right-hand side of the present solve is to be scaled for it. */
Cycle *cycle_of(PC pc, Space space);

/* Before the set-up of a PC, by a Krylov method whose residuals stay true whatever it rounds: see PC_SAAMG_AUTO. */
PetscErrorCode PCExpectTrueResiduals_SAAMG(PC pc);

/* What does its work where ranks share a GPU; NULL for another type of PC, or where each rank is for itself. */
GroupPC *group_of(PC pc);

} // namespace goza::saamg
