/* Who computes what on a grid, elasticity into CDS and sliced ELL: a thread block has a rectangle of at most 16 x 16 nodes and goes through the planes, and in
   each through the rows of the elements that touch its nodes: one column and one row of them more than of nodes, which other blocks compute too. */
#pragma once
#include "grid_write.hpp"

namespace goza::assembly {

struct GridRegion {
  static constexpr int most = 16; // nodes in a row, and rows: half a warp, and lines of memory

  int      n[2];   // nodes in a row, rows of nodes
  PetscInt planes; // of nodes

  HD int columns() const { return n[0] + 1; } // of elements
  HD int rows() const { return n[1] + 1; }

#if defined(__CUDACC__)
  /* With rows as long as can be, at most so many of them, and planes that keep all multiprocessors, one block each, busy to the end. */
  static GridRegion choose(const NodeGrid &grid, int most_rows, dim3 &blocks)
  {
    const std::int64_t busy = device::multiprocessors(), across = blocks_for(grid.n[0], most), least = blocks_for(grid.n[1], most_rows);
    std::int64_t       best = 0;
    GridRegion         region{};

    for (std::int64_t along = least; along < least + 9; along++) {
      for (int turns = 1; turns <= 8; turns++) {
        const std::int64_t parts = std::min<std::int64_t>(std::max<std::int64_t>(turns * busy / (across * along), 1), grid.n[2]);
        const GridRegion   r{{static_cast<int>(blocks_for(grid.n[0], across)), static_cast<int>(blocks_for(grid.n[1], along))},
                           static_cast<PetscInt>(blocks_for(grid.n[2], parts))};
        const dim3         b(blocks_for(grid.n[0], r.n[0]), blocks_for(grid.n[1], r.n[1]), blocks_for(grid.n[2], r.planes));
        const std::int64_t work = blocks_for(static_cast<std::int64_t>(b.x) * b.y * b.z, busy) * r.rows() * (r.planes + 1); // each begins a plane early

        if (best && work >= best) continue;
        best   = work;
        region = r;
        blocks = b;
      }
    }
    return region;
  }
#endif
};

} // namespace goza::assembly
