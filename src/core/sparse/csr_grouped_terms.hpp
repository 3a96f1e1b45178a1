/* csr_product.hpp where neighbouring rows have mostly the same columns, as the product of a matrix on a mesh and an interpolation: a warp does 8 rows at a time. The columns
   of all of them go to one small table, where mostly they are already, and each row has sums of its own beside it. Four lanes to a row share the entries of one term
   after the other, so that every sum is in the order of the terms.

     slot           0  1  2 ..  63
     column        17  -  5      9      of the group
     sums of row 0  .  .  .      .      lanes 0 ..  3
     sums of row 1  .  .  .      .      lanes 4 ..  7
     ..
   A matrix with a group of rows whose columns do not fit goes through csr_product.hpp. */
#pragma once
#include "csr_product.hpp"

#if defined(__CUDACC__)
namespace goza
{
namespace product
{
namespace grouped
{

constexpr int rows = 8, lanes = 4, slots = 64, warps = 4; // of a group; to a row; of the table; to a block

template <bool sums> struct Table {
  PetscScalar   sum[sums ? rows : 1][sums ? slots : 1];
  PetscInt      key[slots], listed[slots]; // listed: the columns as they came
  unsigned char slot[slots];               // of each in the list
  bool          used[rows][slots];
  int           count, full;

  __device__ void clear(int lane)
  {
    for (int s = lane; s < slots; s += 32) {
      key[s] = no_column;
      for (int r = 0; r < rows; r++) {
        used[r][s] = false;
        if (sums) sum[r][s] = 0;
      }
    }
    if (lane == 0) count = full = 0;
    __syncwarp();
  }

  /* The column's slot; where there is none left some slot, and full says so. */
  __device__ int insert(PetscInt c)
  {
    int        s;
    const bool found = find_or_enter<slots>(key, c, s, [&] {
      const int n = atomicAdd(&count, 1);

      listed[n] = c;
      slot[n]   = static_cast<unsigned char>(s);
    });

    if (!found) full = 1;
    return s;
  }

  /* The list by columns, ascending. */
  __device__ void sort(int lane)
  {
    constexpr int each = slots / 32;
    PetscInt      c[each];
    unsigned char s[each];
    int           rank[each] = {};

    for (int e = 0; e < each; e++) {
      const int k = lane + 32 * e;

      c[e] = k < count ? listed[k] : no_column;
      s[e] = slot[k];
      for (int l = 0; l < count && 32 * e < count; l++) rank[e] += listed[l] < c[e];
    }
    __syncwarp();
    for (int e = 0; e < each; e++) {
      if (c[e] == no_column) continue;
      listed[rank[e]] = c[e];
      slot[rank[e]]   = s[e];
    }
    __syncwarp();
  }
};

/* The group's rows from `first` on: their columns and, where the table has them, sums. */
template <bool sums, class Terms> __device__ void add_rows(const Terms &terms, std::int64_t first, PetscInt n, int lane, Table<sums> &table)
{
  constexpr int  opened = 2, loaded = 2; // terms that a lane opens at a time; entries of a term that it asks for together
  const int      r = lane / lanes, part = lane % lanes;
  const bool     there = first + r < n;
  const PetscInt row = static_cast<PetscInt>(there ? first + r : 0), end = there ? terms.end(row) : 0;

  if (there && terms.extra(row) != no_column) table.used[r][table.insert(terms.extra(row))] = true;
  for (PetscInt p = there ? terms.begin(row) : 0; __any_sync(all_lanes, p < end); p += opened * lanes) {
    PetscInt    begin[opened] = {}, length[opened] = {};
    PetscScalar factor[opened] = {};

    for (int t = 0; t < opened; t++) {
      if (p + t * lanes + part < end) terms.open(p + t * lanes + part, begin[t], length[t], factor[t]);
    }
  #pragma unroll
    for (int t = 0; t < opened * lanes; t++) {
      const PetscInt from = __shfl_sync(all_lanes, begin[t / lanes], t % lanes, lanes), to = from + __shfl_sync(all_lanes, length[t / lanes], t % lanes, lanes);
      const PetscScalar a = sums ? __shfl_sync(all_lanes, factor[t / lanes], t % lanes, lanes) : PetscScalar(0);

      for (PetscInt q = from + part; q < to; q += loaded * lanes) {
        PetscInt    c[loaded];
        PetscScalar v[loaded];

        for (int e = 0; e < loaded; e++) {
          const bool here = q + e * lanes < to;

          c[e] = here ? terms.column(q + e * lanes) : no_column;
          v[e] = sums && here ? terms.value(q + e * lanes) : PetscScalar(0);
        }
        for (int e = 0; e < loaded; e++) {
          if (c[e] == no_column) break;
          const int s = table.insert(c[e]);

          table.used[r][s] = true;
          if (sums) table.sum[r][s] += a * v[e];
        }
      }
      __syncwarp();
    }
  }
}

/* Lengths of the rows; *overflown is set where the columns of a group do not fit. */
template <class Terms> __global__ void __launch_bounds__(32 * warps) CountGroupKernel(PetscInt n, Terms terms, PetscInt *length, int *overflown)
{
  __shared__ Table<false> tables[warps];
  const int               lane  = threadIdx.x % 32;
  const std::int64_t      first = (static_cast<std::int64_t>(blockIdx.x) * warps + threadIdx.x / 32) * rows;
  Table<false>           &table = tables[threadIdx.x / 32];

  if (first >= n || __any_sync(all_lanes, *const_cast<volatile int *>(overflown))) return;
  table.clear(lane);
  add_rows(terms, first, n, lane, table);
  __syncwarp();
  if (table.full && lane == 0) *overflown = 1;
  for (int r = 0; r < rows && first + r < n; r++) {
    int all = 0;

    for (int s = lane; s < slots; s += 32) all += __popc(__ballot_sync(all_lanes, table.used[r][s]));
    if (lane == 0) length[first + r] = all;
  }
}

/* Columns, ascending, and values. */
template <class Terms>
__global__ void __launch_bounds__(32 * warps) FillGroupKernel(PetscInt n, Terms terms, const PetscInt *ptr, PetscInt *col, PetscScalar *val)
{
  __shared__ Table<true> tables[warps];
  const int              lane  = threadIdx.x % 32;
  const std::int64_t     first = (static_cast<std::int64_t>(blockIdx.x) * warps + threadIdx.x / 32) * rows;
  Table<true>           &table = tables[threadIdx.x / 32];

  if (first >= n) return;
  table.clear(lane);
  add_rows(terms, first, n, lane, table);
  __syncwarp();
  table.sort(lane);
  for (int r = 0; r < rows && first + r < n; r++) {
    const PetscInt row = static_cast<PetscInt>(first) + r;
    PetscInt       to  = ptr[row];

    for (int k = lane; k - lane < table.count; k += 32) {
      const int      s    = k < table.count ? table.slot[k] : 0;
      const bool     here = k < table.count && table.used[r][s];
      const unsigned all = __ballot_sync(all_lanes, here), before = all & ((1u << lane) - 1);
      const PetscInt column = table.listed[k & (slots - 1)];

      if (here) {
        col[to + __popc(before)] = column;
        val[to + __popc(before)] = terms.finish(row, column, table.sum[r][s]);
      }
      to += __popc(all);
    }
  }
}

inline unsigned blocks(PetscInt n)
{
  return blocks_for(n, rows * warps);
}

/* Long rows together have too many columns: with 50 and more entries hardly a group fits. */
inline bool short_rows(const Csr &A)
{
  return entries(A) <= static_cast<std::int64_t>(40) * A.nrows;
}

/* As product::make(); false where a group does not fit, and nothing is done. Where the columns
   are known there is nothing to gain over csr_product.hpp. */
template <class Terms> bool make(const Terms &terms, CsrMatrix &C)
{
  Array<int> overflown(Space::Cuda, 1);

  C.ptr = Array<PetscInt>(Space::Cuda, C.nrows + 1);
  overflown.zero();
  if (C.nrows) launch_kernel<CountGroupKernel<Terms>>(blocks(C.nrows), 32 * warps, C.nrows, terms, C.ptr.data(), overflown.data());
  if (read_value(Space::Cuda, overflown.data())) return false;
  C.col = Array<PetscInt>(Space::Cuda, lengths_to_pointer(Space::Cuda, C.ptr));
  C.val = Array<PetscScalar>(Space::Cuda, C.col.size());
  if (C.nnz())
    launch_kernel<FillGroupKernel<Terms>>(blocks(C.nrows), 32 * warps, C.nrows, terms, static_cast<const PetscInt *>(C.ptr.data()), C.col.data(), C.val.data());
  return true;
}

} // namespace grouped
} // namespace product
} // namespace goza
#endif
