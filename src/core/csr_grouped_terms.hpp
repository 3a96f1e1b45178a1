/* csr_product.hpp where neighbouring rows have mostly the same columns, as the product of a matrix on a mesh and an interpolation: a warp does 16 rows at a time. The
   columns of all of them get one small table, which is mostly only read; a row has sums of its own and two lanes, which share the entries of one term after the other, so
   that every sum is in the order of the terms. A matrix with a group of rows whose columns do not fit goes the other way.

     row 0:  lanes 0 1    sums 0 ..  most - 1        columns of the group, ascending: listed[0 .. count - 1]
     row 1:  lanes 2 3    sums 0 ..  most - 1
     ... */
#pragma once
#include "csr_product.hpp"

#if defined(__CUDACC__)
namespace goza
{
namespace product
{
namespace grouped
{

constexpr int rows = 16, lanes = 2, slots = 128, most = 64; // of a group; to a row; of the table; columns of a group

struct Table {
  PetscInt      key[slots], listed[most];
  unsigned char place[slots]; // among the columns, where they are sorted
  int           count;

  __device__ void clear(int lane)
  {
    for (int s = lane; s < slots; s += 32) key[s] = no_column;
    if (lane == 0) count = 0;
    __syncwarp();
  }

  __device__ static int first_slot(PetscInt c) { return static_cast<int>((static_cast<std::uint32_t>(c) * 0x9E3779B1u) >> 15) & (slots - 1); }

  /* The column's slot; where there are more than fit, some slot, and count says so. */
  __device__ int insert(PetscInt c)
  {
    int s = first_slot(c);

    for (;;) {
      PetscInt held = *const_cast<volatile PetscInt *>(key + s);

      if (held == c) return s;
      if (held == no_column) {
        if (*const_cast<volatile int *>(&count) >= most) {
          count = most + 1;
          return s;
        }
        held = pattern::claim(key + s, c);
        if (held == c) return s;
        if (held == no_column) {
          const int n = atomicAdd(&count, 1);

          if (n < most) listed[n] = c;
          return s;
        }
      }
      s = (s + 1) & (slots - 1);
    }
  }

  /* Of a column that is there. */
  __device__ int find(PetscInt c) const
  {
    int s = first_slot(c);

    while (key[s] != c) s = (s + 1) & (slots - 1);
    return s;
  }

  /* The columns in order, and the place of each. */
  __device__ void sort(int lane)
  {
    PetscInt mine[most / 32];
    int      rank[most / 32];

    for (int e = 0; e < most / 32; e++) {
      mine[e] = lane + 32 * e < count ? listed[lane + 32 * e] : no_column;
      rank[e] = 0;
      for (int l = 0; l < count; l++) rank[e] += listed[l] < mine[e];
    }
    __syncwarp();
    for (int e = 0; e < most / 32; e++) {
      if (mine[e] == no_column) continue;
      listed[rank[e]]      = mine[e];
      place[find(mine[e])] = static_cast<unsigned char>(rank[e]);
    }
    __syncwarp();
  }
};

/* f(q, left, factor) for the entries q, q + lanes, ... of which up to `together` are there, as `left` > 0, > lanes, ... says: all that falls to this lane. The lanes of a
   row do one term together. */
constexpr int together = 3;

template <class Terms, class F> __device__ void for_each_entry(const Terms &terms, PetscInt begin, PetscInt end, int half, const F &f)
{
  constexpr int opened = 2; // terms that a lane opens at a time

  for (PetscInt p = begin; __any_sync(all_lanes, p < end); p += opened * lanes) {
    PetscInt    first[opened] = {}, length[opened] = {};
    PetscScalar factor[opened] = {};

    for (int t = 0; t < opened; t++) {
      if (p + t * lanes + half < end) terms.open(p + t * lanes + half, first[t], length[t], factor[t]);
    }
  #pragma unroll
    for (int t = 0; t < opened * lanes; t++) {
      const PetscInt    from = __shfl_sync(all_lanes, first[t / lanes], t % lanes, lanes), n = __shfl_sync(all_lanes, length[t / lanes], t % lanes, lanes);
      const PetscScalar a = __shfl_sync(all_lanes, factor[t / lanes], t % lanes, lanes);

      for (PetscInt q = half; q < n; q += together * lanes) f(from + q, n - q, a);
      __syncwarp();
    }
  }
}

constexpr int count_warps = 8, fill_warps = 4; // to a block

struct CountMemory {
  Table         table;
  unsigned char used[rows][slots]; // by slot
};

/* Lengths of the rows, and the columns of each group, no_column behind the last; *overflown is set where they do not fit. */
template <class Terms>
__global__ void __launch_bounds__(32 * count_warps) CountGroupKernel(PetscInt n, Terms terms, PetscInt *length, PetscInt *columns, int *overflown)
{
  __shared__ CountMemory memory[count_warps];
  const int              lane = threadIdx.x % 32, r = lane / lanes;
  const std::int64_t     group = static_cast<std::int64_t>(blockIdx.x) * count_warps + threadIdx.x / 32, first = group * rows;
  CountMemory           &mine  = memory[threadIdx.x / 32];
  const bool             there = first + r < n;
  const PetscInt         row   = static_cast<PetscInt>(there ? first + r : 0);

  if (first >= n || __any_sync(all_lanes, *const_cast<volatile int *>(overflown))) return;
  for (int k = lane; k < rows * slots / 4; k += 32) reinterpret_cast<unsigned *>(mine.used)[k] = 0;
  mine.table.clear(lane);
  if (there && terms.extra(row) != no_column) mine.used[r][mine.table.insert(terms.extra(row))] = 1;
  __syncwarp();
  for_each_entry(terms, there ? terms.begin(row) : 0, there ? terms.end(row) : 0, lane % lanes, [&](PetscInt q, PetscInt left, PetscScalar) {
    PetscInt c[together];

    for (int e = 0; e < together; e++) c[e] = e * lanes < left ? terms.column(q + e * lanes) : no_column;
    for (int e = 0; e < together; e++) {
      if (e * lanes < left) mine.used[r][mine.table.insert(c[e])] = 1;
    }
  });
  if (mine.table.count > most) {
    if (lane == 0) *overflown = 1;
    return;
  }
  for (int k = lane; k < most; k += 32) columns[group * most + k] = k < mine.table.count ? mine.table.listed[k] : no_column;
  for (int k = 0; k < rows && first + k < n; k++) {
    int all = 0;

    for (int s = lane; s < slots; s += 32) all += __popc(__ballot_sync(all_lanes, mine.used[k][s]));
    if (lane == 0) length[first + k] = all;
  }
}

template <bool known> struct FillMemory {
  PetscScalar   sum[rows][most];
  Table         table;
  unsigned char used[known ? 4 : rows][known ? 1 : most];
};

/* Columns, ascending, unless they are known, and values. columns: of each group, as the kernel above leaves them, or none where C's are known; *overflown is set where
   they do not fit. */
template <bool known, class Terms>
__global__ void __launch_bounds__(32 * fill_warps) FillGroupKernel(PetscInt n, Terms terms, const PetscInt *columns, const PetscInt *ptr, PetscInt *col, PetscScalar *val, int *overflown)
{
  __shared__ FillMemory<known> memory[fill_warps];
  const int                    lane = threadIdx.x % 32, r = lane / lanes;
  const std::int64_t           group = static_cast<std::int64_t>(blockIdx.x) * fill_warps + threadIdx.x / 32, first = group * rows;
  FillMemory<known>           &mine  = memory[threadIdx.x / 32];
  const bool                   there = first + r < n;
  const PetscInt               row   = static_cast<PetscInt>(there ? first + r : 0);

  if (first >= n || __any_sync(all_lanes, *const_cast<volatile int *>(overflown))) return;
  mine.table.clear(lane);
  if (known) {
    for (PetscInt k = ptr[first] + lane; k < ptr[first + rows < n ? first + rows : n]; k += 32) (void)mine.table.insert(col[k]);
  } else {
    for (int k = lane; k < most && columns[group * most + k] != no_column; k += 32) (void)mine.table.insert(columns[group * most + k]);
  }
  for (int k = lane; k < static_cast<int>(sizeof(mine.used)) / 4; k += 32) reinterpret_cast<unsigned *>(mine.used)[k] = 0;
  for (int k = lane; k < rows * most; k += 32) (&mine.sum[0][0])[k] = 0;
  __syncwarp();
  if (known && mine.table.count > most) {
    if (lane == 0) *overflown = 1;
    return;
  }
  mine.table.sort(lane);
  if (!known && there && terms.extra(row) != no_column) mine.used[r][mine.table.place[mine.table.find(terms.extra(row))]] = 1;
  for_each_entry(terms, there ? terms.begin(row) : 0, there ? terms.end(row) : 0, lane % lanes, [&](PetscInt q, PetscInt left, PetscScalar factor) {
    PetscInt    c[together];
    PetscScalar v[together];

    for (int e = 0; e < together; e++) {
      c[e] = e * lanes < left ? terms.column(q + e * lanes) : no_column;
      v[e] = e * lanes < left ? terms.value(q + e * lanes) : PetscScalar(0);
    }
    for (int e = 0; e < together; e++) {
      if (e * lanes >= left) break;
      const int at = mine.table.place[mine.table.find(c[e])];

      mine.sum[r][at] += factor * v[e];
      if (!known) mine.used[r][at] = 1;
    }
  });
  for (int k = 0; k < rows && first + k < n; k++) {
    const PetscInt i  = static_cast<PetscInt>(first) + k;
    PetscInt       to = ptr[i];

    if constexpr (known) {
      for (PetscInt p = to + lane; p < ptr[i + 1]; p += 32) val[p] = terms.finish(i, col[p], mine.sum[k][mine.table.place[mine.table.find(col[p])]]);
    } else {
      for (int at = lane; at < most; at += 32) {
        const bool     here = mine.used[k][at];
        const unsigned all = __ballot_sync(all_lanes, here), before = all & ((1u << lane) - 1);
        const PetscInt column = mine.table.listed[at];

        if (here) {
          col[to + __popc(before)] = column;
          val[to + __popc(before)] = terms.finish(i, column, mine.sum[k][at]);
        }
        to += __popc(all);
      }
    }
  }
}

template <bool known, class Terms> void fill_groups(const Terms &terms, const PetscInt *columns, CsrMatrix &C, int *overflown)
{
  launch_kernel(FillGroupKernel<known, Terms>, blocks_for(blocks_for(C.nrows, rows), fill_warps), 32 * fill_warps, C.nrows, terms, columns,
                static_cast<const PetscInt *>(C.ptr.data()), C.col.data(), C.val.data(), overflown);
}

/* As product::fill() and product::make(); false where a group does not fit, and nothing is done. */
template <class Terms> bool fill(const Terms &terms, CsrMatrix &C)
{
  Array<int> overflown(Space::Cuda, 1);

  overflown.zero();
  fill_groups<true>(terms, nullptr, C, overflown.data());
  return !read_value(Space::Cuda, overflown.data());
}

template <class Terms> bool make(const Terms &terms, CsrMatrix &C)
{
  const unsigned  groups = blocks_for(C.nrows, rows);
  Array<int>      overflown(Space::Cuda, 1);
  Array<PetscInt> columns(Space::Cuda, static_cast<std::size_t>(groups) * most);

  C.ptr = Array<PetscInt>(Space::Cuda, C.nrows + 1);
  overflown.zero();
  if (groups)
    launch_kernel(CountGroupKernel<Terms>, blocks_for(groups, count_warps), 32 * count_warps, C.nrows, terms, C.ptr.data(), columns.data(), overflown.data());
  if (read_value(Space::Cuda, overflown.data())) return false;
  C.col = Array<PetscInt>(Space::Cuda, lengths_to_pointer(Space::Cuda, C.ptr));
  C.val = Array<PetscScalar>(Space::Cuda, C.col.size());
  if (C.nnz()) fill_groups<false>(terms, columns.data(), C, overflown.data());
  return true;
}

} // namespace grouped
} // namespace product
} // namespace goza
#endif
