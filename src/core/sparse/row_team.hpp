/* How a team of threads finds the columns of a row, for csr_pattern.hpp. */
#pragma once
#include "core/launch/tuning.hpp"
#include "core/util/hash.hpp"
#include "csr.hpp"
#include <type_traits>

#if defined(__CUDACC__)
namespace goza::pattern {

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
  PetscInt *kept;         // the row's columns, where there are so few, or null
};

constexpr PetscInt    kept_columns = 32;        // of a row
constexpr std::size_t kept_bytes   = 256 << 20; // of all rows: else none are kept

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

/* A short list, sorted by counting how many are smaller: a lane has some columns at a time, with which it looks through the list. */
template <class T> __device__ void sort_list(const T &team, const PetscInt *list, PetscInt n, PetscInt *to)
{
  constexpr int some = 4;

  for (PetscInt begin = team.lane; begin < n; begin += some * T::lanes) {
    PetscInt c[some], rank[some] = {};

    for (int u = 0; u < some; u++) c[u] = begin + u * T::lanes < n ? list[begin + u * T::lanes] : no_column;
    for (PetscInt l = 0; l < n; l++)
      for (int u = 0; u < some; u++) rank[u] += list[l] < c[u];
    for (int u = 0; u < some; u++)
      if (c[u] != no_column) to[rank[u]] = c[u];
  }
}

/* One row: its length, or, when col is there, its columns. */
template <class T, class Rows>
__device__ void do_row(const T &team, const Rows &rows, PetscInt row, Work work, PetscInt *length, const PetscInt *ptr, PetscInt *col)
{
  if (col) {
    const PetscInt n = ptr[row + 1] - ptr[row], enough = power_above(2 * n);
    PetscInt      *to = col + ptr[row];

    if (n > work.limit) return; // another tier's
    if (work.kept && n <= kept_columns) {
      for (PetscInt k = team.lane; k < n; k += T::lanes) to[k] = work.kept[k];
      return;
    }
    if (enough < work.slots) work.slots = enough;
    work.limit = work.slots;
    collect(team, rows, row, work);
    if (n <= work.listed) sort_list(team, work.list, n, to);
    else {
      sort(team, work.table, work.slots);
      for (PetscInt k = team.lane; k < n; k += T::lanes) to[k] = work.table[k];
    }
  } else {
    collect(team, rows, row, work);
    if (team.lane == 0) length[row] = *work.count <= work.limit ? *work.count : -1;
    if (work.kept && *work.count <= kept_columns) sort_list(team, work.list, *work.count, work.kept);
  }
  team.sync();
}

} // namespace goza::pattern
#endif
