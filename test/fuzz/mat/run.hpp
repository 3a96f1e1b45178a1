/* One sequence, run on both matrices of each pair. */
#pragma once

#include "sequence.hpp"

#include <functional>

namespace goza_fuzz {

struct Verdict {
  std::string wrong;       /* empty: no difference on this rank */
  long        done    = 0; /* operations that were carried out by both */
  long        skipped = 0; /* ... that did not fit */
  std::string refused;     /* by PETSc's matrix, which ended the sequence, and why */
  std::string program;     /* the PETSc calls of this rank, where they were asked for */
};

/* For whoever must know what was running when the program crashed, or what one rank has failed with when the others wait for it. */
struct Watch {
  std::function<void(long op, int side)>         before;
  std::function<void(const std::string &failed)> after; /* empty: nothing has failed on this rank */
};

Verdict run_case(const Case &, bool tell, const Watch &watch);

} // namespace goza_fuzz
