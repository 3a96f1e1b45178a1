#include "upload.hpp"
#include "cuda_check.hpp"
#include "refused_memory.hpp"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__CUDACC__)
  #include <cuda_runtime.h>
#endif

namespace goza::device {

#if defined(__CUDACC__)
constexpr std::size_t chunk = 1 << 20, least = 4 << 20;
constexpr std::size_t buffers      = 8; // some are filled while the device reads others
constexpr unsigned    most_fillers = 4, least_cores = 3;

/* What is copied through, kept for the next time. */
static struct {
  char      *memory = nullptr;
  std::mutex in_use;
  bool       refused = false;
} staged;

/* Threads fill buffers, each with the next chunk, as soon as the device has read what was there before; they call nothing of CUDA, whose first call in a thread
   takes a while. */
struct Fillers {
  const char              *from;
  std::size_t              bytes, chunks = (bytes + chunk - 1) / chunk;
  std::atomic<std::size_t> next{0}, read{0}; // chunks that are taken; that the device has read
  std::atomic<bool>        stop{false};
  std::vector<std::thread> threads;

  std::array<std::atomic<std::size_t>, buffers> filled{}; // 1 + the chunk that is there

  Fillers(const void *src, std::size_t n) : from(static_cast<const char *>(src)), bytes(n) { }
  ~Fillers()
  {
    stop = true;
    for (std::thread &t : threads) t.join();
  }
  static char *buffer(std::size_t c) { return staged.memory + c % buffers * chunk; }
  std::size_t  length(std::size_t c) const { return std::min(chunk, bytes - c * chunk); }

  bool start(unsigned n)
  {
    threads.reserve(n);
    try {
      while (threads.size() < n) threads.emplace_back([this] { fill(); });
    } catch (const std::system_error &) { // there are no more
    }
    return !threads.empty();
  }
  void wait_for(std::size_t c) const
  {
    while (filled[c % buffers].load(std::memory_order_acquire) != c + 1) std::this_thread::yield();
  }

private:
  void fill()
  {
    for (std::size_t c = next++; c < chunks; c = next++) {
      while (c >= read.load(std::memory_order_acquire) + buffers) {
        if (stop) return;
        std::this_thread::yield();
      }
      std::memcpy(buffer(c), from + c * chunk, length(c));
      filled[c % buffers].store(c + 1, std::memory_order_release);
    }
  }
};

/* Each buffer is sent when it is full, and is free again when its event has passed. */
static cudaError_t send(Fillers &from, char *to, const std::array<cudaEvent_t, buffers> &sent, cudaStream_t stream)
{
  cudaError_t err  = cudaSuccess;
  std::size_t read = 0;

  for (std::size_t c = 0; c < from.chunks && err == cudaSuccess; c++) {
    from.wait_for(c);
    err = cudaMemcpyAsync(to + c * chunk, Fillers::buffer(c), from.length(c), cudaMemcpyHostToDevice, stream);
    if (err == cudaSuccess) err = cudaEventRecord(sent[c % buffers], stream);
    for (; err == cudaSuccess && read <= c; read++) {
      const cudaError_t state = c - read >= buffers / 2 ? cudaEventSynchronize(sent[read % buffers]) : cudaEventQuery(sent[read % buffers]);

      if (state == cudaErrorNotReady) break;
      err = state;
    }
    from.read.store(read, std::memory_order_release);
  }
  return err;
}

static bool hold_memory()
{
  if (!staged.memory && !staged.refused &&
      (memory_refused(chunk) || cudaMallocHost(reinterpret_cast<void **>(&staged.memory), buffers * chunk) != cudaSuccess)) {
    staged.memory  = nullptr;
    staged.refused = true;
  }
  return !staged.refused;
}

void prepare_upload() noexcept
{
  if (std::thread::hardware_concurrency() < least_cores) return;
  if (const std::unique_lock<std::mutex> lock(staged.in_use, std::try_to_lock); lock) (void)hold_memory();
}

bool upload(void *dst, const void *src, std::size_t bytes, void *stream)
{
  const unsigned                   cores = std::thread::hardware_concurrency(); // that this process may use
  const auto                       on    = static_cast<cudaStream_t>(stream);
  cudaPointerAttributes            attributes;
  std::array<cudaEvent_t, buffers> sent{};
  cudaError_t                      err = cudaSuccess;

  if (bytes < least || cores < least_cores || !staged.in_use.try_lock()) return false;
  std::lock_guard<std::mutex> lock(staged.in_use, std::adopt_lock);
  const bool                  pageable = cudaPointerGetAttributes(&attributes, src) == cudaSuccess && attributes.type == cudaMemoryTypeUnregistered,
             held                      = pageable && hold_memory();
  Fillers fillers(src, bytes);

  (void)cudaGetLastError();
  if (!held || !fillers.start(std::min(most_fillers, cores - 1))) return false;
  for (cudaEvent_t &event : sent) err = err == cudaSuccess ? cudaEventCreateWithFlags(&event, cudaEventDisableTiming) : err;
  if (err == cudaSuccess) err = send(fillers, static_cast<char *>(dst), sent, on);
  const cudaError_t done = cudaStreamSynchronize(on); // the buffers are free again, whatever has failed

  for (cudaEvent_t event : sent)
    if (event) (void)cudaEventDestroy(event);
  (void)cudaGetLastError(); // an event was asked for too early
  check(err, "cudaMemcpyAsync");
  check(done, "cudaStreamSynchronize");
  return true;
}
#else
bool upload(void *, const void *, std::size_t, void *) { return false; }
void prepare_upload() noexcept { }
#endif

} // namespace goza::device
