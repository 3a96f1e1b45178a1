/* What must hold for one configuration. */
#pragma once

#include "configuration.hpp"

#include <functional>

namespace goza_fuzz {

struct Findings {
  std::string wrong; /* the first thing that does not hold */
  long        checks  = 0;
  bool        refused = false; /* the set-up says that it failed, with a reason */
};

Findings check(const Configuration &, const std::function<void(long step)> &before);

} // namespace goza_fuzz
