/* Rounds over all rows in one kernel, where a device has all of them: body(row, lane, lanes) of each, by one lane or a warp, until a round in which none of
   them asks for another. Of a body that looks around, all rows do before each round, and after the last one. For .cu files. */
#pragma once
#include "by_lanes.hpp"

#if defined(__CUDACC__)
  #include <cooperative_groups.h>

namespace goza {

constexpr int rounds_threads = 256, rounds_kept = 3;

/* again: of three rounds in turn, whether there is another */
template <int lanes, class Body> __global__ void __launch_bounds__(rounds_threads) AllRoundsKernel(PetscInt n, Body body, volatile unsigned *again)
{
  const auto         grid  = cooperative_groups::this_grid();
  const int          lane  = threadIdx.x % lanes;
  const std::int64_t begin = (static_cast<std::int64_t>(blockIdx.x) * rounds_threads + threadIdx.x) / lanes, all = gridDim.x * (rounds_threads / lanes);
  const auto         look = [&](bool first) {
    if constexpr (Body::looks_around) {
      for (std::int64_t i = begin; i < n; i += all) body.look_around(static_cast<PetscInt>(i), first, lane, lanes);
    }
    if (Body::looks_around || first) grid.sync();
  };

  if (blockIdx.x == 0 && threadIdx.x < rounds_kept) again[threadIdx.x] = 0;
  look(true);
  for (unsigned round = 0;; round++) {
    bool asks = false;

    for (std::int64_t i = begin; i < n; i += all) asks = body(static_cast<PetscInt>(i), lane, lanes) || asks;
    if (blockIdx.x == 0 && threadIdx.x == 0) again[(round + 1) % rounds_kept] = 0;
    if (__syncthreads_or(asks) && threadIdx.x == 0) again[round % rounds_kept] = 1;
    grid.sync();
    const bool ends = !again[round % rounds_kept];

    look(false);
    if (ends) return;
  }
}

/* lanes a row: 1, few_lanes or warp_lanes */
template <class Body> void all_rounds(PetscInt n, int lanes, const Body &body)
{
  Array<unsigned> again(Space::Cuda, rounds_kept, unset);
  const auto      launch = [&](auto a_row) {
    launch_kernel<AllRoundsKernel<a_row(), Body>, Start::WholeGrid>(blocks_for(n, rounds_threads / a_row()), rounds_threads, n, body, again.data());
  };

  if (n && lanes == warp_lanes) launch(std::integral_constant<int, warp_lanes>());
  else if (n && lanes == few_lanes) launch(std::integral_constant<int, few_lanes>());
  else if (n) launch(std::integral_constant<int, 1>());
}

} // namespace goza
#endif
