/* All rounds of an independent set in one kernel, where a device has all nodes. For .cu files. */
#pragma once
#include "aggregate_rows.hpp"

#if defined(__CUDACC__)
  #include <cooperative_groups.h>

namespace goza::saamg {

constexpr int at_once_threads = 256, rounds_kept = 3;

/* What maximal_independent_set() makes of key and largest. Its lists of nodes are here what the last round left of largest and key. open: of three rounds in
   turn, whether a node still is. Key is there for all blocks, and so is what comes out. */
template <int lanes> __device__ void all_rounds(PetscInt n, Edges edges, Key *key, Key *largest, volatile unsigned *open)
{
  const auto         grid  = cooperative_groups::this_grid();
  const int          lane  = threadIdx.x % lanes;
  const std::int64_t begin = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / lanes, all = gridDim.x * (blockDim.x / lanes);
  const Decide       decide{edges, largest, key};

  if (blockIdx.x == 0 && threadIdx.x < rounds_kept) open[threadIdx.x] = 0;
  for (unsigned round = 0;; round++) {
    const MaxOfNeighbours look_around{round == 0, edges, key, largest};
    bool                  stays = false;

    for (std::int64_t i = begin; i < n; i += all)
      if (round == 0 || is_undecided(largest[i])) look_around(static_cast<PetscInt>(i), lane, lanes);
    grid.sync();
    if (round && !open[(round - 1) % rounds_kept]) return;
    for (std::int64_t i = begin; i < n; i += all) stays = decide(static_cast<PetscInt>(i), lane, lanes) || stays;
    if (blockIdx.x == 0 && threadIdx.x == 0) open[(round + 1) % rounds_kept] = 0;
    if (__syncthreads_or(stays) && threadIdx.x == 0) open[round % rounds_kept] = 1;
    grid.sync();
  }
}

} // namespace goza::saamg
#endif
