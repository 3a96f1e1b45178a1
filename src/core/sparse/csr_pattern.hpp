/* The pattern of a matrix whose rows are unions of columns found elsewhere: a product, a sum, the aggregates that a row reaches.

   Rows is a small type with
     HD PetscInt bound(row)                        no fewer than the columns visited
     HD void     visit(row, lane, lanes, f)        f(column) for the part of the row's columns that falls to one of so many lanes, repetitions allowed

   On the host a marker per column finds repetitions (Gustavson 1978). On the device a team of threads hashes a row's columns into a table in shared memory;
   rows that overflow it are done by a warp, then by a block, at last with a table in global memory. The table is then sorted where it lies. Few columns are
   found once, and kept from when they are counted until they have their places. Where rows are few, and long therefore, as those of the lower levels of a
   hierarchy, a block does each, with a bit for every column. */
#pragma once
#include "core/util/algorithm.hpp"
#include "column_bits.hpp"
#include "row_team.hpp"

namespace goza {

#if defined(__CUDACC__)
namespace pattern {

template <int Lanes> constexpr PetscInt slots_of  = Lanes == 32 ? 4096 / sizeof(PetscInt) : 512 / sizeof(PetscInt);
template <int Lanes> constexpr PetscInt listed_of = slots_of<Lanes> / (Lanes == 32 ? 8 : 2);

/* list: the rows, or null for all of them. kept: [rows][kept_columns], or null. */
template <int Lanes, class Rows>
__global__ void __launch_bounds__(rows_per_block)
  TeamKernel(PetscInt n, const PetscInt *list, Rows rows, PetscInt *kept, PetscInt *length, const PetscInt *ptr, PetscInt *col)
{
  constexpr int       teams = rows_per_block / Lanes;
  constexpr PetscInt  slots = slots_of<Lanes>, listed = listed_of<Lanes>;
  __shared__ PetscInt table[teams * slots], lists[teams * listed];
  __shared__ int      count[teams];
  const Team<Lanes>   team;
  const int           mine = threadIdx.x / Lanes;
  const std::int64_t  k    = static_cast<std::int64_t>(blockIdx.x) * teams + mine;

  static_assert(kept_columns <= listed);
  if (k < n)
    do_row(team, rows, list ? list[k] : static_cast<PetscInt>(k),
           {table + mine * slots, slots, slots / 4 * 3, lists + mine * listed, listed, count + mine, kept ? kept + k * kept_columns : nullptr}, length, ptr,
           col);
}

/* A block a row of the list; tables: one of so many slots for each block, or null for one in shared memory, in which longer rows overflow. */
template <class Rows>
__global__ void __launch_bounds__(rows_per_block)
  BlockKernel(PetscInt n, const PetscInt *list, Rows rows, PetscInt *tables, PetscInt slots, PetscInt *length, const PetscInt *ptr, PetscInt *col)
{
  extern __shared__ PetscInt table_of_block[];
  __shared__ int             count;
  PetscInt *const            table = tables ? tables + static_cast<std::size_t>(blockIdx.x) * slots : table_of_block;

  for (PetscInt k = blockIdx.x; k < n; k += gridDim.x)
    do_row(Block(), rows, list[k], {table, slots, tables ? slots : slots / 4 * 3, nullptr, 0, &count, nullptr}, length, ptr, col);
}

HD inline void has_overflown(PetscInt i, const PetscInt *length, char *flag) { flag[i] = length[i] < 0; }

template <class Rows> HD void bound_row(PetscInt k, const PetscInt *list, const Rows &rows, std::int64_t *bounds) { bounds[k] = rows.bound(list[k]); }

/* The rows whose length is -1. */
inline Array<PetscInt> overflown(PetscInt nrows, const PetscInt *length)
{
  Array<char> flag(Space::Cuda, nrows);

  for_each_row(Space::Cuda, nrows, bound<has_overflown>(length, flag.data()));
  return flagged(Space::Cuda, flag.data(), nrows);
}

constexpr PetscInt shared_slots = 32768 / sizeof(PetscInt);

/* Rows that are too long for a warp: a block each, with a table in shared memory, or in global memory where that is too small. */
template <class Rows> class LongRows {
public:
  LongRows(PetscInt ncols, const Rows &rows) : ncols_(ncols), rows_(rows) { }

  /* list: those of nrows whose length is -1. */
  void count(PetscInt nrows, Array<PetscInt> list, PetscInt *length)
  {
    list_ = std::move(list);
    if (!list_.size()) return;
    launch(list_, static_cast<unsigned>(list_.size()), length, nullptr, nullptr);
    if (ncols_ >= shared_slots / 4 * 3) longer_ = overflown(nrows, length);
    if (!longer_.size()) return;
    Array<std::int64_t> bounds(Space::Cuda, longer_.size());
    std::int64_t        columns;

    for_each_row(Space::Cuda, static_cast<PetscInt>(longer_.size()), bound<bound_row<Rows>>(longer_.data(), rows_, bounds.data()));
    columns = std::min<std::int64_t>(largest(Space::Cuda, bounds.data(), bounds.size()), ncols_) + 1;
    for (slots_ = 4096; slots_ < 2 * columns + rows_per_block; slots_ *= 2) { }
    nblocks_ = static_cast<unsigned>(
      std::max<std::int64_t>(1, std::min<std::int64_t>({256, static_cast<std::int64_t>(longer_.size()), (std::int64_t(1) << 26) / slots_})));
    tables_ = Array<PetscInt>(Space::Cuda, static_cast<std::size_t>(nblocks_) * slots_);
    launch(longer_, nblocks_, length, nullptr, nullptr);
  }

  void columns(const PetscInt *ptr, PetscInt *col)
  {
    if (list_.size()) launch(list_, static_cast<unsigned>(list_.size()), nullptr, ptr, col);
    if (longer_.size()) launch(longer_, nblocks_, nullptr, ptr, col);
  }

  const Array<PetscInt> &list() const { return list_; }

private:
  void launch(const Array<PetscInt> &list, unsigned blocks, PetscInt *length, const PetscInt *ptr, PetscInt *col)
  {
    const bool shared = &list == &list_;

    launch_kernel_with<BlockKernel<Rows>>(shared ? shared_slots * sizeof(PetscInt) : 0, blocks, rows_per_block, static_cast<PetscInt>(list.size()), list.data(),
                                          rows_, shared ? nullptr : tables_.data(), shared ? shared_slots : slots_, length, ptr, col);
  }

  PetscInt        ncols_, slots_ = 0;
  unsigned        nblocks_ = 0;
  Rows            rows_;
  Array<PetscInt> list_{Space::Cuda}, longer_{Space::Cuda}, tables_{Space::Cuda};
};

/* Rows whose lengths a block finds by bits, which are kept; or, when col is there, their columns. kept: [rows][words] */
template <class Rows>
__global__ void __launch_bounds__(rows_per_block) BitsKernel(PetscInt ncols, Rows rows, unsigned *kept, PetscInt *length, const PetscInt *ptr, PetscInt *col)
{
  extern __shared__ unsigned memory_of_bits[];
  const ColumnBits           bits(ncols, memory_of_bits);
  const PetscInt             row = blockIdx.x;

  kept += static_cast<std::size_t>(row) * (ncols / 32 + 1);
  bits.copy(col ? kept : nullptr, nullptr);
  __syncthreads();
  if (!col) rows.visit(row, static_cast<int>(threadIdx.x), rows_per_block, [&](PetscInt c) { bits.add(c); });
  __syncthreads();
  if (threadIdx.x < 32) {
    const int n = bits.count(static_cast<int>(threadIdx.x));

    if (!col && threadIdx.x == 0) length[row] = n;
  }
  if (!col) bits.copy(nullptr, kept);
  __syncthreads();
  for (PetscInt c = threadIdx.x; col && c < ncols; c += rows_per_block)
    if (bits.has(c)) col[ptr[row] + bits.rank(c)] = c;
}

constexpr PetscInt few_by_bits = 16384; // rows, and columns

template <class Rows> class Finder {
public:
  Finder(PetscInt nrows, PetscInt ncols, const Rows &rows, bool narrow) : nrows_(nrows), ncols_(ncols), rows_(rows), narrow_(narrow), long_(ncols, rows) { }

  void count(PetscInt *length)
  {
    if (few()) {
      by_bits(length, nullptr, nullptr);
      return;
    }
    if (const std::size_t all = static_cast<std::size_t>(nrows_) * kept_columns; narrow_ && all <= kept_bytes / sizeof(PetscInt))
      kept_ = Array<PetscInt>(Space::Cuda, all, unset);
    if (narrow_) teams<8>(nrows_, nullptr, length, nullptr, nullptr);
    else teams<32>(nrows_, nullptr, length, nullptr, nullptr);
    Array<PetscInt> left = overflown(nrows_, length);
    if (narrow_ && left.size()) {
      wide_ = std::move(left);
      teams<32>(static_cast<PetscInt>(wide_.size()), wide_.data(), length, nullptr, nullptr);
      left = overflown(nrows_, length);
    }
    long_.count(nrows_, std::move(left), length);
  }

  void columns(const PetscInt *ptr, PetscInt *col)
  {
    if (few()) {
      by_bits(nullptr, ptr, col);
      return;
    }
    if (narrow_) teams<8>(nrows_, nullptr, nullptr, ptr, col);
    else teams<32>(nrows_, nullptr, nullptr, ptr, col);
    if (wide_.size()) teams<32>(static_cast<PetscInt>(wide_.size()), wide_.data(), nullptr, ptr, col);
    long_.columns(ptr, col);
  }

private:
  bool few() const { return nrows_ <= few_by_bits && ncols_ <= few_by_bits; }
  void by_bits(PetscInt *length, const PetscInt *ptr, PetscInt *col)
  {
    if (!col) bits_ = Array<unsigned>(Space::Cuda, static_cast<std::size_t>(nrows_) * (ncols_ / 32 + 1), unset);
    if (nrows_)
      launch_kernel_with<BitsKernel<Rows>>(ColumnBits::bytes(ncols_), blocks_for(nrows_, 1), rows_per_block, ncols_, rows_, bits_.data(), length, ptr, col);
  }
  template <int Lanes> void teams(PetscInt n, const PetscInt *list, PetscInt *length, const PetscInt *ptr, PetscInt *col)
  {
    if (n)
      launch_kernel<TeamKernel<Lanes, Rows>>(blocks_for(n, rows_per_block / Lanes), rows_per_block, n, list, rows_, list ? nullptr : kept_.data(), length, ptr,
                                             col);
  }

  PetscInt        nrows_, ncols_;
  Rows            rows_;
  bool            narrow_;            // teams of 8: few columns a row
  Array<PetscInt> kept_{Space::Cuda}; // of all rows
  Array<PetscInt> wide_{Space::Cuda}; // rows left to warps
  LongRows<Rows>  long_;              // and to blocks
  Array<unsigned> bits_{Space::Cuda}; // of all rows
};

} // namespace pattern
#endif

/* The rows of a product A B, for find_pattern(). */
struct ProductRows {
  const PetscInt *aptr, *acol, *bptr, *bcol;
  bool            with_diagonal; // C has its diagonal, whatever A and B hold
  int             wide = 32;     // lanes to a row of B

  HD PetscInt bound(PetscInt row) const
  {
    std::int64_t n = with_diagonal;

    for (PetscInt p = aptr[row]; p < aptr[row + 1]; p++) n += bptr[acol[p] + 1] - bptr[acol[p]];
    return n < PETSC_MAX_INT ? static_cast<PetscInt>(n) : PETSC_MAX_INT;
  }

  /* Where the next row of B lies is asked for before columns of the one at hand, some of which are asked for at a time. */
  template <class F> HD void visit(PetscInt row, int lane, int lanes, F f) const
  {
    constexpr int  some = 4;
    const int      each = lanes < wide ? lanes : wide, step = lanes / each;
    const PetscInt end = aptr[row + 1];
    PetscInt       p = aptr[row] + lane / each, next[2] = {};
    const auto     ask = [&] {
      if (p >= end) return;
      next[0] = bptr[acol[p]];
      next[1] = bptr[acol[p] + 1];
    };

    if (with_diagonal && lane == 0) f(row);
    for (ask(); p < end;) {
      const PetscInt q = next[0] + lane % each, last = next[1];

      p += step;
      ask();
      for (PetscInt r = q; r < last; r += some * each) {
        PetscInt c[some];

        UNROLL()
        for (int u = 0; u < some; u++) c[u] = r + u * each < last ? bcol[r + u * each] : no_column;
        UNROLL()
        for (int u = 0; u < some; u++)
          if (c[u] != no_column) f(c[u]);
      }
    }
  }
};

/* ptr [nrows + 1] and col of the pattern, columns ascending. narrow: most rows have few columns, to be visited by few lanes. */
template <class Rows> void find_pattern(Space space, PetscInt nrows, PetscInt ncols, const Rows &rows, bool narrow, Array<PetscInt> &ptr, Array<PetscInt> &col)
{
  ptr = Array<PetscInt>(space, nrows + 1);
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    pattern::Finder<Rows> finder(nrows, ncols, rows, narrow);

    finder.count(ptr.data());
    col = Array<PetscInt>(space, lengths_to_pointer(space, ptr));
    if (col.size()) finder.columns(ptr.data(), col.data());
    return;
  }
#endif
  (void)narrow;
  std::vector<PetscInt> seen(ncols, -1); // the last row that had this column
  std::vector<PetscInt> found;

  for (PetscInt row = 0; row < nrows; row++) {
    const std::size_t begin = found.size();

    rows.visit(row, 0, 1, [&](PetscInt c) {
      if (seen[c] == row) return;
      seen[c] = row;
      found.push_back(c);
    });
    std::sort(found.begin() + begin, found.end());
    ptr.data()[row] = static_cast<PetscInt>(found.size() - begin);
  }
  lengths_to_pointer(space, ptr);
  col = Array<PetscInt>(space, found.data(), found.size());
}

} // namespace goza
