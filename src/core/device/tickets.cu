#include "tickets.hpp"
#include "cuda_check.hpp"
#if defined(__CUDACC__)
  #include <cuda_runtime.h>
  #include <map>
  #include <mutex>
#endif

namespace goza::device {

#if defined(__CUDACC__)
constexpr unsigned count = 1024;

__device__ unsigned tickets[count];

unsigned *ticket()
{
  static std::mutex                 guard;
  static std::map<int, unsigned *>  known; // by devices
  static unsigned                   next = 0;
  const std::lock_guard<std::mutex> lock(guard);
  int                               id   = 0;
  void                             *here = nullptr;

  check(cudaGetDevice(&id), "cudaGetDevice");
  unsigned *&first = known[id];
  if (!first) {
    check(cudaGetSymbolAddress(&here, tickets), "cudaGetSymbolAddress");
    first = static_cast<unsigned *>(here);
  }
  return first + next++ % count;
}
#else
unsigned *ticket() { return nullptr; }
#endif

} // namespace goza::device
