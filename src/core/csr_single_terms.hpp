/* csr_product.hpp for terms of one entry at most, as those of a smoothed interpolation: 8 lanes a row, each with a term of its own, and a small table. A matrix
   with a row that does not fit goes the other way (27 points, 256^3, an H200: count 6.5 -> 3.3 ms, fill 11.3 -> 9.1). */
#pragma once
#include "csr_product.hpp"

#if defined(__CUDACC__)
namespace goza
{
namespace product
{
namespace single
{

constexpr int lanes = 8, slots = 64, rows_each = 128 / lanes; // to a block

/* Of one row. All lanes of a warp take the same way, whatever row they are of: masks of their own would let them do one row after the other. */
template <bool sums> struct Table {
  PetscScalar sum[sums ? slots : 1];
  PetscInt    key[slots], listed[sums ? slots : 1];
  int         count, full;

  __device__ void clear(int lane)
  {
    for (int s = lane; s < slots; s += lanes) {
      key[s] = no_column;
      if (sums) sum[s] = 0;
    }
    if (lane == 0) count = full = 0;
    __syncwarp();
  }

  /* The column's slot, or -1 where there is none left. */
  __device__ int insert(PetscInt c)
  {
    int s;

    if (find_or_enter<slots>(key, c, s, [] {})) return s;
    full = 1;
    return -1;
  }
};

/* The row's columns and, in the second pass, their sums, in the order of the terms; nothing where there is no such row. */
template <bool sums, class Terms> __device__ void add_row(const Terms &terms, bool there, PetscInt row, int lane, Table<sums> &table)
{
  const PetscInt end = there ? terms.end(row) : 0;

  if (there && lane == 0 && terms.extra(row) != no_column) (void)table.insert(terms.extra(row));
  for (PetscInt p = there ? terms.begin(row) : 0; __any_sync(all_lanes, p < end); p += lanes) {
    PetscInt    first = 0, length = 0;
    PetscScalar factor = 0;

    if (p + lane < end) terms.open(p + lane, first, length, factor);
    const int         s = length ? table.insert(terms.column(first)) : -1;
    const PetscScalar v = sums && length ? factor * terms.value(first) : PetscScalar(0);

    for (int t = 0; sums && t < lanes; t++) {
      if (t == lane && s >= 0) table.sum[s] += v;
      __syncwarp();
    }
  }
  __syncwarp();
}

/* Lengths of the rows; *overflown is set where one has more columns than fit. */
template <class Terms> __global__ void __launch_bounds__(128) CountSingleKernel(PetscInt n, Terms terms, PetscInt *length, int *overflown)
{
  __shared__ Table<false> tables[rows_each];
  const int               lane = threadIdx.x % lanes, mine = threadIdx.x / lanes;
  const std::int64_t      row   = static_cast<std::int64_t>(blockIdx.x) * rows_each + mine;
  Table<false>           &table = tables[mine];
  int                     here  = 0;

  table.clear(lane);
  add_row(terms, row < n, static_cast<PetscInt>(row), lane, table);
  for (int s = lane; s < slots; s += lanes) here += table.key[s] != no_column;
  if (here) atomicAdd(&table.count, here);
  __syncwarp();
  if (row >= n || lane) return;
  length[row] = table.count;
  if (table.full) *overflown = 1;
}

/* Columns, ascending, unless they are known, and values; *overflown is set where a row does not fit. */
template <bool known, class Terms>
__global__ void __launch_bounds__(128) FillSingleKernel(PetscInt n, Terms terms, const PetscInt *ptr, PetscInt *col, PetscScalar *val, int *overflown)
{
  __shared__ Table<true> tables[rows_each];
  const int              lane = threadIdx.x % lanes, mine = threadIdx.x / lanes;
  const std::int64_t     k   = static_cast<std::int64_t>(blockIdx.x) * rows_each + mine;
  const PetscInt         row = static_cast<PetscInt>(k < n ? k : 0), at = k < n ? ptr[row] : 0, all = k < n ? ptr[row + 1] - at : 0;
  const PetscInt         length = all <= slots ? all : 0;
  Table<true>           &table  = tables[mine];

  if (all > slots && lane == 0) *overflown = 1;
  table.clear(lane);
  for (PetscInt j = lane; known && j < length; j += lanes) (void)table.insert(col[at + j]);
  __syncwarp();
  add_row(terms, length > 0, row, lane, table);
  for (int s = lane; !known && s < slots; s += lanes) {
    if (table.key[s] != no_column) table.listed[atomicAdd(&table.count, 1)] = table.key[s];
  }
  __syncwarp();
  for (PetscInt j = lane; j < length; j += lanes) {
    const PetscInt c    = known ? col[at + j] : table.listed[j];
    PetscInt       rank = known ? j : 0;

    for (PetscInt l = 0; !known && l < length; l++) rank += table.listed[l] < c;
    if (!known) col[at + rank] = c;
    val[at + rank] = terms.finish(row, c, table.sum[table.insert(c)]);
  }
}

/* As product::fill() and product::make() */
template <bool known, class Terms> void fill(const Terms &terms, CsrMatrix &C)
{
  Array<int> overflown(Space::Cuda, 1);

  if (!C.nnz()) return;
  overflown.zero();
  launch_kernel(FillSingleKernel<known, Terms>, blocks_for(C.nrows, rows_each), 128, C.nrows, terms, static_cast<const PetscInt *>(C.ptr.data()), C.col.data(),
                C.val.data(), overflown.data());
  if (read_value(Space::Cuda, overflown.data())) product::fill<known>(terms, C);
}

template <class Terms, class Rows> void make(const Terms &terms, const Rows &rows, CsrMatrix &C)
{
  Array<int> overflown(Space::Cuda, 1);

  C.ptr = Array<PetscInt>(Space::Cuda, C.nrows + 1);
  overflown.zero();
  if (C.nrows) launch_kernel(CountSingleKernel<Terms>, blocks_for(C.nrows, rows_each), 128, C.nrows, terms, C.ptr.data(), overflown.data());
  if (read_value(Space::Cuda, overflown.data())) {
    product::make(terms, rows, C);
    return;
  }
  C.col = Array<PetscInt>(Space::Cuda, lengths_to_pointer(Space::Cuda, C.ptr));
  C.val = Array<PetscScalar>(Space::Cuda, C.col.size());
  fill<false>(terms, C);
}

} // namespace single
} // namespace product
} // namespace goza
#endif
