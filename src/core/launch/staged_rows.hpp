/* for_each_row() for bodies that walk along the rows of a CSR matrix. A thread a row would read words that lie a row's length apart; on the device a block of
   threads therefore first copies the columns and values of its rows, which lie together, to its shared memory.

   A body is as for for_each_row(), and has `HD on(Columns, Values) const`: itself, with these for the matrix's, or what does the same and may point into the body. */
#pragma once
#include "core/sparse/csr_matrix.hpp"
#include "for_each_row.hpp"

namespace goza
{

#if defined(__CUDACC__)
constexpr int      staging_threads = 128;
constexpr PetscInt staged_entries  = 41984 / (sizeof(PetscInt) + sizeof(PetscScalar)); // 128 rows of 27 entries; five blocks to a multiprocessor

/* A body's index stands for `unit` rows; a block takes `each` of them. */
template <class Body>
__global__ void __launch_bounds__(staging_threads) StagedKernel(PetscInt n, PetscInt unit, PetscInt each, const PetscInt *ptr, const PetscInt *acol, const PetscScalar *aval, const __grid_constant__ Body body)
{
  __shared__ PetscScalar val[staged_entries];
  __shared__ PetscInt    col[staged_entries];
  const std::int64_t     first = static_cast<std::int64_t>(blockIdx.x) * each;
  const PetscInt         last  = static_cast<PetscInt>(first + each < n ? first + each : n);
  const PetscInt         begin = ptr[first * unit], end = ptr[static_cast<std::int64_t>(last) * unit];

  if (end - begin > staged_entries) {
    for (PetscInt k = static_cast<PetscInt>(first) + threadIdx.x; k < last; k += staging_threads) body(k);
    return;
  }
  #pragma unroll 8
  for (PetscInt p = threadIdx.x; p < end - begin; p += staging_threads) {
    if (acol) col[p] = acol[begin + p];
    if (aval) val[p] = aval[begin + p];
  }
  __syncthreads();
  const auto staged = body.on(Columns::in_shared_memory(col, begin), Values::in_shared_memory(val, begin));

  for (PetscInt k = static_cast<PetscInt>(first) + threadIdx.x; k < last; k += staging_threads) staged(k);
}
#endif

/* A.col or A.val may be null where the body does not read it. */
template <class Body> void for_each_csr_row(const Csr &A, PetscInt unit, const Body &body)
{
  const PetscInt n = A.nrows / unit;

#if defined(__CUDACC__)
  if (A.space == Space::Cuda && n > 0) {
    const double entries_each = static_cast<double>(entries(A)) / n;
    PetscInt     each         = staging_threads;

    while (each > 8 && each * entries_each > staged_entries) each /= 2;
    if (each >= 32) {
      launch_kernel<StagedKernel<Body>>(blocks_for(n, each), staging_threads, n, unit, each, A.ptr, A.col, A.val, body);
      return;
    }
  }
#endif
  for_each_row(A.space, n, body);
}

} // namespace goza
