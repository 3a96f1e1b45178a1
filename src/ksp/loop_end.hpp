/* Where a device that repeats iterations by itself stops so that the host can look: at the latest where PETSc's test would end the solve. */
#pragma once
#include "core/device/space.hpp"

namespace goza::ksp {

struct LoopEnd {
  PetscScalar *x      = nullptr;         // the solution, which is another in each solve
  PetscReal    enough = 0, too_much = 0; // norms
  PetscInt     left    = 0;              // iterations
  bool         tested  = false;          // the norm is
  bool         natural = false;          // it is the root of z'r
  bool         stop    = false;          // the device stops here

  /* An iteration is complete, with this norm. broken: the host will find something wrong. */
  HD void look(PetscReal norm, bool broken)
  {
    left--;
    stop = broken || left <= 0 || (tested && !(norm > enough && norm < too_much));
  }
};

/* The pass that makes a new direction p: x gets what the direction before adds to it, where that is due; first: there was none. */
struct DirectionPass {
  bool first, x_is_late;
  bool in_loop = false; // x is that of LoopEnd, and p stays where the device has stopped
  bool x_alone = false; // p stays
};

} // namespace goza::ksp
