/* Rows that a warp each takes on the device, and one thread on the host, by one body: `HD void operator()(PetscInt row, int lane, int lanes) const` does what
   falls to one of so many lanes of the row. For .cu files. */
#pragma once
#include "for_each_row.hpp"

namespace goza {

template <class Body> struct ByLanes {
  Body body;

  HD void operator()(PetscInt row) const { body(row, 0, 1); }
#if defined(__CUDACC__)
  __device__ void operator()(PetscInt row, int lane) const { body(row, lane, 32); }
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
  for_each_row_on_host(space, n, ByLanes<Body>{body});
}

/* The same with fewer lanes a row, several rows a warp: for rows of some entries, which a thread each would read and write a row's length apart. */
constexpr int few_lanes = 8;

#if defined(__CUDACC__)
template <class Body> __device__ void by_few_lanes(PetscInt group, int lane, const Body &body, PetscInt n)
{
  const std::int64_t row = static_cast<std::int64_t>(group) * (32 / few_lanes) + lane / few_lanes;

  if (row < n) body(static_cast<PetscInt>(row), lane % few_lanes, few_lanes);
}
#endif

template <class Body> void for_each_row_by_few_lanes(Space space, PetscInt n, const Body &body)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    constexpr int rows = 32 / few_lanes;

    for_each_warp(n / rows + (n % rows > 0), bound<by_few_lanes<Body>>(body, n));
    return;
  }
#endif
  for_each_row_on_host(space, n, ByLanes<Body>{body});
}

#if defined(__CUDACC__)
/* Those of the warp's lanes that have this one's row. */
__device__ inline unsigned lanes_of_row(int lanes) { return lanes == 32 ? 0xffffffffu : ((1u << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes); }
#endif

/* Whether it holds in all lanes of a row: each of them asks, with its own part of the answer. */
HD inline bool in_all_lanes(bool holds, [[maybe_unused]] int lanes)
{
#if defined(__CUDA_ARCH__)
  if (lanes > 1) return __all_sync(lanes_of_row(lanes), holds);
#endif
  return holds;
}

/* In how many of a row's lanes before this one it holds; all: in how many of them. */
HD inline int lanes_before(bool holds, [[maybe_unused]] int lanes, int *all)
{
#if defined(__CUDA_ARCH__)
  if (lanes > 1) {
    const unsigned where = __ballot_sync(lanes_of_row(lanes), holds);

    *all = __popc(where);
    return __popc(where & ((1u << threadIdx.x % 32) - 1));
  }
#endif
  *all = holds;
  return 0;
}

/* What all lanes of a row have, or those `apart` from one another, added up: each of them gets it. */
template <class V> HD inline V sum_of_lanes(V value, [[maybe_unused]] int lanes, [[maybe_unused]] int apart = 1)
{
#if defined(__CUDA_ARCH__)
  for (int offset = apart; offset < lanes; offset <<= 1) value += __shfl_xor_sync(lanes_of_row(lanes), value, offset);
#endif
  return value;
}

/* The bits that any lane of a row has: each of them gets them. */
HD inline std::uint64_t union_of_lanes(std::uint64_t bits, [[maybe_unused]] int lanes)
{
#if defined(__CUDA_ARCH__)
  for (int offset = 1; offset < lanes; offset <<= 1) bits |= __shfl_xor_sync(lanes_of_row(lanes), static_cast<unsigned long long>(bits), offset);
#endif
  return bits;
}

/* The most that a lane of a row has: each of them gets it. */
template <class V> HD inline V most_of_lanes(V value, [[maybe_unused]] int lanes)
{
#if defined(__CUDA_ARCH__)
  for (int offset = 1; offset < lanes; offset <<= 1) {
    const V other = __shfl_xor_sync(lanes_of_row(lanes), value, offset);

    value = other > value ? other : value;
  }
#endif
  return value;
}

/* What each of a row's lanes has written is there for all of them. */
HD inline void wait_for_lanes([[maybe_unused]] int lanes)
{
#if defined(__CUDA_ARCH__)
  if (lanes > 1) __syncwarp(lanes_of_row(lanes));
#endif
}

} // namespace goza
