/* The pattern of a matrix whose rows are unions of columns found elsewhere: a product, a sum, the aggregates that a row reaches.

   Rows is a small type with
     HD PetscInt bound(row)                        no fewer than the columns visited
     HD void     visit(row, lane, lanes, f)        f(column) for the part of the row's columns that falls to one of so many lanes, repetitions allowed

   On the host a marker per column finds repetitions (Gustavson 1978). On the device a team of threads hashes a row's columns into a table in shared memory;
   rows that overflow it are done by a warp, then by a block with a table in global memory. The table is then sorted where it lies. Where rows are few, and long
   therefore, as those of the lower levels of a hierarchy, a block does each, with a bit for every column. */
#pragma once
#include "core/util/algorithm.hpp"
#include "core/util/hash.hpp"
#include "column_bits.hpp"
#include "csr.hpp"
#include "core/launch/for_each_row.hpp"
#include <type_traits>

namespace goza
{

#if defined(__CUDACC__)
namespace pattern
{

/* Threads that work on one row. */
template <int Lanes> struct Team { // Lanes <= 32: part of a warp
  int      lane;
  unsigned mask;

  static constexpr int lanes = Lanes;
  __device__      Team() : lane(threadIdx.x % Lanes), mask((Lanes == 32 ? 0xffffffffu : (1u << (Lanes & 31)) - 1) << (threadIdx.x % 32 / Lanes * Lanes)) { }
  __device__ void sync() const { __syncwarp(mask); }
};

struct Block {
  int lane = static_cast<int>(threadIdx.x);

  static constexpr int lanes = rows_per_block;
  __device__ void      sync() const { __syncthreads(); }
};

__device__ inline PetscInt claim(PetscInt *place, PetscInt key)
{
  using Word = std::conditional_t<sizeof(PetscInt) == 8, unsigned long long, unsigned int>;

  return static_cast<PetscInt>(atomicCAS(reinterpret_cast<Word *>(place), static_cast<Word>(no_column), static_cast<Word>(key)));
}

/* Where a team finds the columns of a row. */
struct Work {
  PetscInt *table, slots; // a power of two above limit + the team's lanes, so that it is never full
  PetscInt  limit;
  PetscInt *list, listed; // the first `listed` of them, as they came
  int      *count;        // their number, or more than `limit` where there are more
};

template <class T, class Rows> __device__ void collect(const T &team, const Rows &rows, PetscInt row, const Work &work)
{
  PetscInt *const table = work.table;
  const PetscInt  slots = work.slots;
  bool            full  = false;

  for (PetscInt s = team.lane; s < slots; s += T::lanes) table[s] = no_column;
  if (team.lane == 0) *work.count = 0;
  team.sync();
  rows.visit(row, team.lane, T::lanes, [&](PetscInt c) {
    PetscInt s = static_cast<PetscInt>(scattered(c) >> 7) & (slots - 1);

    while (!full) {
      PetscInt held = table[s];

      if (held == c) return;
      if (held == no_column) {
        held = claim(table + s, c);
        if (held == no_column) {
          const PetscInt n = atomicAdd(work.count, 1);

          if (n < work.listed) work.list[n] = c;
          full = n >= work.limit;
          return;
        }
        if (held == c) return;
      }
      s = (s + 1) & (slots - 1);
    }
  });
  team.sync();
}

/* Bitonic, on a power of two of slots. */
template <class T> __device__ void sort(const T &team, PetscInt *table, PetscInt slots)
{
  for (PetscInt run = 2; run <= slots; run *= 2) {
    for (PetscInt step = run / 2; step > 0; step /= 2) {
      for (PetscInt t = team.lane; t < slots / 2; t += T::lanes) {
        const PetscInt i = 2 * step * (t / step) + t % step, j = i + step;
        const PetscInt a = table[i], b = table[j];

        if ((a > b) == ((i & run) == 0)) {
          table[i] = b;
          table[j] = a;
        }
      }
      team.sync();
    }
  }
}

__device__ inline PetscInt power_above(PetscInt n)
{
  PetscInt p = 4;

  while (p < n) p *= 2;
  return p;
}

/* One row: its length, or, when col is there, its columns. A short list is sorted by counting how many are smaller. */
template <class T, class Rows>
__device__ void do_row(const T &team, const Rows &rows, PetscInt row, Work work, PetscInt *length, const PetscInt *ptr, PetscInt *col)
{
  if (col) {
    const PetscInt n = ptr[row + 1] - ptr[row], enough = power_above(2 * n);
    PetscInt      *to = col + ptr[row];

    if (n > work.limit) return; // another tier's
    if (enough < work.slots) work.slots = enough;
    work.limit = work.slots;
    collect(team, rows, row, work);
    if (n <= work.listed) {
      for (PetscInt k = team.lane; k < n; k += T::lanes) {
        const PetscInt c    = work.list[k];
        PetscInt       rank = 0;

        for (PetscInt l = 0; l < n; l++) rank += work.list[l] < c;
        to[rank] = c;
      }
    } else {
      sort(team, work.table, work.slots);
      for (PetscInt k = team.lane; k < n; k += T::lanes) to[k] = work.table[k];
    }
  } else {
    collect(team, rows, row, work);
    if (team.lane == 0) length[row] = *work.count <= work.limit ? *work.count : -1;
  }
  team.sync();
}

template <int Lanes> constexpr PetscInt slots_of  = Lanes == 32 ? 4096 / sizeof(PetscInt) : 512 / sizeof(PetscInt);
template <int Lanes> constexpr PetscInt listed_of = slots_of<Lanes> / (Lanes == 32 ? 8 : 2);

/* list: the rows, or null for all of them. */
template <int Lanes, class Rows>
__global__ void __launch_bounds__(rows_per_block) TeamKernel(PetscInt n, const PetscInt *list, Rows rows, PetscInt *length, const PetscInt *ptr, PetscInt *col)
{
  constexpr int       teams = rows_per_block / Lanes;
  constexpr PetscInt  slots = slots_of<Lanes>, listed = listed_of<Lanes>;
  __shared__ PetscInt table[teams * slots], lists[teams * listed];
  __shared__ int      count[teams];
  const Team<Lanes>   team;
  const int           mine = threadIdx.x / Lanes;
  const std::int64_t  k    = static_cast<std::int64_t>(blockIdx.x) * teams + mine;

  if (k < n)
    do_row(team, rows, list ? list[k] : static_cast<PetscInt>(k), {table + mine * slots, slots, slots / 4 * 3, lists + mine * listed, listed, count + mine},
           length, ptr, col);
}

template <class Rows>
__global__ void __launch_bounds__(rows_per_block)
  BlockKernel(PetscInt n, const PetscInt *list, Rows rows, PetscInt *tables, PetscInt slots, PetscInt *length, const PetscInt *ptr, PetscInt *col)
{
  __shared__ int count;

  for (PetscInt k = blockIdx.x; k < n; k += gridDim.x)
    do_row(Block(), rows, list[k], {tables + static_cast<std::size_t>(blockIdx.x) * slots, slots, slots, nullptr, 0, &count}, length, ptr, col);
}

struct Overflown {
  const PetscInt *length;
  char           *flag;

  HD void operator()(PetscInt i) const { flag[i] = length[i] < 0; }
};

template <class Rows> struct Bounds {
  const PetscInt *list;
  Rows            rows;
  std::int64_t   *bound;

  HD void operator()(PetscInt k) const { bound[k] = rows.bound(list[k]); }
};

/* The rows whose length is -1. */
inline Array<PetscInt> overflown(PetscInt nrows, const PetscInt *length)
{
  Array<char> flag(Space::Cuda, nrows);

  for_each_row(Space::Cuda, nrows, Overflown{length, flag.data()});
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
    Array<std::int64_t> bound(Space::Cuda, list_.size());
    std::int64_t        columns;

    for_each_row(Space::Cuda, static_cast<PetscInt>(list_.size()), Bounds<Rows>{list_.data(), rows_, bound.data()});
    columns = std::min<std::int64_t>(largest(Space::Cuda, bound.data(), bound.size()), ncols_) + 1;
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
  for (PetscInt c = threadIdx.x; c < ncols; c += rows_per_block) {
    if (bits.has(c)) col[ptr[row] + bits.rank(c)] = c;
  }
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
    if (n) launch_kernel<TeamKernel<Lanes, Rows>>(blocks_for(n, rows_per_block / Lanes), rows_per_block, n, list, rows_, length, ptr, col);
  }

  PetscInt        nrows_, ncols_;
  Rows            rows_;
  bool            narrow_;            // teams of 8: few columns a row
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
