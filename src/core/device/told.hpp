/* A few numbers that a kernel tells the host itself: whoever waits for them needs no kernel more that copies them. */
#pragma once
#include <cstddef>
#include <mutex>

namespace goza::device {

/* Where a kernel writes them, and then the number that the host waits for. */
struct ToldAt {
  void              *words  = nullptr; // in pinned memory; null: nobody is told
  volatile unsigned *number = nullptr;
  unsigned           value  = 0;
};

#if defined(__CUDACC__)
/* All threads of a block come here, of which some have written words. */
__device__ inline void tell(const ToldAt &to)
{
  if (!to.number) return;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *to.number = to.value;
}
#endif

/* For one kernel, which is launched before wait(). */
class Told {
public:
  explicit Told(std::size_t bytes);

  /* Whether there is room for them: else they are many, or another thread's are on their way, or work is being recorded. */
  bool there() const { return at_.words; }

  ToldAt at() const { return at_; }
  void   wait(void *to) const;

private:
  std::unique_lock<std::mutex> lock_;
  std::size_t                  bytes_;
  ToldAt                       at_;
};

} // namespace goza::device
