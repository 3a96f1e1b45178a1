/* From element matrices on chip to CDS and sliced ELL: a thread has a node, and a team of threads the same pairs of all of them. One block a multiprocessor, with as many
   elements as fit on chip: two or three with fewer elements, and loops over a table of the entries instead of all of them unrolled, took longer (128^3 nodes, full: 4.7 and
   4.4 ms against 3.4), since fewer nodes of a line are written together. */
#pragma once
#include "grid_blocks.hpp"
#include "grid_elastic_matrices.hpp"

namespace goza
{
namespace grid_elasticity
{

#if defined(__CUDACC__)

/* To sum: the blocks of the pair of a node with its neighbour at (x, y), from the elements of the plane that have both. low, high: their planes, 0 below and 1 above */
template <int low, int high> __device__ inline void sum_on_chip(const PetscScalar *mine, int width, int x, int y, PetscScalar *sum)
{
  #pragma unroll
  for (int a = 0; a < 4; a++) {
    const int          b0 = (a & 1) + x, b1 = (a >> 1) + y, i = a + 4 * low, j = b0 + 2 * b1 + 4 * high;
    const PetscScalar *from = mine - ((a & 1) + (a >> 1) * width) * pitch;

    if (b0 < 0 || b0 > 1 || b1 < 0 || b1 > 1) continue;
  #pragma unroll
    for (int k = 0; k < 9; k++) sum[k] += from[entry_at(i, j, k / 3, k % 3)];
  }
}

/* The pairs of a team: equally many blocks to read. First and last of the flat ones, the same of those to the plane above, in the order of `above`. */
struct Share {
  int flat[2], above[2];
};
HD constexpr Share share_of(int team)
{
  return team == 0 ? Share{{0, 1}, {0, 1}} : team == 1 ? Share{{1, 3}, {1, 2}} : team == 2 ? Share{{3, 5}, {2, 4}} : Share{{5, 5}, {4, 9}};
}
HD constexpr int flat_in_share(int k) // self | x, y | the diagonals
{
  return k == 2 ? 3 : k == 3 ? 2 : k;
}
HD constexpr int above_in_share(int k) // a corner | a corner | a corner, straight up | the four sides, a corner
{
  return k == 0 ? 0 : k == 1 ? 2 : k == 2 ? 6 : k == 3 ? 4 : k == 8 ? 8 : 2 * (k - 4) + 1;
}

template <Layout layout> class Pairs {
public:
  static constexpr int         teams = 4, team = 96, threads = teams * team, blocks_at_once = 1, most = 92; // of a rectangle: elements, what fits on chip
  static constexpr std::size_t bytes = 0;                                                                   // of its own on chip

  __device__ Pairs(const GridTarget &to, const GridBlocks &blocks, const PetscScalar *matrices, void *) : to_(to), width_(blocks.width)
  {
    blocks.find(threadIdx.x % team, to.grid, at_, &owner_);
    mine_ = matrices + threadIdx.x % team * pitch;
  }

  /* The matrices of the elements above plane z are there; early: this plane is another block's. */
  __device__ void write(PetscInt z, bool early, bool)
  {
    if (!owner_) return;
    at_[2] = z;
    if (threadIdx.x / team == 0) write_share<0>(early);
    else if (threadIdx.x / team == 1) write_share<1>(early);
    else if (threadIdx.x / team == 2) write_share<2>(early);
    else write_share<3>(early);
  }

private:
  template <int which> __device__ void write_share(bool early)
  {
    constexpr Share share = share_of(which);

  #pragma unroll
    for (int k = share.flat[0]; k < share.flat[1]; k++) {
      const int    f = flat_in_share(k), x = grid_flat_x(f), y = grid_flat_y(f);
      PetscScalar *sum = kept_[k - share.flat[0]];

      if (!early) {
        sum_on_chip<0, 0>(mine_, width_, x, y, sum);
        write_grid_pair<layout, 3>(to_, at_, x, y, 0, [&](int r, int c) { return sum[3 * r + c]; });
      }
  #pragma unroll
      for (int v = 0; v < 9; v++) sum[v] = 0;
      sum_on_chip<1, 1>(mine_, width_, x, y, sum);
    }
  #pragma unroll
    for (int k = share.above[0]; k < share.above[1]; k++) {
      const int   x = above_in_share(k) % 3 - 1, y = above_in_share(k) / 3 - 1;
      PetscScalar sum[9] = {};

      if (early) break;
      sum_on_chip<0, 1>(mine_, width_, x, y, sum);
      write_grid_pair<layout, 3>(to_, at_, x, y, 1, [&](int r, int c) { return sum[3 * r + c]; });
    }
  }

  const GridTarget  &to_;
  const int          width_;
  PetscInt           at_[3];
  bool               owner_;
  const PetscScalar *mine_;
  PetscScalar        kept_[2][9] = {}; // what the plane of elements below has left to the flat pairs
};

#endif

} // namespace grid_elasticity
} // namespace goza
