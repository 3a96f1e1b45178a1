/* for_each_row() for bodies that walk along the rows of a CSR matrix. A thread a row would read words that lie a row's length apart; on the device a block of
   threads therefore first copies the columns and values of its rows, which lie together, to its shared memory.

   A body is as for for_each_row(), and has `HD on(Columns, Values) const`: itself, with these for the matrix's, or what does the same and may point into the
   body. */
#pragma once
#include "core/sparse/csr_matrix.hpp"
#include "joined_rows.hpp"

namespace goza {

#if defined(__CUDACC__)
constexpr int      staging_threads = 128;
constexpr unsigned few_staged      = 512; // blocks whose parts the last of them joins in less time than another kernel takes
constexpr PetscInt staged_entries  = 41984 / (sizeof(PetscInt) + sizeof(PetscScalar)); // 128 rows of 27 entries; five blocks to a multiprocessor

/* A body's index stands for `unit` rows; a block takes `each` of them: call(body, k) for each, where the body reads what has been copied. */
template <class Body, class Call>
__device__ void stage_rows(PetscInt n, PetscInt unit, PetscInt each, const PetscInt *ptr, const PetscInt *acol, const PetscScalar *aval, const Body &body,
                           const Call &call)
{
  __shared__ PetscScalar val[staged_entries];
  __shared__ PetscInt    col[staged_entries];
  const std::int64_t     first = static_cast<std::int64_t>(blockIdx.x) * each;
  const PetscInt         last  = static_cast<PetscInt>(first + each < n ? first + each : n);
  const PetscInt         begin = ptr[first * unit], end = ptr[static_cast<std::int64_t>(last) * unit];

  if (end - begin > staged_entries) {
    for (PetscInt k = static_cast<PetscInt>(first) + threadIdx.x; k < last; k += staging_threads) call(body, k);
    return;
  }
  #pragma unroll 8
  for (PetscInt p = threadIdx.x; p < end - begin; p += staging_threads) {
    if (acol) col[p] = acol[begin + p];
    if (aval) val[p] = aval[begin + p];
  }
  __syncthreads();
  const auto staged = body.on(Columns::in_shared_memory(col, begin), Values::in_shared_memory(val, begin));

  for (PetscInt k = static_cast<PetscInt>(first) + threadIdx.x; k < last; k += staging_threads) call(staged, k);
}

template <class Body>
__global__ void __launch_bounds__(staging_threads)
  StagedKernel(PetscInt n, PetscInt unit, PetscInt each, const PetscInt *ptr, const PetscInt *acol, const PetscScalar *aval, const __grid_constant__ Body body)
{
  stage_rows(n, unit, each, ptr, acol, aval, body, [](const auto &staged, PetscInt k) { staged(k); });
}

template <class Join, int K, class V, class Body>
__global__ void __launch_bounds__(staging_threads) StagedSumKernel(PetscInt n, PetscInt unit, PetscInt each, const PetscInt *ptr, const PetscInt *acol,
                                                                   const PetscScalar *aval, const __grid_constant__ Body body, GridSum<V> sum)
{
  V mine[K];

  for (V &m : mine) m = Join::template nothing<V>();
  stage_rows(n, unit, each, ptr, acol, aval, body, [&](const auto &staged, PetscInt k) { staged(k, mine); });
  if (sum.ticket) join_grid<Join, K, staging_threads>(mine, sum);
  else join_block<Join, K, staging_threads>(mine, sum.part + blockIdx.x, gridDim.x);
}

/* How many indices a block takes, several a thread where rows are short and blocks enough; 0: rows are so long that it copies nothing. */
inline PetscInt staged_each(const Csr &A, PetscInt n)
{
  constexpr PetscInt enough       = 2048;
  const double       entries_each = n ? static_cast<double>(entries(A)) / n : 0;
  PetscInt           each         = 4 * staging_threads;

  while (each > staging_threads && n / each < enough) each /= 2;
  while (each > 8 && each * entries_each > staged_entries) each /= 2;
  return n && each >= 32 ? each : 0;
}
#endif

/* A.col or A.val may be null where the body does not read it. */
template <class Body> void for_each_csr_row(const Csr &A, PetscInt unit, const Body &body)
{
  const PetscInt n = A.nrows / unit;

#if defined(__CUDACC__)
  if (const PetscInt each = A.space == Space::Cuda ? staged_each(A, n) : 0) {
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
  if (const PetscInt each = A.space == Space::Cuda ? staged_each(A, n) : 0) {
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
