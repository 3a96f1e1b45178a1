/* Sums over all rows of what a body makes of each, several at once, without arrays between: the same in every run. */
#pragma once
#include "core/device/tickets.hpp"
#include "core/device/told.hpp"
#include "for_each_row.hpp"

namespace goza {

struct Plus {
  template <class V> HD static V nothing() { return 0; }
  template <class V> HD static V join(V a, V b) { return a + b; }
};

struct Most { // of numbers that are not negative
  template <class V> HD static V nothing() { return 0; }
  template <class V> HD static V join(V a, V b) { return a > b ? a : b; }
};

#if defined(__CUDACC__)
// sum_each: rows to a thread when there are full_sum_blocks, which fill a device
constexpr int sum_threads = 512, sum_each = 8, most_sum_blocks = 1024, full_sum_blocks = 512;

/* A body that walks along its row says so: then there is more than one block for few rows, too. */
template <class Body, class = void> constexpr bool walks                                                     = false;
template <class Body> constexpr bool               walks<Body, std::void_t<decltype(Body::walks_along_row)>> = true;

template <class Body> unsigned sum_blocks(PetscInt n)
{
  if (n <= sum_threads || (n <= sum_threads * sum_each && !walks<Body>)) return 1;
  return std::clamp(blocks_for(n, sum_threads * sum_each), std::min<unsigned>(blocks_for(n, sum_threads), full_sum_blocks), unsigned(most_sum_blocks));
}

/* result[k * stride] from the K values of each thread. */
template <class Join, int K, int threads = sum_threads, class V> __device__ void join_block(V *mine, V *result, std::size_t stride)
{
  __shared__ V warps[K][threads / 32];

  for (int k = 0; k < K; k++) {
    for (int d = 16; d > 0; d /= 2) mine[k] = Join::join(mine[k], __shfl_down_sync(0xffffffffu, mine[k], d));
    if (threadIdx.x % 32 == 0) warps[k][threadIdx.x / 32] = mine[k];
  }
  __syncthreads();
  if (threadIdx.x >= K) return;
  V all = warps[threadIdx.x][0];

  for (int w = 1; w < threads / 32; w++) all = Join::join(all, warps[threadIdx.x][w]);
  result[threadIdx.x * stride] = all;
}

/* What another block of the same kernel has written. */
template <class V> __device__ V fresh(const V *p)
{
  #if defined(__CUDA_ARCH__)
  return load_by(p, [](const auto *q) { return __ldcg(q); });
  #else
  return *p;
  #endif
}

/* Where the blocks of a grid leave what they have, and what all have together goes. */
template <class V> struct GridSum {
  V             *part;   // [K][blocks], where there are several blocks
  unsigned      *ticket; // 0 before and after
  V             *result; // [K]
  device::ToldAt told{}; // where the host waits for the result
};

/* join_block() for all blocks of a grid: the one that is the last to leave its part joins them, in their order. */
template <class Join, int K, int threads = sum_threads, class V> __device__ void join_grid(V *mine, const GridSum<V> &sum)
{
  __shared__ bool last;

  #pragma unroll 1
  for (bool parts = gridDim.x > 1;; parts = false) { // the code of join_block() once
    join_block<Join, K, threads>(mine, parts ? sum.part + blockIdx.x : sum.result, parts ? gridDim.x : 1);
    if (!parts) {
      device::tell(sum.told);
      return;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(sum.ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int k = 0; k < K; k++) mine[k] = Join::template nothing<V>();
  #pragma unroll 1
    for (unsigned block = threadIdx.x; block < gridDim.x; block += threads)
      for (int k = 0; k < K; k++) mine[k] = Join::join(mine[k], fresh(sum.part + static_cast<std::size_t>(k) * gridDim.x + block));
  }
}

template <class Join, int K, class V, class Body>
__global__ void __launch_bounds__(sum_threads, 2) SumRowsKernel(PetscInt n, const __grid_constant__ Body body, GridSum<V> sum)
{
  V mine[K];

  for (V &m : mine) m = Join::template nothing<V>();
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * sum_threads + threadIdx.x; row < n; row += static_cast<std::int64_t>(gridDim.x) * sum_threads)
    body(static_cast<PetscInt>(row), mine);
  join_grid<Join, K>(mine, sum);
}

/* The same for parts that other kernels left. */
template <class Join, int K, class V> __global__ void __launch_bounds__(sum_threads) JoinPartsKernel(int nparts, const V *part, V *result, device::ToldAt told)
{
  V mine[K];

  for (int k = 0; k < K; k++) {
    mine[k] = Join::template nothing<V>();
    for (int p = threadIdx.x; p < nparts; p += sum_threads) mine[k] = Join::join(mine[k], part[static_cast<std::size_t>(k) * nparts + p]);
  }
  join_block<Join, K>(mine, result, 1);
  device::tell(told);
}
#endif

/* result[0 .. K-1], in the space: body(row, V *mine) joins a row's share to mine[0 .. K-1]. Nothing waits for it, but who is told of it. */
template <class Join, int K, class V, class Body>
void join_rows(Space space, PetscInt n, const Body &body, V *result, [[maybe_unused]] const device::ToldAt &told = {})
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    const unsigned blocks = sum_blocks<Body>(n);
    Array<V>       part(space, blocks > 1 ? static_cast<std::size_t>(K) * blocks : 0);

    launch_kernel<SumRowsKernel<Join, K, V, Body>>(blocks, sum_threads, n, body, GridSum<V>{part.data(), device::ticket(), result, told});
    return;
  }
#endif
  (void)space;
  V mine[K];

  for (V &m : mine) m = Join::template nothing<V>();
  for (PetscInt row = 0; row < n; row++) body(row, mine);
  std::copy(mine, mine + K, result);
}

} // namespace goza
