#include "properties.hpp"
#include "device.hpp"
#if defined(__CUDACC__)
  #include <cuda_runtime.h>
#endif

namespace goza
{
namespace device
{

#if defined(__CUDACC__)
std::string name()
{
  int            id = 0;
  cudaDeviceProp prop;

  if (!available() || cudaGetDevice(&id) != cudaSuccess || cudaGetDeviceProperties(&prop, id) != cudaSuccess) return "none";
  return prop.name;
}

int shared_memory()
{
  int id = 0, bytes = 0;

  if (!available() || cudaGetDevice(&id) != cudaSuccess || cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, id) != cudaSuccess)
    return 0;
  return bytes;
}
#else
std::string name()
{
  return "none";
}

int shared_memory()
{
  return 0;
}
#endif

} // namespace device
} // namespace goza
