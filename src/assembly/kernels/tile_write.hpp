/* From a tile's sums to the matrix, rows of given unknowns like all others. Chip (on_chip.hpp) says what a sum holds. */
#pragma once
#include "target.hpp"

namespace goza::assembly::tile {

#if defined(__CUDACC__)

/* --- whole rows */

struct TileRows {
  int            *begin; // [count + 1] on chip: where a node's pairs begin among those of the tile
  PetscInt       *start; // [count] on chip: where its first row begins in the matrix
  const PetscInt *node;
  int             count;
};

/* By the first warp; others must wait before they read. */
__device__ inline void find_begins(const PetscInt *ptr, const PetscInt *row_ptr, int bs, const TileRows &rows)
{
  int before = 0;

  if (threadIdx.x >= 32) return;
  for (int k = threadIdx.x; k < (rows.count + 31) / 32 * 32; k += 32) {
    int sum = 0;

    if (k < rows.count) {
      const PetscInt i = rows.node[k];

      sum           = static_cast<int>(ptr[i + 1] - ptr[i]);
      rows.start[k] = row_ptr[i * bs];
    }
    for (int d = 1; d < 32; d <<= 1) {
      const int left = __shfl_up_sync(0xffffffffu, sum, d);

      if (static_cast<int>(threadIdx.x) >= d) sum += left;
    }
    if (k < rows.count) rows.begin[k + 1] = before + sum;
    before += __shfl_sync(0xffffffffu, sum, 31);
  }
  if (threadIdx.x == 0) rows.begin[0] = 0;
}

/* A warp takes a row: its values are consecutive. sums: [pairs][kept] in the order of the rows. */
template <class Chip, int bs>
__device__ void write_rows(const MeshView &mesh, const PetscInt *ptr, const PetscInt *col, const Target &target, const TileRows &rows, const PetscScalar *sums)
{
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  for (int t = warp; t < rows.count * bs; t += blockDim.x / 32) {
    const int          k = t / bs, r = t % bs, pairs = rows.begin[k + 1] - rows.begin[k], length = pairs * bs;
    const PetscScalar *from = sums + rows.begin[k] * Chip::kept;

    if (!target.from && !target.ptr_other) { // the usual case: nothing to look up
      PetscScalar *to = target.val + rows.start[k] + r * length;

      for (int v = lane; v < length; v += 32) __stcs(to + v, Chip::value(from + v / bs * Chip::kept, r, v % bs));
      continue;
    }
    const PetscInt i = cached_load(rows.node + k), first = ptr[i];
    PetscInt       nown = pairs;

    if (target.ptr_other && !target.from) {
      while (nown > 0 && col[first + nown - 1] >= mesh.owned) nown--;
    }
    for (int v = lane; v < length; v += 32) {
      const int      s = v / bs, c = v % bs;
      const PetscInt j = col[first + s];

      target.csr(i, first + s, s, nown, j, r)[c] = Chip::value(from + s * Chip::kept, r, c);
    }
  }
}

/* --- one pair of nodes, with its mirror image. s: the slot of j in i's row; back: that of i in j's. */

/* A pair with a node of another rank. row: the columns of i's pairs */
template <class Chip, int bs>
__device__ void write_other(const MeshView &mesh, const PetscInt *row, const Target &target, PetscInt i, int s, PetscInt j, const PetscScalar *sum)
{
  int nown = s;

  while (nown > 0 && cached_load(row + nown - 1) >= mesh.owned) nown--;
  for (int r = 0; r < bs; r++)
    for (int c = 0; c < bs; c++) target.csr(i, 0, s, nown, j, r)[c] = Chip::value(sum, r, c);
}

template <class Chip, int bs> __device__ void write_pair(const Target &target, PetscInt i, int s, PetscInt j, int back, const PetscScalar *sum)
{
  const bool      both = i != j && !(target.layout == Layout::Cds && target.half);
  const PairBlock here = target.block(i, s, j), mirror = both ? target.block(j, back, i) : PairBlock();

  #pragma unroll
  for (int r = 0; r < bs; r++) {
  #pragma unroll
    for (int c = 0; c < bs; c++) {
      const PetscScalar value = Chip::value(sum, r, c);

      if (here.first) *here.at(r * bs + c) = value;
      if (mirror.first) *mirror.at(c * bs + r) = value;
    }
  }
}

#endif

} // namespace goza::assembly::tile
