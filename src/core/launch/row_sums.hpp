/* Sums over all rows of what a body makes of each, several at once, without arrays between: the same in every run. */
#pragma once
#include "for_each_row.hpp"

namespace goza
{

struct Plus {
  template <class V> HD static V nothing() { return 0; }
  template <class V> HD static V join(V a, V b) { return a + b; }
};

struct Most { // of numbers that are not negative
  template <class V> HD static V nothing() { return 0; }
  template <class V> HD static V join(V a, V b) { return a > b ? a : b; }
};

#if defined(__CUDACC__)
constexpr int sum_threads = 512, sum_each = 8, most_sum_blocks = 1024, full_sum_blocks = 512; // sum_each: rows to a thread when there are full_sum_blocks, which fill a device

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

template <class Join, int K, class V, class Body>
__global__ void __launch_bounds__(sum_threads) SumRowsKernel(PetscInt n, const __grid_constant__ Body body, V *part)
{
  V mine[K];

  for (V &m : mine) m = Join::template nothing<V>();
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * sum_threads + threadIdx.x; row < n; row += static_cast<std::int64_t>(gridDim.x) * sum_threads)
    body(static_cast<PetscInt>(row), mine);
  join_block<Join, K>(mine, part + blockIdx.x, gridDim.x);
}

template <class Join, class V> __global__ void __launch_bounds__(sum_threads) JoinPartsKernel(int nparts, const V *part, V *result)
{
  V mine = Join::template nothing<V>();

  for (int p = threadIdx.x; p < nparts; p += sum_threads) mine = Join::join(mine, part[static_cast<std::size_t>(blockIdx.x) * nparts + p]);
  join_block<Join, 1>(&mine, result + blockIdx.x, 1);
}
#endif

/* result[0 .. K-1], in the space: body(row, V *mine) joins a row's share to mine[0 .. K-1]. Nothing waits for it. */
template <class Join, int K, class V, class Body> void join_rows(Space space, PetscInt n, const Body &body, V *result)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    const unsigned blocks = sum_blocks<Body>(n);
    Array<V>       part(space, blocks > 1 ? static_cast<std::size_t>(K) * blocks : 0);

    launch_kernel<SumRowsKernel<Join, K, V, Body>>(blocks, sum_threads, n, body, blocks > 1 ? part.data() : result);
    if (blocks > 1) launch_kernel<JoinPartsKernel<Join, V>>(K, sum_threads, static_cast<int>(blocks), static_cast<const V *>(part.data()), result);
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
