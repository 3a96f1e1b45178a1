/* The pattern of a matrix whose rows are unions of columns found elsewhere: a product, a sum, the aggregates that a row reaches.

   Rows is a small type with
     HD PetscInt bound(row)                        no fewer than the columns visited
     HD void     visit(row, lane, lanes, f)        f(column) for the part of the row's columns that falls to one of so many lanes, repetitions allowed

   On the host a marker per column finds repetitions (Gustavson 1978). On the device a team of threads hashes a row's columns into a table in shared memory;
   rows that overflow it are done by a warp, then by a block with a table in global memory. The table is then sorted where it lies. Few columns are found once,
   and kept from when they are counted until they have their places. Where rows are few, and long therefore, as those of the lower levels of a hierarchy, a
   block does each, with a bit for every column. */
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

template <class Rows>
__global__ void __launch_bounds__(rows_per_block)
  BlockKernel(PetscInt n, const PetscInt *list, Rows rows, PetscInt *tables, PetscInt slots, PetscInt *length, const PetscInt *ptr, PetscInt *col)
{
  __shared__ int count;

  for (PetscInt k = blockIdx.x; k < n; k += gridDim.x)
    do_row(Block(), rows, list[k], {tables + static_cast<std::size_t>(blockIdx.x) * slots, slots, slots, nullptr, 0, &count, nullptr}, length, ptr, col);
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

/* Rows that no table in shared memory holds: a block each. */
template <class Rows> class LongRows {
public:
  LongRows(PetscInt ncols, const Rows &rows) : ncols_(ncols), rows_(rows) { }

  void count(Array<PetscInt> list, PetscInt *length)
  {
    list_ = std::move(list);
    if (!list_.size()) return;
    Array<std::int64_t> bounds(Space::Cuda, list_.size());
    std::int64_t        columns;

    for_each_row(Space::Cuda, static_cast<PetscInt>(list_.size()), bound<bound_row<Rows>>(list_.data(), rows_, bounds.data()));
    columns = std::min<std::int64_t>(largest(Space::Cuda, bounds.data(), bounds.size()), ncols_) + 1;
    for (slots_ = 4096; slots_ < 2 * columns + rows_per_block; slots_ *= 2) { }
    nblocks_ = static_cast<PetscInt>(
      std::max<std::int64_t>(1, std::min<std::int64_t>({256, static_cast<std::int64_t>(list_.size()), (std::int64_t(1) << 26) / slots_})));
    tables_ = Array<PetscInt>(Space::Cuda, static_cast<std::size_t>(nblocks_) * slots_);
    launch(length, nullptr, nullptr);
  }

  void columns(const PetscInt *ptr, PetscInt *col)
  {
    if (list_.size()) launch(nullptr, ptr, col);
  }

private:
  void launch(PetscInt *length, const PetscInt *ptr, PetscInt *col)
  {
    launch_kernel<BlockKernel<Rows>>(static_cast<unsigned>(nblocks_), rows_per_block, static_cast<PetscInt>(list_.size()), list_.data(), rows_, tables_.data(),
                                     slots_, length, ptr, col);
  }

  PetscInt        ncols_, slots_ = 0, nblocks_ = 0;
  Rows            rows_;
  Array<PetscInt> list_{Space::Cuda}, tables_{Space::Cuda};
};

/* Rows whose lengths or, when col is there, columns a block finds by bits. */
template <class Rows>
__global__ void __launch_bounds__(rows_per_block) BitsKernel(PetscInt ncols, Rows rows, PetscInt *length, const PetscInt *ptr, PetscInt *col)
{
  extern __shared__ unsigned memory_of_bits[];
  const ColumnBits           bits(ncols, memory_of_bits);
  const PetscInt             row = blockIdx.x;

  bits.clear();
  __syncthreads();
  rows.visit(row, static_cast<int>(threadIdx.x), rows_per_block, [&](PetscInt c) { bits.add(c); });
  __syncthreads();
  if (threadIdx.x < 32) {
    const int n = bits.count(static_cast<int>(threadIdx.x));

    if (!col && threadIdx.x == 0) length[row] = n;
  }
  if (!col) return;
  __syncthreads();
  for (PetscInt c = threadIdx.x; c < ncols; c += rows_per_block)
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
    long_.count(std::move(left), length);
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
    if (nrows_) launch_kernel_with<BitsKernel<Rows>>(ColumnBits::bytes(ncols_), blocks_for(nrows_, 1), rows_per_block, ncols_, rows_, length, ptr, col);
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
};

} // namespace pattern
#endif

/* The rows of a product A B, for find_pattern(). */
struct ProductRows {
  const PetscInt *aptr, *acol, *bptr, *bcol;
  bool            with_diagonal; // C has its diagonal, whatever A and B hold

  HD PetscInt bound(PetscInt row) const
  {
    std::int64_t n = with_diagonal;

    for (PetscInt p = aptr[row]; p < aptr[row + 1]; p++) n += bptr[acol[p] + 1] - bptr[acol[p]];
    return n < PETSC_MAX_INT ? static_cast<PetscInt>(n) : PETSC_MAX_INT;
  }

  template <class F> HD void visit(PetscInt row, int lane, int lanes, F f) const
  {
    const int wide = lanes < 32 ? lanes : 32; // lanes to a row of B

    if (with_diagonal && lane == 0) f(row);
    for (PetscInt p = aptr[row] + lane / wide; p < aptr[row + 1]; p += lanes / wide) {
      const PetscInt j = acol[p], end = bptr[j + 1];

      for (PetscInt q = bptr[j] + lane % wide; q < end; q += wide) f(bcol[q]);
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
