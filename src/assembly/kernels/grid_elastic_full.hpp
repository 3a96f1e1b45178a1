/* Elasticity on a grid into full CDS and sliced ELL: element matrices come through the ring of grid_elastic_ring.hpp, and a node's whole row is written by the
   node's own lanes, so that values of nodes side by side are whole words of memory; a pair's mirror image is summed up once more from the matrices on chip.
   Half a warp has the nodes below the elements, the other half those above: both have pairs across the elements, which are complete, and pairs inside their
   plane, which are the upper ones' to keep until the next plane comes. */
#pragma once
#include "grid_elastic_sums.hpp"

namespace goza::assembly::grid_elasticity {

#if defined(__CUDACC__)

/* Where the k-th element of a row that has both nodes has the entry of a pair with the neighbour at (x, y), relative to the matrix of the element above the
   node. behind: the element is at the lower side of the node's row; across: to the other plane */
HD constexpr int full_source(bool across, int x, int y, int half, bool behind, int k, int m)
{
  const int a0 = x == 0 ? k : x < 0, a1 = y == 0 ? behind : y < 0, i = a0 + 2 * a1 + 4 * half, j = a0 + x + 2 * (a1 + y) + 4 * (across ? 1 - half : half);

  return entry_at(m == 0 && i > j ? j : i, m == 0 && i > j ? i : j, entry_row(0, m), entry_column(0, m)) - a0 * pitch;
}

/* The lane's node in a row, and where its blocks stand. */
template <Layout layout> class NodeRow {
public:
  __device__ NodeRow() : inside_(false) { }

  /* row: of the region's, which may be none of them; z: the node's plane */
  __device__ NodeRow(const Nodes &nodes, int row, PetscInt z, bool written) : y_(nodes.y + row)
  {
    const GridTarget &to = nodes.to;

    inside_ = written && row >= 0 && row < nodes.region.n[1] && nodes.number < nodes.region.n[0] && nodes.x < to.grid.n[0] && y_ < to.grid.n[1];
    if (!inside_) return;
    node_ = to.grid.node(nodes.x, y_, z);
    if constexpr (layout == Layout::SlicedEll) {
      const Target  &t     = to.target;
      const PetscInt place = t.place_of ? cached_load(t.place_of + node_) : node_, slice = place >> t.shift;

      begin_ = cached_load(t.slice_ptr + slice);
      width_ = t.team > 1 ? static_cast<PetscInt>((cached_load(t.slice_ptr + slice + 1) - begin_) >> t.shift) : 0;
      node_  = place & ((PetscInt(1) << t.shift) - 1);
    }
  }

  /* Pairs with the three neighbours at (., y) in plane z + dz; planes_before: those with neighbours before that one. One address a row of blocks: a block's own
     costs an eighth of the kernel's time. */
  template <int y> __device__ void put(const Nodes &nodes, int dz, int planes_before, const PetscScalar (&value)[3][3]) const
  {
    const GridTarget &to = nodes.to;

    if (!inside_ || y_ + y < 0 || y_ + y >= to.grid.n[1]) return;
    const int i = nodes.i, number[3] = {4 * i, i + 1 + 2 * (i == 2), i == 0 ? 3 : i + 5};

    if constexpr (layout == Layout::SlicedEll) {
      const Target  &t    = to.target;
      const PetscInt H    = PetscInt(1) << t.shift;
      const int before[2] = {nodes.x > 0, y_ > 0}, in_line = 1 + before[0] + (nodes.x + 1 < to.grid.n[0]), in_plane = 1 + before[1] + (y_ + 1 < to.grid.n[1]);
      const PetscInt slot = (planes_before * in_plane + y + before[1]) * in_line + before[0];

      if (t.team == 1) {
        PetscScalar *const first = t.val + (begin_ + static_cast<std::int64_t>(slot) * H) * 9 + node_;

  #pragma unroll
        for (int x = -1; x < 2; x++) {
          if (nodes.x + x < 0 || nodes.x + x >= to.grid.n[0]) continue;
  #pragma unroll
          for (int m = 0; m < 3; m++) __stcs(first + (9 * x + number[m]) * H, value[x + 1][m]);
        }
      } else {
        for (int x = -1; x < 2; x++) {
          if (nodes.x + x < 0 || nodes.x + x >= to.grid.n[0]) continue;
          const mat::BlockPlace block(begin_, width_, slot + x, H, t.team, 9, 1);

          for (int m = 0; m < 3; m++) __stcs(t.val + block.at + node_ + number[m] * block.step, value[x + 1][m]);
        }
      }
    } else {
  #pragma unroll
      for (int x = -1; x < 2; x++) {
        const int d = to.diag[x + 1 + 3 * (y + 1) + 9 * (dz + 1)];

        if (d < 0 || nodes.x + x < 0 || nodes.x + x >= to.grid.n[0]) continue;
  #pragma unroll
        for (int m = 0; m < 3; m++) __stcs(to.target.val + (9 * d + number[m]) * to.target.ld + node_, value[x + 1][m]);
      }
    }
  }

private:
  bool         inside_;           // the block's to write
  PetscInt     y_, node_, width_; // node_: its place in a slice, or its number
  std::int64_t begin_;            // of the slice
};

constexpr int line_entries = 9, full_kept = 3 * line_entries; // a third of three blocks; what a warp keeps of a node

/* Pairs with the three neighbours of a row. */
template <bool across, int y> class Line {
public:
  static constexpr int of_before = y >= 0; // the node's row is the one before

  __device__ void add_up(const PetscScalar *diagonal, const PetscScalar *beside, int half)
  {
  #pragma unroll
    for (int v = 0; v < line_entries; v++) sum_[v / 3][v % 3] = y == 0 ? left_[v / 3][v % 3] : PetscScalar(0);
    add<false>(diagonal, beside, half, sum_);
    if constexpr (y == 0) {
  #pragma unroll
      for (int v = 0; v < line_entries; v++) left_[v / 3][v % 3] = 0;
      add<true>(diagonal, beside, half, left_);
    }
  }

  /* at: the lane's node, in plane z; first: nothing was kept */
  template <Layout layout> __device__ void put(const Nodes &nodes, const NodeRow<layout> &at, int row, PetscInt z, bool first)
  {
    const int own = row - of_before, dz = across ? 1 - 2 * nodes.half : 0;

    if (!across) {
      if (own < 0 || own >= nodes.region.n[1]) return;
      keep(nodes.kept + (own * thirds * full_kept + (y + 1) * line_entries) * 16, nodes.half, first);
      if (nodes.half) return;
    }
    if (z + dz < nodes.to.grid.n[2]) at.template put<y>(nodes, dz, dz + (z > 0), sum_);
  }

private:
  __device__ void keep(PetscScalar *kept, int half, bool first)
  {
    if (!first && half == 0) {
  #pragma unroll
      for (int v = 0; v < line_entries; v++) sum_[v / 3][v % 3] += kept[v * 16];
    }
    __syncwarp();
    if (half) {
  #pragma unroll
      for (int v = 0; v < line_entries; v++) kept[v * 16] = sum_[v / 3][v % 3];
    }
  }

  template <bool behind> __device__ static void add(const PetscScalar *diagonal, const PetscScalar *beside, int half, PetscScalar (&sum)[3][3])
  {
  #pragma unroll
    for (int x = -1; x < 2; x++) {
  #pragma unroll
      for (int k = 0; k < (x == 0 ? 2 : 1); k++) {
  #pragma unroll
        for (int m = 0; m < 3; m++) {
          const int at[2] = {full_source(across, x, y, 0, behind, k, m), full_source(across, x, y, 1, behind, k, m)};

          sum[x + 1][m] += (m == 0 ? diagonal : beside)[half * (at[1] - at[0]) + at[0]];
        }
      }
    }
  }

  PetscScalar sum_[3][3], left_[y == 0 ? 3 : 1][3] = {}; // left_: by the row of elements before
};

/* A warp with these lines. */
template <Layout layout, class... Line> struct FullTasks : private Line... {
  __device__ void run(const Nodes &nodes, PetscInt plane, PetscInt first, PetscInt end, int steps, const Ring &ring)
  {
    const PetscInt  begin = plane;
    NodeRow<layout> before, now;

    for (int step = 0, row = 0; step < steps; step++) {
      const PetscInt z = plane + nodes.half;

      before = now;
      now    = NodeRow<layout>(nodes, row, z, z >= first && z < end);
      ring.wait_full(step);
      const PetscScalar *const mine = ring.row(step) + (nodes.number + 1) * pitch;

      (Line::add_up(mine + 36 * nodes.i, mine + 64 * nodes.i, nodes.half), ...);
      ring.is_empty(step);
      (Line::template put<layout>(nodes, Line::of_before ? before : now, row, z, plane == begin), ...);
      if (++row == nodes.region.rows()) {
        row = 0;
        plane++;
      }
    }
  }
};

// with more warps each has too few registers
constexpr int         full_shares = 2, full_consumers = full_shares * thirds, full_threads = 32 * (Producer::warps + full_consumers);
constexpr std::size_t full_kept_bytes = thirds * full_kept * 16 * sizeof(PetscScalar); // of a row of nodes
constexpr int         full_rows       = 10; // of nodes, of a block: what is kept of them fits on chip beside the ring

template <Layout layout> __device__ void consume_full(int share, const Nodes &nodes, PetscInt plane, PetscInt first, PetscInt end, int steps, const Ring &ring)
{
  if (share == 0) FullTasks<layout, Line<true, 0>, Line<false, -1>, Line<false, 1>>().run(nodes, plane, first, end, steps, ring);
  else FullTasks<layout, Line<false, 0>, Line<true, -1>, Line<true, 1>>().run(nodes, plane, first, end, steps, ring);
}

template <Layout layout>
__global__ void __launch_bounds__(full_threads, 1)
  FullKernel(const __grid_constant__ View view, const __grid_constant__ GridRegion region, const __grid_constant__ GridTarget to)
{
  make_and_add_up<full_consumers, full_kept, consume_full<layout>>(view, region, to);
}

template <Layout layout> void launch_full(const MeshView &mesh, const GridTarget &to)
{
  dim3 blocks;

  const GridRegion region = GridRegion::choose(to.grid, full_rows, blocks);
  const View       view{mesh.x, mesh.material, {}};

  launch_kernel_with<FullKernel<layout>>(Ring::bytes + static_cast<std::size_t>(region.n[1]) * full_kept_bytes, blocks, full_threads, view, region, to);
}

#endif

} // namespace goza::assembly::grid_elasticity
