/* Short rows of sparse products on the device, whose columns are known: some lanes do a row, a term each at a time. Each has sums of its own in shared memory,
   which are added up in their order, so that no result depends on the run. A warp a row, with a table, takes some six times the instructions. */
#pragma once
#include "core/launch/by_lanes.hpp"
#include "core/util/search.hpp"
#include "csr_matrix.hpp"

#if defined(__CUDACC__)
namespace goza::product {

constexpr int short_columns = 32, short_threads = 64, entries_asked = 4;

/* Terms are those of csr_product.hpp, and may have other columns, which come to nothing. Longer rows are left as they are. */
template <class Terms>
__global__ void __launch_bounds__(short_threads) ShortFillKernel(PetscInt n, Terms terms, const PetscInt *ptr, const PetscInt *col, PetscScalar *val)
{
  constexpr int          rows = short_threads / few_lanes;
  __shared__ PetscScalar sums[rows][short_columns][few_lanes];
  __shared__ PetscInt    columns[rows][short_columns];
  const int              lane = threadIdx.x % few_lanes, mine = threadIdx.x / few_lanes;
  const std::int64_t     r   = static_cast<std::int64_t>(blockIdx.x) * rows + mine;
  const PetscInt         row = r < n ? static_cast<PetscInt>(r) : 0, at = ptr[row], length = r < n ? ptr[row + 1] - at : 0;

  if (length == 0 || length > short_columns) return;
  for (PetscInt k = 0; k < length; k++) sums[mine][k][lane] = 0;
  for (PetscInt k = lane; k < length; k += few_lanes) columns[mine][k] = col[at + k];
  __syncwarp(lanes_of_row(few_lanes));
  for (PetscInt p = terms.begin(row) + lane; p < terms.end(row); p += few_lanes) {
    PetscInt    first, entries;
    PetscScalar factor;

    terms.open(p, first, entries, factor);
    for (PetscInt q = first; q < first + entries; q += entries_asked) {
      PetscInt    c[entries_asked];
      PetscScalar v[entries_asked];

  #pragma unroll
      for (int u = 0; u < entries_asked; u++) {
        c[u] = q + u < first + entries ? terms.column(q + u) : -1;
        v[u] = c[u] >= 0 ? factor * terms.value(q + u) : PetscScalar(0);
      }
  #pragma unroll
      for (int u = 0; u < entries_asked; u++) {
        if (c[u] < 0) continue;
        const PetscInt k = lower_bound(columns[mine], 0, length - 1, c[u]);

        if (columns[mine][k] == c[u]) sums[mine][k][lane] += v[u];
      }
    }
  }
  __syncwarp(lanes_of_row(few_lanes));
  for (PetscInt k = lane; k < length; k += few_lanes) {
    PetscScalar total = 0;

    for (int l = 0; l < few_lanes; l++) total += sums[mine][k][l];
    val[at + k] = terms.finish(row, columns[mine][k], total);
  }
}

} // namespace goza::product
#endif
