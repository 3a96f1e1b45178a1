/* Sparse products on the device, and whatever else adds up rows of a matrix: pattern and values of C, whose row is the sum of some terms' rows.

   Terms is a small type with
     PetscInt    begin(row), end(row)                where the row's terms stand
     void        open(p, &first, &length, &factor)   term p is factor times the entries first .. first + length - 1
     PetscInt    column(q), PetscScalar value(q)     entry q
     PetscInt    extra(row)                          a column that the row has in any case, or no_column
     PetscScalar finish(row, column, sum)            the entry of C

   A warp does a row: it opens 32 terms at a time, spreads their entries over its lanes, and hashes the columns into a table in shared memory. Lanes that have
   the same column are added up in their order: every sum is in the order of the terms, so that no result depends on the run. */
#pragma once
#include "csr_pattern.hpp"
#include "row_length.hpp"
#include "core/util/search.hpp"

#if defined(__CUDACC__)
namespace goza::product {

constexpr unsigned all_lanes = 0xffffffffu;

/* A warp's table: columns and, in the second pass, sums. `limit` columns fit. */
template <int Slots, bool sums> struct Table {
  static constexpr int limit = Slots / 4 * 3;

  PetscInt       key[Slots], listed[limit]; // listed: the columns as they came
  PetscScalar    sum[sums ? Slots : 1];
  unsigned short slot[sums ? limit : 1]; // of each in the list
  int            count;

  __device__ void clear(int lane)
  {
    for (int s = lane; s < Slots; s += 32) {
      key[s] = no_column;
      if (sums) sum[s] = 0;
    }
    if (lane == 0) count = 0;
    __syncwarp();
  }

  /* The column's slot, or -1 where the table is full. */
  template <bool list = sums> __device__ int insert(PetscInt c)
  {
    int s = static_cast<int>(scattered(c) >> 15) & (Slots - 1);

    for (;;) {
      PetscInt held = *const_cast<volatile PetscInt *>(key + s);

      if (held == c) return s;
      if (held == no_column) {
        if (*const_cast<volatile int *>(&count) >= limit) return -1;
        held = pattern::claim(key + s, c);
        if (held == c) return s;
        if (held == no_column) {
          const int n = atomicAdd(&count, 1);

          if (list && n < limit) {
            listed[n] = c;
            slot[n]   = static_cast<unsigned short>(s);
          }
          return s;
        }
      }
      s = (s + 1) & (Slots - 1);
    }
  }
};

/* The row's columns and, in the second pass, their sums; listed unless the table knows the columns already. */
template <bool list, int Slots, bool sums, class Terms> __device__ void add_row(const Terms &terms, PetscInt row, int lane, Table<Slots, sums> &table)
{
  const PetscInt end = terms.end(row);

  if (lane == 0 && terms.extra(row) != no_column) table.template insert<list>(terms.extra(row));
  __syncwarp();
  for (PetscInt begin = terms.begin(row); begin < end; begin += 32) {
    if (!list && !sums && *const_cast<volatile int *>(&table.count) >= table.limit) return; // the row is another table's
    PetscInt    first = 0, length = 0;
    PetscScalar factor = 0;

    if (begin + lane < end) terms.open(begin + lane, first, length, factor);
    PetscInt before = length; // entries of this and all earlier terms, then of the earlier ones

    for (int d = 1; d < 32; d *= 2) {
      const PetscInt other = __shfl_up_sync(all_lanes, before, d);

      if (lane >= d) before += other;
    }
    const PetscInt total = __shfl_sync(all_lanes, before, 31);

    before -= length;
    first -= before;
    for (PetscInt base = 0; base < total; base += 32) {
      const PetscInt t     = base + lane;
      const bool     there = t < total;
      int            owner = 0; // the last term with no more than t entries before it

      for (int step = 16; step; step /= 2) {
        const PetscInt b = __shfl_sync(all_lanes, before, owner + step);

        if (b <= t) owner += step;
      }
      const PetscInt q = __shfl_sync(all_lanes, first, owner) + t;

      if constexpr (!sums) {
        if (there) table.template insert<list>(terms.column(q));
      } else {
        const PetscScalar f      = __shfl_sync(all_lanes, factor, owner);
        PetscScalar       v      = there ? f * terms.value(q) : PetscScalar(0);
        const int         s      = there ? table.template insert<list>(terms.column(q)) : -1;
        const unsigned    peers  = __match_any_sync(all_lanes, s);
        const bool        leader = there && s >= 0 && __ffs(peers) - 1 == lane;
        unsigned          rest   = leader ? peers & (peers - 1) : 0;
        PetscScalar       sum    = leader ? table.sum[s] + v : PetscScalar(0);

        while (__any_sync(all_lanes, rest != 0)) {
          const PetscScalar other = __shfl_sync(all_lanes, v, rest ? __ffs(rest) - 1 : lane);

          if (rest) sum += other;
          rest &= rest - 1;
        }
        if (leader) table.sum[s] = sum;
      }
      __syncwarp();
    }
  }
}

template <int Slots, bool sums> constexpr int warps_per_block = sizeof(Table<Slots, sums>) > 24000 ? 1 : sizeof(Table<Slots, sums>) > 6000 ? 2 : 4; // 48 kB

/* Lengths of the rows; of more columns than fit, -1. again: only the rows that hold -1. */
template <int Slots, class Terms> __global__ void __launch_bounds__(128) CountKernel(PetscInt n, Terms terms, bool again, PetscInt *length)
{
  constexpr int warps = warps_per_block<Slots, false>;
  __shared__ Table<Slots, false> tables[warps];
  const int                      lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t             row = static_cast<std::int64_t>(blockIdx.x) * warps + warp;

  if (row >= n || (again && length[row] >= 0)) return;
  Table<Slots, false> &table = tables[warp];

  table.clear(lane);
  add_row<false>(terms, static_cast<PetscInt>(row), lane, table);
  if (lane == 0) length[row] = table.count < table.limit ? table.count : -1;
}

/* Columns, ascending, unless they are known, and values of the rows with more than `least` and up to the table's limit. */
template <int Slots, bool known, class Terms>
__global__ void __launch_bounds__(128)
  FillKernel(PetscInt n, Terms terms, PetscInt least, const PetscInt *ptr, std::conditional_t<known, const PetscInt, PetscInt> *col, PetscScalar *val)
{
  constexpr int warps = warps_per_block<Slots, true>;
  __shared__ Table<Slots, true> tables[warps];
  const int                     lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t            row = static_cast<std::int64_t>(blockIdx.x) * warps + warp;

  if (row >= n) return;
  const PetscInt at = ptr[row], length = ptr[row + 1] - at;

  if (length <= least || length >= Table<Slots, true>::limit) return;
  Table<Slots, true> &table = tables[warp];

  table.clear(lane);
  for (PetscInt k = lane; known && k < length; k += 32) {
    table.listed[k] = col[at + k];
    table.slot[k]   = static_cast<unsigned short>(table.template insert<false>(table.listed[k]));
  }
  __syncwarp();
  add_row<!known>(terms, static_cast<PetscInt>(row), lane, table);
  for (PetscInt k = lane; k < length; k += 32) {
    const PetscInt c    = table.listed[k];
    PetscInt       rank = known ? k : 0;

    for (PetscInt l = 0; !known && l < length; l++) rank += table.listed[l] < c;
    if constexpr (!known) col[at + rank] = c;
    val[at + rank] = terms.finish(static_cast<PetscInt>(row), c, table.sum[table.slot[k]]);
  }
}

/* Values of the rows with more than `least` entries, whose columns are there: one term after the other, added up in global memory. */
template <class Terms>
__global__ void __launch_bounds__(128) LongFillKernel(PetscInt n, Terms terms, PetscInt least, const PetscInt *ptr, const PetscInt *col, PetscScalar *val)
{
  const int          lane = threadIdx.x % 32;
  const std::int64_t row  = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;

  if (row >= n || ptr[row + 1] - ptr[row] <= least) return;
  const PetscInt  length = ptr[row + 1] - ptr[row];
  const PetscInt *c      = col + ptr[row];
  PetscScalar    *v      = val + ptr[row];

  for (PetscInt t = lane; t < length; t += 32) v[t] = 0;
  __syncwarp();
  for (PetscInt p = terms.begin(static_cast<PetscInt>(row)); p < terms.end(static_cast<PetscInt>(row)); p++) {
    PetscInt    first, entries;
    PetscScalar factor;

    terms.open(p, first, entries, factor);
    for (PetscInt q = first + lane; q < first + entries; q += 32) v[lower_bound(c, 0, length - 1, terms.column(q))] += factor * terms.value(q);
    __syncwarp();
  }
  for (PetscInt t = lane; t < length; t += 32) v[t] = terms.finish(static_cast<PetscInt>(row), c[t], v[t]);
}

/* Slots of the tables. Most rows of a tall product, of an interpolation for instance, fit into the least; those of a coarse operator into the next. A thread a
   row with a table of 32 is slower, for its loads wait one for the other. */
constexpr int      few = 128, some = 256, many = 1024;
constexpr PetscInt fit_few = Table<few, true>::limit - 1, fit_some = Table<some, true>::limit - 1, fit_many = Table<many, true>::limit - 1;

inline bool tall(PetscInt nrows, PetscInt ncols) { return nrows / 4 >= ncols; }

/* What a product's longest row takes. */
enum Reach {
  one_table,
  two_tables, // rows of more than the first holds another one
  long_rows
};

inline Reach reach_of(const CsrMatrix &C)
{
  const PetscInt most = most_entries(Space::Cuda, C.nrows, C.ptr.data());

  return most <= (tall(C.nrows, C.ncols) ? fit_few : fit_some) ? one_table : most <= fit_many ? two_tables : long_rows;
}

template <int Slots, class Terms> void count_rows(PetscInt n, const Terms &terms, bool again, PetscInt *length)
{
  constexpr int warps = warps_per_block<Slots, false>;

  if (n) launch_kernel<CountKernel<Slots, Terms>>(blocks_for(n, warps), 32 * warps, n, terms, again, length);
}

template <int Slots, bool known, class Terms> void fill_rows(const Terms &terms, PetscInt least, CsrMatrix &C)
{
  constexpr int warps = warps_per_block<Slots, true>;

  launch_kernel<FillKernel<Slots, known, Terms>>(blocks_for(C.nrows, warps), 32 * warps, C.nrows, terms, least, C.ptr.data(), C.col.data(), C.val.data());
}

/* Values of the rows that fit into the least table; terms may have other columns, which come to nothing. */
template <class Terms> void add_known(PetscInt n, const Terms &terms, const PetscInt *ptr, const PetscInt *col, PetscScalar *val)
{
  constexpr int warps = warps_per_block<few, true>;

  if (n) launch_kernel<FillKernel<few, true, Terms>>(blocks_for(n, warps), 32 * warps, n, terms, PetscInt(0), ptr, col, val);
}

/* Values, and the columns of all but very long rows unless they are known; C's row pointer is there. */
template <bool known, class Terms> void fill(const Terms &terms, Reach reach, CsrMatrix &C)
{
  const bool narrow = tall(C.nrows, C.ncols);

  if (!C.nnz()) return;
  if (narrow) fill_rows<few, known>(terms, 0, C);
  else fill_rows<some, known>(terms, 0, C);
  if (reach >= two_tables) fill_rows<many, known>(terms, narrow ? fit_few : fit_some, C);
  if (reach == long_rows)
    launch_kernel<LongFillKernel<Terms>>(blocks_for(C.nrows, 4), 128, C.nrows, terms, fit_many, static_cast<const PetscInt *>(C.ptr.data()),
                                         static_cast<const PetscInt *>(C.col.data()), C.val.data());
}

/* C's pattern and values. Rows visits the same columns for find_pattern()'s way of doing very long rows. */
template <class Terms, class Rows> void make(const Terms &terms, const Rows &rows, CsrMatrix &C)
{
  const PetscInt          n = C.nrows;
  Array<PetscInt>         length(Space::Cuda, n + 1);
  pattern::LongRows<Rows> rest(C.ncols, rows);
  Reach                   reach = one_table;
  PetscInt                nnz;
  const auto              counted = [&] { return scan_lengths(Space::Cuda, length.data(), C.ptr, &nnz); }; // false: of a row there is -1

  C.ptr = Array<PetscInt>(Space::Cuda, n + 1);
  if (tall(n, C.ncols)) count_rows<few>(n, terms, false, length.data());
  else count_rows<some>(n, terms, false, length.data());
  if (!counted()) {
    reach = two_tables;
    count_rows<many>(n, terms, true, length.data());
    if (!counted()) {
      reach = long_rows;
      rest.count(pattern::overflown(n, length.data()), length.data());
      C.ptr.copy_from(length.data(), n);
      nnz = lengths_to_pointer(Space::Cuda, C.ptr);
    }
  }
  C.col = Array<PetscInt>(Space::Cuda, nnz);
  C.val = Array<PetscScalar>(Space::Cuda, nnz);
  rest.columns(C.ptr.data(), C.col.data());
  fill<false>(terms, reach, C);
}

} // namespace goza::product
#endif
