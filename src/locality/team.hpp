/* Teams of threads that count together: a block of them on the device, one thread on the host, by one code. For .cu files. */
#pragma once
#include "core/launch/for_each_row.hpp"

namespace goza::locality {

constexpr int team_threads = 256, team_board = 8;

struct Team {
  int           rank, size; // this thread's, and of the team
  int           scratch;    // number of the memory that is the team's own: on the host, where one follows another, always 0
  std::int64_t *board;      // [team_board] that all of the team see; zero at the beginning

  HD void sync() const
  {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
};

/* *p of 4 or 8 bytes becomes *p + value, the larger, the smaller, or *p | value; returned is what it was. */
template <class T> HD inline T fetch_add(T *p, T value)
{
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) return static_cast<T>(atomicAdd(reinterpret_cast<unsigned long long *>(p), static_cast<unsigned long long>(value)));
  else return static_cast<T>(atomicAdd(reinterpret_cast<int *>(p), static_cast<int>(value)));
#else
  const T before = *p;

  *p += value;
  return before;
#endif
}

template <class T> HD inline T fetch_max(T *p, T value)
{
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) return static_cast<T>(atomicMax(reinterpret_cast<long long *>(p), static_cast<long long>(value)));
  else return static_cast<T>(atomicMax(reinterpret_cast<int *>(p), static_cast<int>(value)));
#else
  const T before = *p;

  if (value > before) *p = value;
  return before;
#endif
}

inline HD std::int64_t fetch_or(std::int64_t *p, std::int64_t value)
{
#if defined(__CUDA_ARCH__)
  return static_cast<std::int64_t>(atomicOr(reinterpret_cast<unsigned long long *>(p), static_cast<unsigned long long>(value)));
#else
  const std::int64_t before = *p;

  *p |= value;
  return before;
#endif
}

/* Where *p is 0 it becomes value; returned is what it was. */
inline HD std::int64_t fetch_claim(std::int64_t *p, std::int64_t value)
{
#if defined(__CUDA_ARCH__)
  return static_cast<std::int64_t>(atomicCAS(reinterpret_cast<unsigned long long *>(p), 0ULL, static_cast<unsigned long long>(value)));
#else
  const std::int64_t before = *p;

  if (!before) *p = value;
  return before;
#endif
}

#if defined(__CUDACC__)
template <class Body> __global__ void __launch_bounds__(team_threads) TeamKernel(const Body body)
{
  __shared__ std::int64_t board[team_board];

  if (threadIdx.x < team_board) board[threadIdx.x] = 0;
  __syncthreads();
  body(static_cast<int>(blockIdx.x), Team{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), static_cast<int>(blockIdx.x), board});
}
#endif

/* body(k, team) for k < n, in any order. */
template <class Body> void for_each_team(Space space, int n, const Body &body)
{
  if (n <= 0) return;
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    launch_kernel<TeamKernel<Body>>(dim3(static_cast<unsigned>(n)), team_threads, body);
    return;
  }
#endif
  if (space == Space::Cuda) throw DeviceError("this libgoza was built without CUDA");
  for (int k = 0; k < n; k++) {
    std::int64_t board[team_board] = {};

    body(k, Team{0, 1, 0, board});
  }
}

} // namespace goza::locality
