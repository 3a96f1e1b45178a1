/* Through which a kernel of a recorded loop (device.hpp) says whether the device goes round once more; elsewhere nobody listens. */
#pragma once
#include "core/device/space.hpp"

namespace goza {

struct LoopSwitch {
  unsigned long long handle  = 0;
  bool               in_loop = false;

  HD void again([[maybe_unused]] bool yes) const
  {
#if defined(__CUDA_ARCH__) && CUDART_VERSION >= 12030
    if (in_loop) cudaGraphSetConditional(handle, yes);
#endif
  }
};

} // namespace goza
