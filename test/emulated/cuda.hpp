/* The CUDA language for a host's compiler, which reads this before each .cu file: all that is called on a device is a function like others, and finds out by
   emulated::self whether it runs there. What a device's compiler compiles for it alone (__CUDA_ARCH__) is compiled, for compute capability 7.0. */
#pragma once
#include "grid.hpp"
#include <algorithm>
#include <cmath>
#include <cuda/atomic>
#include <type_traits>

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __launch_bounds__
#undef __grid_constant__
#define __global__
#define __device__
#define __host__
#define __shared__ static thread_local
#define __launch_bounds__(...)
#define __grid_constant__

namespace emulated {

inline int lane() { return self->number % 32; }

/* What the lane `from` has; its own where that is not in the mask. */
template <class T> T value_of(unsigned mask, T mine, int from)
{
  const Values &all = exchange(mask, &mine, sizeof(T));

  if (from >= 0 && from < 32 && mask >> from & 1) std::memcpy(&mine, all[from], sizeof(T));
  return mine;
}

/* In which lanes it holds of their values. */
template <class T, class Holds> unsigned lanes_where(unsigned mask, T mine, const Holds &holds)
{
  const Values &all    = exchange(mask, &mine, sizeof(T));
  unsigned      result = 0;

  for (int l = 0; l < 32; l++) {
    T value;

    if (!(mask >> l & 1)) continue;
    std::memcpy(&value, all[l], sizeof(T));
    if (holds(value)) result |= 1u << l;
  }
  return result;
}

/* *p as it was before it became next(*p). */
template <class T, class Next> T atomically(T *p, const Next &next)
{
  T before, after;

  __atomic_load(p, &before, __ATOMIC_SEQ_CST);
  do after = next(before);
  while (!__atomic_compare_exchange(p, &before, &after, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return before;
}

template <class T> using Same = std::common_type_t<T>; // is not deduced

/* Addresses in shared memory are of 32 bits; the other half is that of all memory of a thread. */
inline thread_local std::uintptr_t upper_half = 0;

} // namespace emulated

template <class T> T __shfl_sync(unsigned mask, T v, int from, int width = 32)
{
  return emulated::value_of(mask, v, emulated::lane() / width * width + from % width);
}
template <class T> T __shfl_xor_sync(unsigned mask, T v, int other) { return emulated::value_of(mask, v, emulated::lane() ^ other); }
template <class T> T __shfl_up_sync(unsigned mask, T v, int before, int width = 32)
{
  return emulated::value_of(mask, v, emulated::lane() % width >= before ? emulated::lane() - before : -1);
}
template <class T> T __shfl_down_sync(unsigned mask, T v, int behind, int width = 32)
{
  return emulated::value_of(mask, v, emulated::lane() % width + behind < width ? emulated::lane() + behind : -1);
}
inline unsigned __ballot_sync(unsigned mask, bool holds)
{
  return emulated::lanes_where(mask, holds, [](bool v) { return v; });
}
inline bool                 __any_sync(unsigned mask, bool holds) { return __ballot_sync(mask, holds) != 0; }
inline bool                 __all_sync(unsigned mask, bool holds) { return __ballot_sync(mask, !holds) == 0; }
template <class T> unsigned __match_any_sync(unsigned mask, T value)
{
  return emulated::lanes_where(mask, value, [value](T v) { return v == value; });
}
inline void __syncwarp(unsigned mask = 0xffffffffu) { (void)__ballot_sync(mask, true); }
inline void __syncthreads() { (void)emulated::sync_block(0); }
inline int  __syncthreads_or(int value) { return emulated::sync_block(value); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __threadfence(); }
inline void __nanosleep(unsigned) { emulated::yield(); }

template <class T> T    __ldg(const T *p) { return *p; }
template <class T> T    __ldcs(const T *p) { return *p; }
template <class T> T    __ldcg(const T *p) { return *p; }
template <class T> void __stcs(T *p, emulated::Same<T> v) { *p = v; }
inline void             __pipeline_memcpy_async(void *to, const void *from, std::size_t bytes) { std::memcpy(to, from, bytes); }
inline void             __pipeline_commit() { }
inline void             __pipeline_wait_prior(int) { }
inline std::size_t      __cvta_generic_to_shared(const void *p)
{
  emulated::upper_half = reinterpret_cast<std::uintptr_t>(p) >> 32 << 32;
  return reinterpret_cast<std::uintptr_t>(p);
}
inline void *__cvta_shared_to_generic(std::size_t p) { return reinterpret_cast<void *>(emulated::upper_half | (p & 0xffffffffu)); }

inline int    __popc(unsigned v) { return __builtin_popcount(v); }
inline int    __ffs(int v) { return __builtin_ffs(v); }
inline double __longlong_as_double(long long v)
{
  double d;

  std::memcpy(&d, &v, sizeof(d));
  return d;
}
inline double                                        rsqrt(double x) { return 1 / std::sqrt(x); }
template <class A, class B> std::common_type_t<A, B> min(A a, B b) { return b < a ? b : a; }
template <class A, class B> std::common_type_t<A, B> max(A a, B b) { return a < b ? b : a; }

template <class T> T atomicAdd(T *p, emulated::Same<T> v)
{
  return emulated::atomically(p, [v](T before) { return T(before + v); });
}
template <class T> T atomicMax(T *p, emulated::Same<T> v)
{
  return emulated::atomically(p, [v](T before) { return before < v ? v : before; });
}
template <class T> T atomicMin(T *p, emulated::Same<T> v)
{
  return emulated::atomically(p, [v](T before) { return v < before ? v : before; });
}
template <class T> T atomicOr(T *p, emulated::Same<T> v)
{
  return emulated::atomically(p, [v](T before) { return T(before | v); });
}
template <class T> T atomicInc(T *p, emulated::Same<T> most)
{
  return emulated::atomically(p, [most](T before) { return before >= most ? T(0) : T(before + 1); });
}
template <class T> T atomicCAS(T *p, emulated::Same<T> expected, emulated::Same<T> v)
{
  return emulated::atomically(p, [=](T before) { return before == expected ? v : before; });
}

inline void                                         cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned) { }
template <class R, class... Parameters> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, R (*kernel)(Parameters...))
{
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}

#define __CUDACC__    1
#define __CUDA_ARCH__ 700
