/* Rows that wait for others, each taken when all that it waits for are: the rows by how many they still wait for, and those that wait for none one round after
   the other. On a device all rounds are one launch of one block, since there are hundreds of rounds of few rows, and a row is looked at once for each that it
   waits for. For .cu files.

   A body has, of rows of this rank,
     HD PetscInt waits(row)        for how many rows that are not taken it waits, those of other ranks among them; -1: it is taken already
     HD bool     take(row)         when it waits for none; false: nobody can be taken after it
     HD void     followers(row, f) f(row) for each that waits(), as often as that counts this one */
#pragma once
#include "core/launch/for_each_row.hpp"
#include "core/util/relaxed.hpp"
#include "parallel/column_map.hpp"

namespace goza::saamg {

struct Turns {
  PetscInt *left, *queue, *count; // [rows], [rows], how many are queued

  HD void queue_up(PetscInt row) const { queue[add_relaxed(count, 1)] = row; }
};

template <class Body> HD void find_first(PetscInt row, const Turns &turns, const Body &body)
{
  const PetscInt n = body.waits(row);

  turns.left[row] = n;
  if (!n) turns.queue_up(row);
}

template <class Body> HD void take_turn(const Turns &turns, const Body &body, PetscInt k)
{
  const PetscInt row = turns.queue[k];

  if (!body.take(row)) return;
  body.followers(row, [&](PetscInt other) {
    if (add_relaxed(turns.left + other, -1) == 1) turns.queue_up(other);
  });
}

#if defined(__CUDACC__)
constexpr int turn_threads = 1024;

template <class Body> __global__ void __launch_bounds__(turn_threads) TurnsKernel(Turns turns, const __grid_constant__ Body body)
{
  for (PetscInt begin = 0, end = load_relaxed(turns.count); begin < end;) {
    __syncthreads(); // all know the end of this round before it grows
    for (PetscInt k = begin + static_cast<PetscInt>(threadIdx.x); k < end; k += turn_threads) take_turn(turns, body, k);
    __syncthreads();
    begin = end;
    end   = load_relaxed(turns.count);
  }
}
#endif

/* All rows that can be taken, on any number of ranks. value [local columns]: what take() writes, for the rows of others to be seen. Collective. */
template <class Body> void take_in_turn(const ColumnMap &columns, const Body &body, Array<PetscInt> &value)
{
  const Space     space = columns.space();
  const PetscInt  n     = columns.n();
  Array<PetscInt> left(space, n), queue(space, n), count(space, 1);
  const Turns     turns{left.data(), queue.data(), count.data()};

  for (bool more = true; columns.any(more);) {
    count.zero();
    for_each_row(space, n, bound<find_first<Body>>(turns, body));
#if defined(__CUDACC__)
    if (space == Space::Cuda && n) launch_kernel<TurnsKernel<Body>>(1, turn_threads, turns, body);
#endif
    if (space == Space::Host)
      for (PetscInt k = 0; k < *turns.count; k++) take_turn(turns, body, k);
    more = columns.size() > 1 && read_value(space, turns.count) > 0;
    columns.update(value);
  }
}

} // namespace goza::saamg
