/* for_each_row() for bodies that walk along the rows of a CSR matrix. A thread a row would read words that lie a row's length apart; on the device a block of
   threads therefore first copies the columns and values of its rows, which lie together, to its shared memory.

   A body is as for for_each_row(), and has `HD on(Columns, Values) const`: itself, with these for the matrix's, or what does the same and may point into the
   body. One that says by_lanes also does what falls to a lane of a row, `operator()(row, lane, lanes, ...)`: rows that are too long for shared memory, which a
   thread would walk along for as long as all else takes, have a warp each. */
#pragma once
#include "core/sparse/csr_matrix.hpp"
#include "joined_rows.hpp"

namespace goza {

template <class Body, class = void> constexpr bool takes_lanes                                         = false;
template <class Body> constexpr bool               takes_lanes<Body, std::enable_if_t<Body::by_lanes>> = true;

#if defined(__CUDACC__)
constexpr int      staging_threads = 128;
constexpr unsigned few_staged      = 512; // blocks whose parts the last of them joins in less time than another kernel takes
constexpr PetscInt staged_entries  = 41984 / (sizeof(PetscInt) + sizeof(PetscScalar)); // 128 rows of 27 entries; five blocks to a multiprocessor

constexpr PetscInt fewest_staged = 32;

/* A body's index stands for `unit` rows; a block takes `each` of them: call(body, k, lane, lanes) for each, where the body reads what has been copied. */
template <class Body, class Call>
__device__ void stage_rows(PetscInt n, PetscInt unit, PetscInt each, const PetscInt *ptr, const PetscInt *acol, const PetscScalar *aval, const Body &body,
                           const Call &call)
{
  __shared__ PetscScalar val[staged_entries];
  __shared__ PetscInt    col[staged_entries];
  const std::int64_t     first = static_cast<std::int64_t>(blockIdx.x) * each;
  const PetscInt         last  = static_cast<PetscInt>(first + each < n ? first + each : n);
  const PetscInt         begin = ptr[first * unit], end = ptr[static_cast<std::int64_t>(last) * unit];

  if (end - begin > staged_entries || each < fewest_staged) {
    constexpr int lanes = takes_lanes<Body> ? warp_lanes : 1;

    for (PetscInt k = static_cast<PetscInt>(first) + threadIdx.x / lanes; k < last; k += staging_threads / lanes) call(body, k, threadIdx.x % lanes, lanes);
    return;
  }
  #pragma unroll 8
  for (PetscInt p = threadIdx.x; p < end - begin; p += staging_threads) {
    if (acol) col[p] = acol[begin + p];
    if (aval) val[p] = aval[begin + p];
  }
  __syncthreads();
  const auto staged = body.on(Columns::in_shared_memory(col, begin), Values::in_shared_memory(val, begin));

  for (PetscInt k = static_cast<PetscInt>(first) + threadIdx.x; k < last; k += staging_threads) call(staged, k, 0, 1);
}

template <class Body, class... Sums> __device__ void do_staged(const Body &body, PetscInt k, int lane, int lanes, Sums *...sums)
{
  if constexpr (takes_lanes<Body>) body(k, lane, lanes, sums...);
  else body(k, sums...);
}

template <class Body>
__global__ void __launch_bounds__(staging_threads)
  StagedKernel(PetscInt n, PetscInt unit, PetscInt each, const PetscInt *ptr, const PetscInt *acol, const PetscScalar *aval, const __grid_constant__ Body body)
{
  stage_rows(n, unit, each, ptr, acol, aval, body, [](const auto &staged, PetscInt k, int lane, int lanes) { do_staged(staged, k, lane, lanes); });
}

template <class Join, int K, class V, class Body>
__global__ void __launch_bounds__(staging_threads) StagedSumKernel(PetscInt n, PetscInt unit, PetscInt each, const PetscInt *ptr, const PetscInt *acol,
                                                                   const PetscScalar *aval, const __grid_constant__ Body body, GridSum<V> sum)
{
  V mine[K];

  for (V &m : mine) m = Join::template nothing<V>();
  stage_rows(n, unit, each, ptr, acol, aval, body, [&](const auto &staged, PetscInt k, int lane, int lanes) { do_staged(staged, k, lane, lanes, mine); });
  if (sum.ticket) join_grid<Join, K, staging_threads>(mine, sum);
  else join_block<Join, K, staging_threads>(mine, sum.part + blockIdx.x, gridDim.x);
}

/* How many indices a block takes, several a thread where rows are short and blocks enough; fewer than fewest_staged: rows are so long that it copies
   nothing, 0: they have a thread each. */
inline PetscInt staged_each(const Csr &A, PetscInt n, bool by_lanes)
{
  constexpr PetscInt enough       = 2048;
  const double       entries_each = n ? static_cast<double>(entries(A)) / n : 0;
  PetscInt           each         = 4 * staging_threads;

  while (each > staging_threads && n / each < enough) each /= 2;
  while (each > 8 && each * entries_each > staged_entries) each /= 2;
  return n && (each >= fewest_staged || by_lanes) ? each : 0;
}
#endif

/* A.col or A.val may be null where the body does not read it. */
template <class Body> void for_each_csr_row(const Csr &A, PetscInt unit, const Body &body)
{
  const PetscInt n = A.nrows / unit;

#if defined(__CUDACC__)
  if (const PetscInt each = A.space == Space::Cuda ? staged_each(A, n, takes_lanes<Body>) : 0) {
    launch_kernel<StagedKernel<Body>>(blocks_for(n, each), staging_threads, n, unit, each, A.ptr, A.col, A.val, body);
    return;
  }
#endif
  for_each_row(A.space, n, body);
}

/* The same for join_rows(). */
template <class Join, int K, class V, class Body> void join_csr_rows(const Csr &A, PetscInt unit, const Body &body, V *result, const device::ToldAt &told = {})
{
  const PetscInt n = A.nrows / unit;

#if defined(__CUDACC__)
  if (const PetscInt each = A.space == Space::Cuda ? staged_each(A, n, takes_lanes<Body>) : 0) {
    const unsigned blocks = blocks_for(n, each);
    const bool     few    = blocks <= few_staged;
    Array<V>       part(A.space, static_cast<std::size_t>(K) * blocks, unset);

    launch_kernel<StagedSumKernel<Join, K, V, Body>>(blocks, staging_threads, n, unit, each, A.ptr, A.col, A.val, body,
                                                     GridSum<V>{part.data(), few ? device::ticket() : nullptr, result, told});
    if (!few) launch_kernel<JoinPartsKernel<Join, K, V>>(1, sum_threads, static_cast<int>(blocks), static_cast<const V *>(part.data()), result, told);
    return;
  }
#endif
  join_rows<Join, K>(A.space, n, body, result, told);
}

/* And for joined_rows(). */
template <class Join, int K, class V, class Body> std::vector<V> joined_csr_rows(const Csr &A, PetscInt unit, const Body &body)
{
  return told_values<V>(A.space, K, [&](V *result, const device::ToldAt &told) { join_csr_rows<Join, K>(A, unit, body, result, told); });
}

} // namespace goza
