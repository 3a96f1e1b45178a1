/* The warps that add up element matrices, row after row of elements: half a warp has a node each, and the two halves pairs that differ in one thing. What a row
   leaves to the next one stays in registers, what a plane leaves to the next one on chip. */
#pragma once
#include "grid_elastic_producer.hpp"

namespace goza::assembly::grid_elasticity {

#if defined(__CUDACC__)

/* What both halves do. Tasks 0 to 4: a pair inside a plane of nodes, in the order of grid_flat_x(); of the nodes below the elements, and of those above. 5 to
   7: pairs to the plane above and the row behind, and to the row before. 8: to the plane above, left and right. 9: straight up, from the elements behind the
   node and those before it. */
HD constexpr bool is_flat(int task) { return task < 5; }
HD constexpr bool in_line(int task) // neighbours are in the same row, so that two rows of elements have both
{
  return task < 2 || task > 7;
}
HD constexpr int neighbour_x(int task, int half) { return is_flat(task) ? grid_flat_x(task) : task < 8 ? task - 6 : task == 8 ? 2 * half - 1 : 0; }
HD constexpr int neighbour_y(int task, int half) { return is_flat(task) ? grid_flat_y(task) : task < 8 ? 1 - 2 * half : 0; }

/* Of a block's nine entries a warp has three, the i-th of the diagonal, those right of it and those left of it, so that the same instructions serve three
   warps: whatever the node, entries of the i-th lie 36 or 64 words behind those of the one before. */
constexpr int    thirds = 3;
HD constexpr int entries(int task) // the node with itself: a symmetric block
{
  return task == 0 ? 2 : 3;
}
HD constexpr int entry_row(int i, int m) { return m == 0 ? i : m == 1 ? i == 2 : i < 2 ? i + 1 : 2; }
HD constexpr int entry_column(int i, int m) { return entry_row(i, m == 0 ? 0 : 3 - m); }
HD constexpr int kept_before(int task) // entries that a node keeps for the next plane
{
  return task == 0 ? 0 : kept_before(task - 1) + entries(task - 1);
}
constexpr int kept_entries = kept_before(5);

/* Where the k-th element of a row that has both nodes has the entry, relative to the matrix of the element above the node; behind: the element is at the lower
   side of the row */
HD constexpr int source(int task, int half, bool behind, int k, int m)
{
  const int x = neighbour_x(task, half), y = neighbour_y(task, half), low = is_flat(task) && half, high = !is_flat(task) || half;
  const int a0 = x == 0 ? k : x < 0, a1 = task == 9 ? half : in_line(task) ? behind : y < 0;

  return entry_at(a0 + 2 * a1 + 4 * low, a0 + x + 2 * (a1 + y) + 4 * high, entry_row(0, m), entry_column(0, m)) - a0 * pitch;
}

/* Which nodes, and what lies where. */
struct Nodes {
  static constexpr std::size_t bytes = GridRegion::most * thirds * kept_entries * 16 * sizeof(PetscScalar);

  const GridRegion &region;
  const GridTarget &to;
  PetscScalar      *kept; // [row of nodes][third][entry][node of a row]
  int               i, half, number;
  PetscInt          x, y; // of the node in the first row

  __device__ Nodes(const GridRegion &r, const GridTarget &target, PetscScalar *memory, int which, int lane, int kept_of_node) :
    region(r),
    to(target),
    kept(memory + which * kept_of_node * 16 + lane % 16),
    i(which),
    half(lane / 16),
    number(lane % 16),
    x(static_cast<PetscInt>(blockIdx.x) * r.n[0] + number),
    y(static_cast<PetscInt>(blockIdx.y) * r.n[1])
  {
  }
};

/* Three entries of the pairs of nodes with their neighbours at (x, y, z). */
class Entries {
public:
  __device__ Entries(const Nodes &nodes, int x, int y, int z) : y_(y), z_(z)
  {
    const GridTarget &to = nodes.to;
    const int         d  = to.diag[x + 1 + 3 * (y + 1) + 9 * (z + 1)];

    inside_ = d >= 0 && nodes.number < nodes.region.n[0] && nodes.x < to.grid.n[0] && nodes.x + x >= 0 && nodes.x + x < to.grid.n[0];
    first_  = to.target.cds(0, d).first;
  }

  /* Of the node in row y and plane z. */
  __device__ void put(const Nodes &nodes, PetscInt y, PetscInt z, const PetscScalar (&value)[3]) const
  {
    const GridTarget &to = nodes.to;

    if (!inside_ || y >= to.grid.n[1] || y + y_ < 0 || y + y_ >= to.grid.n[1] || z + z_ >= to.grid.n[2]) return;
    const PetscInt     node = to.grid.node(nodes.x, y, z);
    const std::int64_t ld   = to.target.ld;

    const std::int64_t at_entry[3] = {4 * nodes.i * ld, (nodes.i + 1 + 2 * (nodes.i == 2)) * ld, (nodes.i == 0 ? 3 : nodes.i + 5) * ld};

  #pragma unroll
    for (int m = 0; m < 3; m++) __stcs(first_ + node + at_entry[m], value[m]);
  }

private:
  int          y_, z_;
  bool         inside_; // the grid: the node and its neighbour, in direction 0
  PetscScalar *first_;  // where the grid's first node has entry (0, 0)
};

template <int task> class Sum {
  static constexpr int  n   = entries(task);
  static constexpr bool one = is_flat(task) || task == 9; // half of the warp writes

public:
  __device__ explicit Sum(const Nodes &nodes) :
    entries_(nodes, !one && nodes.half ? neighbour_x(task, 1) : neighbour_x(task, 0), !one && nodes.half ? neighbour_y(task, 1) : neighbour_y(task, 0),
             !is_flat(task))
  {
  }

  /* diagonal, beside: entries of the matrix of the element above the node */
  __device__ void add_up(const PetscScalar *diagonal, const PetscScalar *beside, int half)
  {
  #pragma unroll
    for (int m = 0; m < n; m++) sum_[m] = in_line(task) ? left_[m] : PetscScalar(0);
    add<false>(diagonal, beside, half, sum_);
    if constexpr (task == 9) {
  #pragma unroll
      for (int m = 0; m < n; m++) {
        const PetscScalar behind = __shfl_down_sync(0xffffffffu, sum_[m], 16); // for the next row

        left_[m] = half ? PetscScalar(0) : behind;
      }
    } else if constexpr (in_line(task)) {
  #pragma unroll
      for (int m = 0; m < n; m++) left_[m] = 0;
      add<true>(diagonal, beside, half, left_);
    }
  }

  /* Of elements in row `row` and plane z. first: nothing was kept; early: the plane of nodes below is another block's */
  __device__ void put(const Nodes &nodes, int row, PetscInt z, bool first, bool early)
  {
    const int own = row - (one || in_line(task) || !nodes.half); // row of nodes

    if constexpr (is_flat(task)) {
      PetscScalar *const kept = nodes.kept + (own * thirds * kept_entries + kept_before(task)) * 16;

      if (own < 0) return;
      if (!first && nodes.half == 0) {
  #pragma unroll
        for (int m = 0; m < n; m++) sum_[m] += kept[m * 16];
      }
      __syncwarp();
      if (nodes.half) {
  #pragma unroll
        for (int m = 0; m < n; m++) kept[m * 16] = sum_[m];
      }
    }
    if (early || (one && nodes.half) || own < 0 || own >= nodes.region.n[1]) return;
    const PetscScalar value[3] = {sum_[0], sum_[1], sum_[n - 1]};

    entries_.put(nodes, nodes.y + own, z, value);
  }

private:
  template <bool behind> __device__ static void add(const PetscScalar *diagonal, const PetscScalar *beside, int half, PetscScalar *sum)
  {
  #pragma unroll
    for (int k = 0; k < (neighbour_x(task, 0) == 0 ? 2 : 1); k++) {
  #pragma unroll
      for (int m = 0; m < n; m++) {
        constexpr auto at = [](int h, int k, int m) { return source(task, h, behind, k, m); };

        sum[m] += (m == 0 ? diagonal : beside)[half * (at(1, k, m) - at(0, k, m)) + at(0, k, m)];
      }
    }
  }

  Entries     entries_;
  PetscScalar sum_[n], left_[in_line(task) ? n : 1] = {}; // left_: by the row of elements before, to the pairs of its upper nodes
};

/* A warp with these tasks. */
template <int... task> struct Tasks : private Sum<task>... {
  __device__ explicit Tasks(const Nodes &nodes) : Sum<task>(nodes)... { }

  __device__ void run(const Nodes &nodes, PetscInt plane, PetscInt first, int steps, const Ring &ring)
  {
    const PetscInt begin = plane;

    for (int step = 0, row = 0; step < steps; step++) {
      ring.wait_full(step);
      const PetscScalar *const mine = ring.row(step) + (nodes.number + 1) * pitch;

      (Sum<task>::add_up(mine + 36 * nodes.i, mine + 64 * nodes.i, nodes.half), ...);
      ring.is_empty(step);
      (Sum<task>::put(nodes, row, plane, plane == begin, plane < first), ...);
      if (++row == nodes.region.rows()) {
        row = 0;
        plane++;
      }
    }
  }
};

constexpr int shares = 2, consumers = shares * thirds; // with about as much to read and to write

__device__ inline void consume(int share, const Nodes &nodes, PetscInt plane, PetscInt first, PetscInt, int steps, const Ring &ring)
{
  if (share == 0) Tasks<0, 1, 2, 3>(nodes).run(nodes, plane, first, steps, ring);
  else Tasks<4, 5, 6, 7, 8, 9>(nodes).run(nodes, plane, first, steps, ring);
}

/* A block: some warps make element matrices, so many others add up those of the rows before, and write. They wait for one another only where the ring between
   them is full or empty. entries: what is kept of a node until the next plane. */
template <int warps, int entries, auto consume> __device__ void make_and_add_up(const View &view, const GridRegion &region, const GridTarget &to)
{
  extern __shared__ double memory[];

  const int      warp = threadIdx.x / 32, lane = threadIdx.x % 32, consumer = warp - Producer::warps;
  const PetscInt first = static_cast<PetscInt>(blockIdx.z) * region.planes, end = first + region.planes < to.grid.n[2] ? first + region.planes : to.grid.n[2];
  const PetscInt plane = first > 0 ? first - 1 : 0; // of elements: what it leaves to the first plane of nodes
  const int      steps = static_cast<int>(end - plane) * region.rows();
  const Ring     ring(memory, steps, 32 * (Producer::busy_warps(region) + warps));

  if (warp < Producer::busy_warps(region)) Producer(view, region, to.grid, plane, warp, lane).run(steps, ring);
  else if (consumer >= 0) {
    PetscScalar *const kept = reinterpret_cast<PetscScalar *>(memory) + Ring::bytes / sizeof(PetscScalar);

    consume(consumer / thirds, Nodes(region, to, kept, consumer % thirds, lane, entries), plane, first, end, steps, ring);
  }
}

#endif

} // namespace goza::assembly::grid_elasticity
