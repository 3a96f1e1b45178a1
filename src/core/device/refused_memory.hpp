/* For tests: an allocation that is refused although there is memory, so that every failure can be had. */
#pragma once
#include <cstddef>

namespace goza {

/* Asked before each allocation of core's own, of host, device, pinned or shared memory: true makes it fail as if there were no memory. nullptr: none is
   refused. */
using RefusesMemory = bool (*)(std::size_t bytes) noexcept;

void set_refuses_memory(RefusesMemory refuses);
bool memory_refused(std::size_t bytes);

} // namespace goza
