/* Who computes what on a grid, without memory for element matrices: the lanes of a warp have elements side by side, and the warp goes through the rows of a
   strip and through the planes. A node's sum over its elements comes together on the way: from the element before in its row by a shuffle, from the row before
   in registers, from the plane before in shared memory, where every thread reads only what it has written itself.

   Lanes follow one another over the strips' rows as if these were one long line. Two elements that are neighbours in it, but not on the grid, do no harm: the
   last node of a row has no element of its own, and counts as one whose matrix is zero. The first lane's element is there for the second's node; its own node
   is another warp's. So it is with the first row of a strip and with the first plane of a part. */
#pragma once
#include "grid_write.hpp"

namespace goza::assembly {

struct GridSweep {
  static constexpr int lanes = 32, own = lanes - 1; // elements and nodes of a warp

  int      rows;     // of nodes, of a strip
  PetscInt planes;   // of nodes, of a part
  PetscInt segments; // of warps, over all strips

#if defined(__CUDACC__)
  /* Rows, at most so many, and planes that keep all multiprocessors, `at_once` segments each, busy to the end. together: segments of a block */
  static GridSweep choose(const NodeGrid &grid, int most_rows, int at_once, int together, dim3 &blocks)
  {
    std::int64_t best = 0, busy = static_cast<std::int64_t>(device::multiprocessors()) * (at_once / together);
    GridSweep    s{};

    for (int rows = 1; rows <= most_rows; rows++) {
      const std::int64_t strips = blocks_for(grid.n[1], rows), segments = blocks_for(grid.n[0] * strips, own), along = blocks_for(segments, together);

      for (PetscInt parts = 1; parts <= grid.n[2] && parts <= 65535; parts++) {
        const PetscInt     planes = (grid.n[2] + parts - 1) / parts;
        const std::int64_t work   = blocks_for(along * parts, busy) * static_cast<std::int64_t>(planes + 1) * (rows + 1); // each begins a plane and a row early

        if (best && work >= best) continue;
        best   = work;
        s      = {rows, planes, static_cast<PetscInt>(segments)};
        blocks = dim3(static_cast<unsigned>(along), blocks_for(grid.n[2], planes));
      }
    }
    return s;
  }
#endif
};

#if defined(__CUDACC__)

/* A lane's place: the element at (x, y - 1) in a strip's first row. */
struct SweepLane {
  PetscInt x, y;

  __device__ SweepLane(const GridSweep &sweep, const NodeGrid &grid, PetscInt segment, int lane)
  {
    const PetscInt t = segment * GridSweep::own + lane; // one more than the place in the long line

    x = t == 0 ? -1 : (t - 1) % grid.n[0];
    y = t == 0 ? 0 : (t - 1) / grid.n[0] * sweep.rows;
  }
};

/* Offset of corner b from corner a, as a number: x + 3 y + 9 z + 13. */
HD constexpr int corner_offset(int a, int b) { return 13 + (b & 1) - (a & 1) + 3 * ((b >> 1 & 1) - (a >> 1 & 1)) + 9 * ((b >> 2) - (a >> 2)); }

/* What the elements of a row have for its nodes, by the offset of the pair, whose first node comes first: for pairs with the plane below, and of the plane
   above where both are in it. Offsets that no pair has cost nothing. */
struct SweepRow {
  PetscScalar here[27] = {}, above[27] = {};
};

/* The sums of the pairs of one row after the other. */
class SweepSums {
public:
  static constexpr int flat = 5; // pairs inside a plane

  __device__ void begin_row()
  {
    row_  = next_;
    next_ = SweepRow();
  }

  /* Entry (a, b), a <= b, of an element matrix. All lanes of the warp together; a and b are to be known to the compiler. */
  __device__ void add(int a, int b, PetscScalar value)
  {
    if (a & b & 1) value = __shfl_up_sync(0xffffffffu, value, 1);
    SweepRow &to = a & b & 2 ? next_ : row_;

    if (a & b & 4) to.above[corner_offset(a, b)] += value;
    else to.here[corner_offset(a, b)] += value;
  }

  /* carry: of the row's nodes, [flat][32]: what the plane before has left to them */
  __device__ void carry_over(PetscScalar *carry)
  {
  #pragma unroll
    for (int k = 0; k < flat; k++) {
      row_.here[13 + k] += carry[k * 32];
      carry[k * 32] = row_.above[13 + k];
    }
  }

  /* What is coupled to a given unknown is 0. given: corner (x, y, z) of the lane's element has one: bit y + 2 x + 4 z */
  __device__ void leave_out(unsigned given)
  {
  #pragma unroll
    for (int o = 14; o < 27; o++) {
      const int d[3] = {o % 3 - 1, o / 3 % 3 - 1, o / 9 - 1}, a0 = d[0] < 0, a1 = d[1] < 0; // a: the corner that comes first

      if (given & (1u << (a1 + 2 * a0) | 1u << (a1 + d[1] + 2 * (a0 + d[0]) + 4 * d[2]))) row_.here[o] = 0;
    }
  }

  /* x, y, z: the lane's element; owns[.]: are the nodes at either side of direction 1 the warp's? */
  template <Layout layout> __device__ void write(const GridTarget &to, PetscInt x, PetscInt y, PetscInt z, int lane, const bool owns[2]) const
  {
  #pragma unroll
    for (int o = 13; o < 27; o++) {
      const int      d[3] = {o % 3 - 1, o / 3 % 3 - 1, o / 9 - 1}, a0 = d[0] < 0, a1 = d[1] < 0; // a: the corner that comes first
      const PetscInt at[3] = {x + a0, y + a1, z};

      if (owns[a1] && (a0 ? lane < GridSweep::own : lane > 0) && at[0] < to.grid.n[0] && at[1] < to.grid.n[1])
        GridPair<layout>(to, at, d[0], d[1], d[2]).template write<1>([&](int, int) { return row_.here[o]; });
    }
  }

  /* The same where GridTarget::whole holds, in fewer instructions: diagonals are in the order of pairs, and the sum of a pair that ends beyond the grid is 0,
     since the elements there have zero matrices. */
  __device__ void write_whole(const GridTarget &to, PetscInt x, PetscInt y, PetscInt z, int lane, const bool owns[2]) const
  {
    const bool   along[2]  = {lane > 0, lane < GridSweep::own && x + 1 < to.grid.n[0]};
    const bool   across[2] = {owns[0] && y < to.grid.n[1], owns[1] && y + 1 < to.grid.n[1]}, begins = along[0] && x == 0;
    PetscScalar *place = to.target.val + to.grid.node(x, y, z);

  #pragma unroll
    for (int o = 13; o < 27; o++, place += to.target.ld) {
      const int a0 = o % 3 == 0, a1 = o / 3 % 3 == 0;

      if (along[a0] && across[a1]) __stcs(place + (a0 + a1 * to.grid.n[0]), row_.here[o]);
      if (a0 && begins && across[a1]) __stcs(place + a1 * to.grid.n[0], PetscScalar(0)); // no lane has the element before a line
    }
  }

private:
  SweepRow row_, next_;
};

#endif

} // namespace goza::assembly
