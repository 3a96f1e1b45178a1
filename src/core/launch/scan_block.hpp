/* Sums over the threads of a block before each of them. For .cu files. */
#pragma once
#include "core/device/space.hpp"

#if defined(__CUDACC__)
namespace goza {

/* The sum of what the threads have; all of them get it, and in *mine what those before have. */
template <int threads, class V> __device__ V scan_block(V *mine)
{
  __shared__ V of_warp[threads / 32];
  const int    lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  V            sum = *mine, before = 0, all = 0;

  for (int d = 1; d < 32; d *= 2) {
    const V other = __shfl_up_sync(0xffffffffu, sum, d);

    if (lane >= d) sum += other;
  }
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  for (int w = 0; w < threads / 32; w++) {
    if (w < warp) before += of_warp[w];
    all += of_warp[w];
  }
  __syncthreads(); // of_warp may be written again
  *mine = before + sum - *mine;
  return all;
}

} // namespace goza
#endif
