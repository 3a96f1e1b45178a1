/* What a body finds of each row, summed up over the rows before it, and other sums over all rows: on a device in one kernel. For .cu files. */
#pragma once
#include "core/device/array.hpp"
#include "core/device/whole_grid.hpp"
#include "joined_rows.hpp"
#include "scan_block.hpp"
#include <numeric>
#include <vector>

#if defined(__CUDACC__)
  #include <cooperative_groups.h>
#endif

namespace goza {

#if defined(__CUDACC__)
constexpr int scan_threads = 256;

/* A block takes a run of rows. part: [blocks][1 + K] of all blocks, the sums of found[] and what else is summed up; sums: [K] */
template <int K, class Body>
__global__ void __launch_bounds__(scan_threads, 2)
  ScanRowsKernel(PetscInt n, const __grid_constant__ Body body, std::int64_t *found, std::int64_t *part, std::int64_t *sums, device::ToldAt told)
{
  const std::int64_t each = (n + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * each, end = begin + each < n ? begin + each : n;
  std::int64_t       mine[1 + K] = {};

  for (std::int64_t row = begin + threadIdx.x; row < end; row += scan_threads) mine[0] += found[row] = body(static_cast<PetscInt>(row), mine + 1);
  for (int k = 0; k <= K; k++) {
    const std::int64_t all = scan_block<scan_threads>(mine + k);

    if (threadIdx.x == 0) part[blockIdx.x * (1 + K) + k] = all;
  }
  cooperative_groups::this_grid().sync();
  std::int64_t before = 0;

  for (unsigned block = threadIdx.x; block < blockIdx.x; block += scan_threads) before += part[block * (1 + K)];
  before = scan_block<scan_threads>(&before);
  for (std::int64_t from = begin; from < end; from += scan_threads) {
    const std::int64_t row = from + threadIdx.x;
    std::int64_t       at  = row < end ? found[row] : 0;
    const std::int64_t all = scan_block<scan_threads>(&at);

    if (row < end) found[row] = before + at;
    before += all;
  }
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) found[n] = before;
  if (blockIdx.x) return;
  for (int k = 0; k < K; k++) {
    std::int64_t all = 0;

    for (unsigned block = threadIdx.x; block < gridDim.x; block += scan_threads) all += part[block * (1 + K) + 1 + k];
    all = scan_block<scan_threads>(&all);
    if (threadIdx.x == 0) sums[k] = all;
  }
  device::tell(told);
}
#endif

/* found[0 .. n]: of body(row, sums), which returns what it finds of a row and adds to K sums, those of the rows before. Returns the sums, for which the host
   waits. */
template <int K, class Body> std::vector<std::int64_t> scanned_rows(Space space, PetscInt n, const Body &body, std::int64_t *found)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    constexpr unsigned  most_blocks = 512;
    const unsigned      blocks      = PetscMin(PetscMax(blocks_for(n, scan_threads), 1u), most_blocks);
    Array<std::int64_t> part(space, static_cast<std::size_t>(blocks) * (1 + K), unset);

    return told_values<std::int64_t>(space, K, [&](std::int64_t *sums, const device::ToldAt &told) {
      launch_whole_grid<ScanRowsKernel<K, Body>>(blocks, scan_threads, n, body, found, part.data(), sums, told);
    });
  }
#endif
  (void)space;
  std::vector<std::int64_t> sums(K, 0);

  for (PetscInt row = 0; row < n; row++) found[row] = body(row, sums.data());
  found[n] = 0;
  std::exclusive_scan(found, found + n + 1, found, std::int64_t(0));
  return sums;
}

} // namespace goza
