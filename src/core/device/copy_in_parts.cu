#include "copy_in_parts.hpp"
#include "cuda_check.hpp"
#include <algorithm>
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
constexpr std::size_t least_part = 4 << 20;
constexpr unsigned    most_parts = 4;

/* On a stream of its own, after `ready`. */
static cudaError_t copy_part(int device, cudaEvent_t ready, char *dst, const char *src, std::size_t bytes)
{
  cudaStream_t stream;
  cudaError_t  err = cudaSetDevice(device);

  if (err == cudaSuccess) err = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (err != cudaSuccess) return err;
  err = cudaStreamWaitEvent(stream, ready, 0);
  if (err == cudaSuccess) err = cudaMemcpyAsync(dst, src, bytes, cudaMemcpyHostToDevice, stream);
  if (err == cudaSuccess) err = cudaStreamSynchronize(stream);
  (void)cudaStreamDestroy(stream);
  return err;
}

bool copy_in_parts(void *dst, const void *src, std::size_t bytes, void *stream)
{
  const std::size_t parts = std::min<std::size_t>({most_parts, std::thread::hardware_concurrency(), bytes / least_part}); // the cores that this process may use
  cudaPointerAttributes attributes;
  cudaEvent_t           ready;
  int                   device = 0;

  if (parts < 2) return false;
  if (cudaPointerGetAttributes(&attributes, src) != cudaSuccess || attributes.type != cudaMemoryTypeUnregistered) {
    (void)cudaGetLastError();
    return false;
  }
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming), "cudaEventCreate");
  std::vector<cudaError_t> error(parts, cudaSuccess);
  std::vector<std::thread> threads;

  error[0]        = cudaEventRecord(ready, static_cast<cudaStream_t>(stream));
  const auto part = [&](std::size_t k) {
    const std::size_t begin = bytes / parts * k, end = k + 1 < parts ? bytes / parts * (k + 1) : bytes;
    const cudaError_t err = copy_part(device, ready, static_cast<char *>(dst) + begin, static_cast<const char *>(src) + begin, end - begin);

    if (err != cudaSuccess) error[k] = err;
  };
  threads.reserve(parts);
  std::size_t others = 1;
  try {
    for (; others < parts; others++) threads.emplace_back(part, others);
  } catch (const std::system_error &) { // there are no more threads
  }
  part(0);
  for (; others < parts; others++) part(others);
  for (std::thread &t : threads) t.join();
  (void)cudaEventDestroy(ready);
  for (cudaError_t err : error) check(err, "cudaMemcpyAsync");
  return true;
}
#else
bool copy_in_parts(void *, const void *, std::size_t, void *)
{
  return false;
}
#endif

} // namespace device
} // namespace goza
