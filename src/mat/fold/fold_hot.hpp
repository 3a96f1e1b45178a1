/* Fold's kernel for matrices whose columns are coded by hot_columns.hpp: a multiprocessor has one block, which keeps x of the hot columns in shared memory for all of
   its groups. What limits a product whose columns are far apart is the number of requests that L2 looks up, one for each 128 bytes that the lanes of a step ask for: the hot columns
   ask for none. */
#pragma once
#include "fold_view.hpp"

#if defined(__CUDACC__)

namespace goza::mat
{

constexpr int hot_threads = 1024, hot_together = 4; // entries of a line that are asked for at a time

template <class Store, class V, class Out> struct FoldHotGroups : FoldGroup<Store, V, Out> {
  const V *hot; // [nhot] x of the hot columns
  PetscInt nhot;

  /* A warp's groups; the head of the next one is asked for before the work on this one. */
  __device__ void run(V *own) const
  {
    const int      lane = threadIdx.x & 31, warps = hot_threads / 32;
    const PetscInt stride = static_cast<PetscInt>(gridDim.x) * warps;
    PetscInt       group  = static_cast<PetscInt>(blockIdx.x) * warps + static_cast<PetscInt>(threadIdx.x >> 5);
    Line           line   = load(group, lane);

    for (PetscInt k = static_cast<PetscInt>(threadIdx.x); k < nhot; k += hot_threads) own[k] = hot[k];
    __syncthreads();
    for (; group < this->A.ngroups; group += stride) {
      const Line next = load(group + stride, lane);

      this->finish(line.first_row, line.row, line.line, lane, sum_line(own, line.begin + lane, line_length(line.line)));
      line = next;
    }
  }

private:
  struct Line {
    std::uint8_t  line;
    std::uint16_t row;
    PetscInt      first_row;
    std::int64_t  begin; // of the columns, too: all of them take a word
  };

  __device__ Line load(PetscInt group, int lane) const
  {
    if (group >= this->A.ngroups) return {};
    const FoldHead &head = this->A.head[group];

    return {head.line[lane], head.row[lane], head.first_row, head.begin};
  }

  __device__ V sum_line(const V *own, std::int64_t at, int n) const
  {
    const Store       *val  = this->A.val + at;
    const LocalColumn *code = this->A.col + at;
    V                  sum  = 0;

    for (; n > 0; n -= hot_together, val += hot_together * fold_lanes, code += hot_together * fold_lanes) {
      LocalColumn c[hot_together];
      Store       v[hot_together];
      V           w[hot_together];

  #pragma unroll
      for (int u = 0; u < hot_together; u++) {
        if (u < n) c[u] = stream_load(code + u * fold_lanes);
      }
  #pragma unroll
      for (int u = 0; u < hot_together; u++) {
        if (u < n) v[u] = stream_load(val + u * fold_lanes);
      }
  #pragma unroll
      for (int u = 0; u < hot_together; u++) {
        if (u >= n) continue;
        if (c[u] < nhot) w[u] = own[c[u]];
        else w[u] = cached_load(this->x + (c[u] - nhot));
      }
  #pragma unroll
      for (int u = 0; u < hot_together; u++) {
        if (u < n) sum += static_cast<V>(v[u]) * w[u];
      }
    }
    return sum;
  }
};

template <class V, class Body> __global__ void __launch_bounds__(hot_threads, 1) HotKernel(Body body)
{
  extern __shared__ __align__(16) unsigned char shared_x[];

  if constexpr (sums_up<Body>) begin_sums(body.out);
  body.run(reinterpret_cast<V *>(shared_x));
  if constexpr (sums_up<Body>) end_sums(body.out);
}

} // namespace goza::mat

#endif
