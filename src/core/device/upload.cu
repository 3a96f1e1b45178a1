#include "upload.hpp"
#include "cuda_check.hpp"
#include "refused_memory.hpp"
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__CUDACC__)
  #include <cuda_runtime.h>
#endif

namespace goza
{
namespace device
{

#if defined(__CUDACC__)
constexpr std::size_t chunk = 512 * 1024, least = 4 << 20;
constexpr unsigned    most_threads = 4, turns = 2; // of each thread's memory: one is filled while the device reads the other

/* What all threads copy through, kept for the next time. */
static struct {
  char      *memory = nullptr;
  std::mutex in_use;
  bool       refused = false;
} staged;

struct Upload {
  int                      device;
  char                    *to;
  const char              *from;
  std::size_t              bytes;
  cudaStream_t             stream;
  std::atomic<std::size_t> next{0}; // chunk

  cudaError_t run(char *memory)
  {
    std::array<cudaEvent_t, turns> read{};
    cudaError_t                    err = cudaSetDevice(device);

    for (cudaEvent_t &event : read) err = err == cudaSuccess ? cudaEventCreateWithFlags(&event, cudaEventDisableTiming) : err;
    for (std::size_t turn = 0; err == cudaSuccess; turn = (turn + 1) % turns) {
      const std::size_t at = next++ * chunk;

      if (at >= bytes) break;
      const std::size_t n      = std::min(chunk, bytes - at);
      char *const       middle = memory + turn * chunk;

      err = cudaEventSynchronize(read[turn]); // at once where nothing was recorded
      if (err != cudaSuccess) break;
      std::memcpy(middle, from + at, n);
      err = cudaMemcpyAsync(to + at, middle, n, cudaMemcpyHostToDevice, stream);
      if (err == cudaSuccess) err = cudaEventRecord(read[turn], stream);
    }
    for (cudaEvent_t event : read) {
      if (event) (void)cudaEventDestroy(event);
    }
    return err;
  }
};

static bool hold_memory()
{
  if (!staged.memory && !staged.refused && (memory_refused(chunk) || cudaMallocHost(reinterpret_cast<void **>(&staged.memory), most_threads * turns * chunk) != cudaSuccess)) {
    (void)cudaGetLastError();
    staged.memory  = nullptr;
    staged.refused = true;
  }
  return !staged.refused;
}

bool upload(void *dst, const void *src, std::size_t bytes, void *stream)
{
  const unsigned        threads = std::min(most_threads, std::thread::hardware_concurrency()); // of the cores that this process may use
  cudaPointerAttributes attributes;
  int                   device = 0;

  if (bytes < least || threads < 2 || !staged.in_use.try_lock()) return false;
  std::lock_guard<std::mutex> lock(staged.in_use, std::adopt_lock);
  const bool                  pageable = cudaPointerGetAttributes(&attributes, src) == cudaSuccess && attributes.type == cudaMemoryTypeUnregistered;

  (void)cudaGetLastError();
  if (!pageable || !hold_memory()) return false;
  check(cudaGetDevice(&device), "cudaGetDevice");
  Upload                                all{device, static_cast<char *>(dst), static_cast<const char *>(src), bytes, static_cast<cudaStream_t>(stream)};
  std::array<cudaError_t, most_threads> error{};
  std::vector<std::thread>              others;

  others.reserve(threads - 1);
  try {
    for (unsigned t = 1; t < threads; t++) others.emplace_back([&all, &error, t] { error[t] = all.run(staged.memory + t * turns * chunk); });
  } catch (const std::system_error &) { // there are no more threads
  }
  error[0] = all.run(staged.memory);
  for (std::thread &t : others) t.join();
  const cudaError_t done = cudaStreamSynchronize(all.stream); // the memory is free again, whatever has failed

  for (cudaError_t err : error) check(err, "cudaMemcpyAsync");
  check(done, "cudaStreamSynchronize");
  return true;
}
#else
bool upload(void *, const void *, std::size_t, void *)
{
  return false;
}
#endif

} // namespace device
} // namespace goza
