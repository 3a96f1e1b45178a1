#include "device_seconds.hpp"
#include "array.hpp"
#include "cuda_check.hpp"
#include "launch_kernel.hpp"

#if defined(__CUDACC__)
  #include <cuda_runtime.h>
#endif

namespace goza::device {

#if defined(__CUDACC__)

/* Keeps the stream from going on until *go; or for as long as the launches may take, should work() wait for the device against all advice. */
__global__ static void GozaHold(const volatile int *go)
{
  constexpr long long longest = 20 * 1000 * 1000; // ns
  long long           begin, now;

  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (!*go && now - begin < longest);
}

namespace {

struct Hold {
  volatile int *go    = static_cast<int *>(allocate_pinned(sizeof(int)));
  cudaEvent_t   begun = nullptr, ended = nullptr;

  Hold()
  {
    check(cudaEventCreate(&begun), "cudaEventCreate");
    check(cudaEventCreate(&ended), "cudaEventCreate");
  }
};

/* Lets the stream go on, whatever has been thrown. */
struct Release {
  volatile int *go;

  ~Release() { *go = 1; }
};

} // namespace

double seconds_of(const std::function<void()> &work)
{
  static const Hold hold;
  const auto        at           = static_cast<cudaStream_t>(stream());
  float             milliseconds = 0;

  *hold.go = 0;
  {
    const Release release{hold.go};

    launch_kernel<GozaHold>(1, 1, hold.go);
    check(cudaEventRecord(hold.begun, at), "cudaEventRecord");
    work();
    check(cudaEventRecord(hold.ended, at), "cudaEventRecord");
  }
  check(cudaEventSynchronize(hold.ended), "cudaEventSynchronize");
  check(cudaEventElapsedTime(&milliseconds, hold.begun, hold.ended), "cudaEventElapsedTime");
  return 1e-3 * milliseconds;
}

/* Writes nothing, whatever is there: lines that were written would stay in the cache for long, at the cost of what is read after them. */
__global__ static void GozaRead(const int4 *p, std::size_t n, int *never)
{
  int all = -1;

  for (std::size_t k = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; k < n; k += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    all &= p[k].x | p[k].w;
  if (all == 0x5eed5eed && never) *never = all;
}

void clear_caches()
{
  int         id = 0, bytes = 0;
  Array<int4> other(Space::Cuda);

  check(cudaGetDevice(&id), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, id), "cudaDeviceGetAttribute");
  try {
    other = Array<int4>(Space::Cuda, 2 * static_cast<std::size_t>(bytes) / sizeof(int4));
  } catch (const DeviceMemoryError &) {
    return;
  }
  for (int pass = 0; pass < 2; pass++) launch_kernel<GozaRead>(4 * multiprocessors(), 256, other.data(), other.size(), static_cast<int *>(nullptr));
}

#else

double seconds_of(const std::function<void()> &) { throw DeviceError("this libgoza was built without CUDA"); }

void clear_caches() { }

#endif

} // namespace goza::device
