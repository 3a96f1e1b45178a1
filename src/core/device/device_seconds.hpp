/* How long the device works, apart from how fast the host asks it to. */
#pragma once
#include <functional>

namespace goza::device {

/* Seconds from the beginning of the first to the end of the last of what work() launches on the current stream. The device begins when the host has launched
   all, as in a solver's cycle that runs as a graph. work() may launch some hundred kernels, and waits for none. */
double seconds_of(const std::function<void()> &work);

/* Other data is read through the device's caches, as between two visits of a solver: an array that was just written is read faster than it will be later.
   Without memory for that nothing happens. */
void clear_caches();

} // namespace goza::device
