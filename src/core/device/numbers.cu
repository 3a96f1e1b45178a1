#include "numbers.hpp"
#include "launch_kernel.hpp"
#include "properties.hpp"
#include "recording.hpp"
#include "scalars.hpp"
#include "told.hpp"
#include <cstdint>
#include <cstring>
#include <thread>

namespace goza::device {

#if defined(__CUDACC__)

constexpr std::size_t few_bytes       = 64 * 1024;
constexpr int         numbers_threads = 256;

/* Pinned memory of the host, which a kernel writes. */
struct PinnedBuffer {
  alignas(8) unsigned words[few_bytes / sizeof(unsigned)];
  volatile unsigned number; // of what is there, counted from the first on
};

/* One block. That it is launched and its number seen takes half as long as a copy and the stream's end. */
__global__ static void __launch_bounds__(numbers_threads) NumbersKernel(const void *from, unsigned bytes, PinnedBuffer *pinned, unsigned number)
{
  const unsigned words = reinterpret_cast<std::uintptr_t>(from) % sizeof(unsigned) ? 0 : bytes / sizeof(unsigned);

  for (unsigned k = threadIdx.x; k < words; k += numbers_threads) pinned->words[k] = static_cast<const unsigned *>(from)[k];
  for (unsigned b = words * sizeof(unsigned) + threadIdx.x; b < bytes; b += numbers_threads)
    reinterpret_cast<char *>(pinned->words)[b] = static_cast<const char *>(from)[b];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) pinned->number = number;
}

static struct {
  PinnedBuffer *pinned = nullptr;
  unsigned      sent   = 0;
  std::mutex    in_use;
  bool          refused = false;
} numbers;

/* Whoever asks has locked them. */
static bool room_for_numbers() noexcept
{
  if (!numbers.pinned && !numbers.refused) {
    numbers.refused = cudaMallocHost(reinterpret_cast<void **>(&numbers.pinned), sizeof(PinnedBuffer)) != cudaSuccess;
    if (numbers.refused) {
      (void)cudaGetLastError();
      numbers.pinned = nullptr;
    } else numbers.pinned->number = 0;
  }
  return numbers.pinned;
}

void prepare_numbers() noexcept
{
  if (const std::unique_lock<std::mutex> lock(numbers.in_use, std::try_to_lock); lock) (void)room_for_numbers();
}

/* Until that many are sent. Whoever asks has locked them. */
static void wait_for_number(unsigned number)
{
  PinnedBuffer *const pinned = numbers.pinned;

  for (unsigned polls = 1; pinned->number != number; polls++) {
    if (polls % 1024) continue;
    if (!busy() && pinned->number != number) throw DeviceError("the device is done and has not sent its numbers");
    std::this_thread::yield();
  }
  std::atomic_thread_fence(std::memory_order_acquire);
}

bool copy_numbers(void *dst, const void *src, std::size_t bytes)
{
  if (bytes > few_bytes || !numbers.in_use.try_lock()) return false;
  std::lock_guard<std::mutex> lock(numbers.in_use, std::adopt_lock);

  if (!room_for_numbers()) return false;
  launch_kernel<NumbersKernel>(1, numbers_threads, src, static_cast<unsigned>(bytes), numbers.pinned, ++numbers.sent);
  wait_for_number(numbers.sent);
  std::memcpy(dst, numbers.pinned->words, bytes);
  return true;
}

Told::Told(std::size_t bytes) : bytes_(bytes)
{
  if (bytes > few_bytes || recording()) return;
  lock_ = std::unique_lock<std::mutex>(numbers.in_use, std::try_to_lock);
  if (lock_ && room_for_numbers()) at_ = {numbers.pinned->words, &numbers.pinned->number, ++numbers.sent};
}

void Told::wait(void *to) const
{
  wait_for_number(at_.value);
  note_wait();
  std::memcpy(to, at_.words, bytes_);
}

#endif

} // namespace goza::device
