/* For .cu files: what the CUDA runtime says becomes an exception. */
#pragma once
#include "device.hpp"

namespace goza {

#if defined(__CUDACC__)
inline void check(cudaError_t err, const char *what)
{
  if (err == cudaSuccess) return;
  (void)cudaGetLastError(); // an error that is not sticky must not surface in a later, innocent call
  throw DeviceError(std::string(what) + ": " + cudaGetErrorString(err));
}
#endif

} // namespace goza
