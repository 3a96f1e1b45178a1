/* Who computes what on a grid: a thread block takes a rectangle of elements and goes through the planes. Its pairs of nodes are those whose first node is at
   the low corner of an element of the rectangle, but for the rectangle's first line and column, which are another block's too. */
#pragma once
#include "grid_write.hpp"

namespace goza::assembly {

struct GridBlocks {
  int      width, height; // elements of a rectangle
  PetscInt planes;        // of nodes, of a block

#if defined(__CUDACC__)
  /* The rectangle of at most `most` elements, not narrower than `least` where lines are as long, that computes the fewest in vain, and the planes that keep all
     multiprocessors, `at_once` blocks each, busy to the end. */
  static GridBlocks choose(const NodeGrid &grid, int most, int least, int at_once, dim3 &blocks)
  {
    std::int64_t best = 0, busy = static_cast<std::int64_t>(device::multiprocessors()) * at_once;
    GridBlocks   b{};

    for (int width = static_cast<int>(std::min<PetscInt>(least, grid.n[0] + 1)); width <= most / 2; width++) {
      const int          height = most / width;
      const std::int64_t work   = static_cast<std::int64_t>(blocks_for(grid.n[0], width - 1)) * blocks_for(grid.n[1], height - 1);

      if (best && work >= best) continue;
      best     = work;
      b.width  = width;
      b.height = height;
    }
    const std::int64_t rectangles = best;

    best = 0;
    for (PetscInt parts = 1; parts <= grid.n[2] && parts <= 65535; parts++) {
      const PetscInt     planes = (grid.n[2] + parts - 1) / parts;
      const std::int64_t work   = blocks_for(rectangles * parts, busy) * static_cast<std::int64_t>(planes + 1); // each begins a plane early

      if (best && work >= best) continue;
      best     = work;
      b.planes = planes;
    }
    blocks = dim3(blocks_for(grid.n[0], b.width - 1), blocks_for(grid.n[1], b.height - 1), blocks_for(grid.n[2], b.planes));
    return b;
  }

  /* A thread's element, in the plane at[2] of the block's first node. */
  __device__ bool find(int place, const NodeGrid &grid, PetscInt *at, bool *owner) const
  {
    const int x = place % width, y = place / width;

    at[0]  = static_cast<PetscInt>(blockIdx.x) * (width - 1) + x - 1;
    at[1]  = static_cast<PetscInt>(blockIdx.y) * (height - 1) + y - 1;
    at[2]  = static_cast<PetscInt>(blockIdx.z) * planes;
    *owner = x > 0 && y > 0 && y < height && at[0] < grid.n[0] && at[1] < grid.n[1];
    return y < height && at[0] >= 0 && at[0] + 1 < grid.n[0] && at[1] >= 0 && at[1] + 1 < grid.n[1];
  }
#endif
};

/* The five upper neighbours in a node's own plane, itself among them; in the plane above there are nine. */
HD constexpr int grid_flat_x(int k) { return k == 0 || k == 3 ? 0 : k == 2 ? -1 : 1; }
HD constexpr int grid_flat_y(int k) { return k > 1; }

} // namespace goza::assembly
