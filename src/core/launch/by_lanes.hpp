/* Rows that a warp each takes on the device, and one thread on the host, by one body: `HD void operator()(PetscInt row, int lane, int lanes) const` does what falls to one
   of so many lanes of the row. For .cu files. */
#pragma once
#include "for_each_row.hpp"

namespace goza
{

template <class Body> struct ByLanes {
  Body body;

  HD void operator()(PetscInt row) const { body(row, 0, 1); }
#if defined(__CUDACC__)
  __device__ void operator()(PetscInt row, int lane) const
  {
    body(row, lane, 32);
  }
#endif
};

template <class Body> void for_each_row_by_lanes(Space space, PetscInt n, const Body &body)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    for_each_warp(n, ByLanes<Body>{body});
    return;
  }
#endif
  for_each_row(space, n, ByLanes<Body>{body});
}

/* Whether it holds in all lanes of a row: each of them asks, with its own part of the answer. */
HD inline bool in_all_lanes(bool holds, [[maybe_unused]] int lanes)
{
#if defined(__CUDA_ARCH__)
  if (lanes > 1) return __all_sync(0xffffffffu, holds);
#endif
  return holds;
}

/* In how many of a row's lanes before this one it holds; all: in how many of them. */
HD inline int lanes_before(bool holds, [[maybe_unused]] int lane, [[maybe_unused]] int lanes, int *all)
{
#if defined(__CUDA_ARCH__)
  if (lanes > 1) {
    const unsigned where = __ballot_sync(0xffffffffu, holds);

    *all = __popc(where);
    return __popc(where & ((1u << lane) - 1));
  }
#endif
  *all = holds;
  return 0;
}

/* What all lanes of a row have, added up: each of them gets it. */
template <class V> HD inline V sum_of_lanes(V value, [[maybe_unused]] int lanes)
{
#if defined(__CUDA_ARCH__)
  if (lanes > 1) return sum_lanes(value, 1);
#endif
  return value;
}

/* The most that a lane of a row has: each of them gets it. */
template <class V> HD inline V most_of_lanes(V value, [[maybe_unused]] int lanes)
{
#if defined(__CUDA_ARCH__)
  for (int offset = 1; offset < lanes; offset <<= 1) {
    const V other = __shfl_xor_sync(0xffffffffu, value, offset);

    value = other > value ? other : value;
  }
#endif
  return value;
}

/* What each of a row's lanes has written is there for all of them. */
HD inline void wait_for_lanes([[maybe_unused]] int lanes)
{
#if defined(__CUDA_ARCH__)
  if (lanes > 1) __syncwarp();
#endif
}

} // namespace goza
