/* Seconds that the calling thread has worked: others may share its core. */
#pragma once
#include <ctime>

namespace goza {

inline double thread_seconds()
{
  timespec t{};

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

} // namespace goza
