/* One pass over vectors that changes them and sums up products of their elements: the updates and dot products of a Krylov method. One body serves host and
   device:

     struct Body {
       struct Values { ... };                               // what the pass holds of element i
       static constexpr int dots = 2;                       // sums, 0 to most_dots
       HD void        begin();                              // reads the scalars that it needs, on its own copy of the body
       HD Values      load(PetscInt i) const;
       HD void        change(Values &v) const;
       HD void        store(PetscInt i, const Values &v) const;
       HD PetscScalar term(int d, const Values &v) const;    // of sum d, after the change; from vectors that load() reads
       HD void        finish(const PetscScalar *sums) const; // once, where the vectors are: after the pass, or beside it where there are no sums
     };

   A body needs load() alone; one without `dots` sums nothing. No element is another's: an output may be an input of the same element only. Sums are added up in
   an order that is the same in every run. */
#pragma once
#include "row_sums.hpp"

namespace goza {

template <class Body, class = void> constexpr int  dots_of                                                = 0;
template <class Body> constexpr int                dots_of<Body, std::void_t<decltype(Body::dots)>>       = Body::dots;
template <class Body, class = void> constexpr bool has_begin                                              = false;
template <class Body> constexpr bool               has_begin<Body, std::void_t<decltype(&Body::begin)>>   = true;
template <class Body, class = void> constexpr bool has_change                                             = false;
template <class Body> constexpr bool               has_change<Body, std::void_t<decltype(&Body::change)>> = true;
template <class Body, class = void> constexpr bool has_store                                              = false;
template <class Body> constexpr bool               has_store<Body, std::void_t<decltype(&Body::store)>>   = true;
template <class Body, class = void> constexpr bool has_finish                                             = false;
template <class Body> constexpr bool               has_finish<Body, std::void_t<decltype(&Body::finish)>> = true;

#if defined(__CUDACC__)
/* The sum over a block, in its thread 0. */
__device__ inline PetscScalar sum_block(PetscScalar value, PetscScalar *warp_sums)
{
  value = sum_lanes(value, 1);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < FusedSums::threads / 32 ? warp_sums[threadIdx.x] : 0;
  if (threadIdx.x < 32) value = sum_lanes(value, 1);
  __syncthreads();
  return value;
}

template <class Body> __global__ void __launch_bounds__(FusedSums::threads) FusedKernel(PetscInt n, Body body, PetscScalar *part, unsigned *done)
{
  constexpr int          each = FusedSums::each, dots = dots_of<Body>, room = dots ? dots : 1;
  const std::int64_t     apart     = static_cast<std::int64_t>(gridDim.x) * FusedSums::threads;
  PetscScalar            sum[room] = {};
  __shared__ PetscScalar warp_sums[FusedSums::threads / 32];
  __shared__ bool        last;

  wait_for_earlier();
  if constexpr (has_begin<Body>) body.begin();
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * FusedSums::threads + threadIdx.x; first < n; first += each * apart) {
    typename Body::Values v[each];

  #pragma unroll
    for (int u = 0; u < each; u++)
      if (first + u * apart < n) v[u] = body.load(static_cast<PetscInt>(first + u * apart));
  #pragma unroll
    for (int u = 0; u < each; u++) {
      if (first + u * apart >= n) continue;
      if constexpr (has_change<Body>) body.change(v[u]);
      if constexpr (has_store<Body>) body.store(static_cast<PetscInt>(first + u * apart), v[u]);
      if constexpr (dots > 0) {
  #pragma unroll
        for (int d = 0; d < dots; d++) sum[d] += body.term(d, v[u]);
      }
    }
  }
  if constexpr (dots > 0) {
    for (int d = 0; d < dots; d++) {
      const PetscScalar of_block = sum_block(sum[d], warp_sums);

      if (threadIdx.x == 0) part[blockIdx.x * dots + d] = of_block;
    }
    if (threadIdx.x == 0) {
      __threadfence();
      last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1; // which leaves 0 for the next pass
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int d = 0; d < dots; d++) {
      PetscScalar of_thread = 0;

      for (unsigned b = threadIdx.x; b < gridDim.x; b += FusedSums::threads) of_thread += fresh(part + b * dots + d);
      sum[d] = sum_block(of_thread, warp_sums);
    }
    if (threadIdx.x == 0) body.finish(sum);
  } else if constexpr (has_finish<Body>) {
    if (blockIdx.x == 0 && threadIdx.x == 0) body.finish(sum);
  }
}
#endif

#if defined(__CUDACC__)
inline namespace any_space
#else
inline namespace host_space
#endif
{

constexpr int host_width = 8; // partial sums, which the vector unit adds side by side

template <int d, class Body> void sum_on_chunk(PetscInt begin, PetscInt end, const Body &body, PetscScalar *part)
{
  const PetscInt whole            = begin + (end - begin) / host_width * host_width;
  PetscScalar    mine[host_width] = {};

  for (PetscInt i = begin; i < whole; i += host_width)
    for (int k = 0; k < host_width; k++) mine[k] += body.term(d, body.load(i + k));
  for (PetscInt i = whole; i < end; i++) mine[i - whole] += body.term(d, body.load(i));
  for (int k = 0; k < host_width; k++) part[k] += mine[k];
}

template <class Body, int... d>
void sums_on_chunk(std::integer_sequence<int, d...>, [[maybe_unused]] PetscInt begin, [[maybe_unused]] PetscInt end, const Body &body,
                   PetscScalar (*part)[host_width])
{
  (sum_on_chunk<d>(begin, end, body, part[d]), ...);
}

/* Chunks stay in the first cache between the change and the sums, and each loop is one that the vector unit takes. */
template <class Body> void fuse_on_host(PetscInt n, Body body)
{
  constexpr PetscInt chunk = 512;
  constexpr int      dots = dots_of<Body>, room = dots ? dots : 1;
  PetscScalar        part[room][host_width] = {}, sum[room] = {};

  if constexpr (has_begin<Body>) body.begin();
  for (PetscInt begin = 0; begin < n; begin += chunk) {
    const PetscInt end = n - begin < chunk ? n : begin + chunk;

#if defined(__GNUC__) && !defined(__clang__)
  #pragma GCC ivdep
#endif
    for (PetscInt i = begin; i < end; i++) {
      typename Body::Values v = body.load(i);

      if constexpr (has_change<Body>) body.change(v);
      if constexpr (has_store<Body>) body.store(i, v);
    }
    sums_on_chunk(std::make_integer_sequence<int, dots>(), begin, end, body, part);
  }
  for (int d = 0; d < dots; d++)
    for (int k = 0; k < host_width; k++) sum[d] += part[d][k];
  if constexpr (has_finish<Body>) body.finish(sum);
}

/* The pass, on the current stream; nothing waits for it. */
template <class Body> void fuse(Space space, PetscInt n, const Body &body, FusedSums &sums)
{
  static_assert(dots_of<Body> <= FusedSums::most_dots, "FusedSums holds no more");
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    launch_kernel<FusedKernel<Body>, Start::Early>(sums.blocks(n), FusedSums::threads, n, body, sums.part(), sums.done());
    return;
  }
#endif
  if (space == Space::Cuda) throw DeviceError("this libgoza was built without CUDA");
  (void)sums;
  fuse_on_host(n, body);
}

} // namespace any_space

} // namespace goza
