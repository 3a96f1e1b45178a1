/* Sparse products on the device, and whatever else adds up rows of a matrix: pattern and values of C, whose row is the sum of some terms' rows.

   Terms is a small type with
     PetscInt    begin(row), end(row)                where the row's terms stand
     void        open(p, &first, &length, &factor)   term p is factor times the entries first .. first + length - 1
     PetscInt    column(q), PetscScalar value(q)     entry q
     PetscInt    extra(row)                          a column that the row has in any case, or no_column
     PetscScalar finish(row, column, sum)            the entry of C

   A warp does a row: it opens 32 terms at a time, spreads their entries over its lanes, and hashes the columns into a table in shared memory. Lanes that have
   the same column are added up in their order: every sum is in the order of the terms, so that no result depends on the run. Rows of more columns are a
   block's. */
#pragma once
#include "csr_pattern.hpp"
#include "long_product.hpp"
#include "short_product.hpp"
#include "core/util/algorithm.hpp"

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

/* Lengths of the rows; of more columns than fit, or of so many terms that a warp would work for long after the others, -1. */
template <int Slots, class Terms> __global__ void __launch_bounds__(128) CountKernel(PetscInt n, Terms terms, PetscInt most, PetscInt *length)
{
  constexpr int warps = warps_per_block<Slots, false>;
  __shared__ Table<Slots, false> tables[warps];
  const int                      lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t             k = static_cast<std::int64_t>(blockIdx.x) * warps + warp;

  if (k >= n) return;
  Table<Slots, false> &table = tables[warp];
  const PetscInt       row   = static_cast<PetscInt>(k);
  const bool           fits  = terms.end(row) - terms.begin(row) <= most;

  table.clear(lane);
  if (fits) add_row<false>(terms, row, lane, table);
  if (lane == 0) length[row] = fits && table.count < table.limit ? table.count : -1;
}

/* Columns, ascending, unless they are known, and values of the rows that fit into the table and have no more terms than `most`. */
template <int Slots, bool known, class Terms>
__global__ void __launch_bounds__(128)
  FillKernel(RowsToFill rows, Terms terms, PetscInt most, const PetscInt *ptr, std::conditional_t<known, const PetscInt, PetscInt> *col, PetscScalar *val)
{
  constexpr int warps = warps_per_block<Slots, true>;
  __shared__ Table<Slots, true> tables[warps];
  const int                     lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t            r = static_cast<std::int64_t>(blockIdx.x) * warps + warp;

  if (r >= rows.n) return;
  const PetscInt row = rows.list ? rows.list[r] : static_cast<PetscInt>(r), at = ptr[row], length = ptr[row + 1] - at;

  if (length <= rows.done_before || length >= Table<Slots, true>::limit || terms.end(row) - terms.begin(row) > most) return;
  Table<Slots, true> &table = tables[warp];

  table.clear(lane);
  for (PetscInt k = lane; known && k < length; k += 32) {
    table.listed[k] = col[at + k];
    table.slot[k]   = static_cast<unsigned short>(table.template insert<false>(table.listed[k]));
  }
  __syncwarp();
  add_row<!known>(terms, row, lane, table);
  for (PetscInt k = lane; k < length; k += 32) {
    const PetscInt c    = table.listed[k];
    PetscInt       rank = known ? k : 0;

    for (PetscInt l = 0; !known && l < length; l++) rank += table.listed[l] < c;
    if constexpr (!known) col[at + rank] = c;
    val[at + rank] = terms.finish(row, c, table.sum[table.slot[k]]);
  }
}

/* Slots of the tables. Most rows of a tall product, of an interpolation for instance, fit into the less; those of a coarse operator into the other. A thread a
   row with a table of 32 is slower, for its loads wait one for the other. */
constexpr int few = 128, some = 256;

inline bool     tall(PetscInt nrows, PetscInt ncols) { return nrows / 4 >= ncols; }
inline PetscInt fits(const CsrMatrix &C) { return (tall(C.nrows, C.ncols) ? Table<few, true>::limit : Table<some, true>::limit) - 1; }

/* Rows for a warp, by their terms of so many entries on an average: not more than this. */
constexpr double entries_of_warp = 2048;
inline PetscInt  most_terms(double mean) { return static_cast<PetscInt>(entries_of_warp / std::max(mean, 1.)); }

template <int Slots, class Terms> void count_rows(PetscInt n, const Terms &terms, PetscInt most, PetscInt *length)
{
  constexpr int warps = warps_per_block<Slots, false>;

  if (n) launch_kernel<CountKernel<Slots, Terms>>(blocks_for(n, warps), 32 * warps, n, terms, most, length);
}

/* Values of the rows that fit into the table. known: and so are columns; terms may have others, which come to nothing. */
template <int Slots, bool known, class Terms, class Col>
void fill_rows(const RowsToFill &rows, const Terms &terms, PetscInt most, const PetscInt *ptr, Col *col, PetscScalar *val)
{
  constexpr int warps = warps_per_block<Slots, true>;

  if (rows.n) launch_kernel<FillKernel<Slots, known, Terms>>(blocks_for(rows.n, warps), 32 * warps, rows, terms, most, ptr, col, val);
}

template <bool known, class Terms> void fill(const Terms &terms, PetscInt most, CsrMatrix &C)
{
  if (tall(C.nrows, C.ncols)) fill_rows<few, known>({C.nrows}, terms, most, C.ptr.data(), C.col.data(), C.val.data());
  else fill_rows<some, known>({C.nrows}, terms, most, C.ptr.data(), C.col.data(), C.val.data());
}

HD inline void is_long(PetscInt i, PetscInt most, const PetscInt *ptr, char *flag) { flag[i] = ptr[i + 1] - ptr[i] > most; }

/* Rows of which each is looked at in less time than the host waits for a list. */
constexpr PetscInt not_listed = 1 << 14;

/* The rows with more than so many entries; list: room for them. */
inline RowsToFill longer_than(PetscInt entries, PetscInt n, const PetscInt *ptr, Array<PetscInt> &list)
{
  if (n <= not_listed) return {n, nullptr, entries};
  Array<char> flag(Space::Cuda, n);

  for_each_row(Space::Cuda, n, bound<is_long>(entries, ptr, flag.data()));
  list = flagged(Space::Cuda, flag.data(), n);
  return {static_cast<PetscInt>(list.size()), list.data(), entries};
}

/* Values of n rows, most of which are short, from their columns; terms may have other columns, which come to nothing. Returns the rows that are not short, of
   which those for a block are left; list: room for them. */
template <class Terms> RowsToFill fill_short(PetscInt n, const Terms &terms, const PetscInt *ptr, const PetscInt *col, PetscScalar *val, Array<PetscInt> &list)
{
  if (!n) return {0};
  launch_kernel<ShortFillKernel<Terms>>(blocks_for(n, short_threads / few_lanes), short_threads, n, terms, ptr, col, val);
  const RowsToFill rows = longer_than(short_columns, n, ptr, list);

  fill_rows<few, true>(rows, terms, PETSC_MAX_INT, ptr, col, val);
  return rows;
}

/* Whether most rows of a product are short; products: of a row. */
inline bool short_rows(PetscInt nrows, PetscInt ncols, double products) { return tall(nrows, ncols) && products <= 4 * short_columns; }

/* C's values; its pattern is there. mean: entries of a term; products: of a row. */
template <class Terms> void refill(const Terms &terms, double mean, double products, CsrMatrix &C)
{
  Array<PetscInt> list(Space::Cuda);
  RowsToFill      rows;

  if (short_rows(C.nrows, C.ncols, products)) rows = fill_short(C.nrows, terms, C.ptr.data(), C.col.data(), C.val.data(), list);
  else {
    fill<true>(terms, PETSC_MAX_INT, C);
    rows = longer_than(fits(C), C.nrows, C.ptr.data(), list);
  }
  rows.done_before = fits(C);
  fill_long(terms, rows, mean, C);
}

/* C's pattern and values. Rows visits the same columns, of long rows. */
template <class Terms, class Rows> void make(const Terms &terms, const Rows &rows, double mean, double products, CsrMatrix &C)
{
  if (short_rows(C.nrows, C.ncols, products)) {
    find_pattern(Space::Cuda, C.nrows, C.ncols, rows, true, C.ptr, C.col);
    C.val = Array<PetscScalar>(Space::Cuda, C.col.size());
    if (C.nnz()) refill(terms, mean, products, C);
    return;
  }
  const PetscInt          n = C.nrows, most = most_terms(mean);
  Array<PetscInt>         length(Space::Cuda, n + 1);
  pattern::LongRows<Rows> rest(C.ncols, rows);
  PetscInt                nnz;

  C.ptr = Array<PetscInt>(Space::Cuda, n + 1);
  if (tall(n, C.ncols)) count_rows<few>(n, terms, most, length.data());
  else count_rows<some>(n, terms, most, length.data());
  if (!scan_lengths(Space::Cuda, length.data(), C.ptr, &nnz)) { // of a row there is -1
    rest.count(n, pattern::overflown(n, length.data()), length.data());
    nnz = lengths_to_pointer(Space::Cuda, length.data(), C.ptr);
  }
  C.col = Array<PetscInt>(Space::Cuda, nnz);
  C.val = Array<PetscScalar>(Space::Cuda, nnz);
  if (!nnz) return;
  rest.columns(C.ptr.data(), C.col.data());
  fill<false>(terms, most, C);
  fill_long(terms, {static_cast<PetscInt>(rest.list().size()), rest.list().data()}, mean, C);
}

} // namespace goza::product
#endif
