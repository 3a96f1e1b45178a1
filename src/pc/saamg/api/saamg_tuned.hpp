/* What -pc_saamg_tune has found for a pattern. */
#pragma once
#include "pc/saamg/cycle/cycle.hpp"
#include "petscgoza.h"

namespace goza::saamg {

struct Tuned {
  bool             done = false;
  std::string      settings;                  // of the PC that it was found for
  PetscInt         smoother = 0;              // which auto took then
  CycleOptions     options;                   // the PC's own with what was found in the place of what was open
  PCSAAMGPrecision precision = PC_SAAMG_AUTO; // the PC's own, or what was found in the place of auto
  std::string      found;                     // the same as options that may be typed; empty: nothing but what is set
  int              trials = 0;
  PetscReal        share  = 1; // of the time for each digit that what is set takes

  /* Whether it is of a PC with these settings, whose automatic smoother is this. */
  bool        serve(const std::string &set, PetscInt automatic) const;
  std::string describe() const;
};

} // namespace goza::saamg
