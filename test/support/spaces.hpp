#pragma once

#include "core/device/device.hpp"

#include <vector>

namespace goza_test {

/* The spaces that this machine has. */
inline std::vector<goza::Space> spaces()
{
  return goza::device::available() ? std::vector<goza::Space>{goza::Space::Host, goza::Space::Cuda} : std::vector<goza::Space>{goza::Space::Host};
}

} // namespace goza_test
