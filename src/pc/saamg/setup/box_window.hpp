/* What a Galerkin product on a lattice of boxes holds at a time, and the rows of P there. */
#pragma once
#include "box_lines.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/launch/row_sums.hpp"
#include "core/sparse/value_scaling.hpp"

namespace goza::saamg {

/* A window holds rows of P or of A P for as many planes as the boxes at hand need: plane t of the lattice at t mod planes, place by place, so that boxes beside
   one another read and write words that lie together. */
struct BoxWindow {
  PetscInt     plane, planes; // nodes of one, how many of them
  std::int64_t of_place;      // of all of them
  PetscScalar *val;           // [places][planes][plane]

  BoxWindow(PetscInt plane, PetscInt planes) : plane(plane), planes(planes), of_place(static_cast<std::int64_t>(planes) * plane), val(nullptr) { }

  HD std::int64_t size() const { return of_place; }
  HD PetscInt     slot(PetscInt t) const { return (t + planes) % planes; } // a rank's grid has roots two planes before its own
  HD PetscInt     beside(PetscInt slot, int step) const
  {
    return slot + step < 0 ? slot + step + planes : slot + step < planes ? slot + step : slot + step - planes;
  }
  HD std::int64_t at(PetscInt slot, PetscInt in_plane) const { return static_cast<std::int64_t>(slot) * plane + in_plane; }
};

/* Where a node's row of P or A P lies in its plane of a window: line by line of the lattice, in each the nodes that lie alike in their boxes beside one
   another, with a place before and behind them that no node has, as if there were two more boxes. */
HD inline PetscInt width_of_line(const BoxGrid &grid) { return grid.boxes[0] + 2; }
HD inline PetscInt size_of_line(const BoxGrid &grid) { return grid.wide[0] * width_of_line(grid); }
HD inline PetscInt where_alike_lie(const BoxGrid &grid, int o) { return grid.wide[0] == 1 ? 0 : (o + 1) * width_of_line(grid); }

HD inline PetscInt where_boxes_lie(const BoxGrid &grid, PetscInt y, int o, PetscInt box) { return y * size_of_line(grid) + where_alike_lie(grid, o) + box + 1; }

/* A row of P by its places, of rows that are held. */
HD inline void held_row8(const BoxNode &n, PetscScalar *value, const Bits8 *reach, const PetscInt *ptr, const PetscScalar *val)
{
  const unsigned bits = reach[n.node];
  PetscInt       p    = ptr[n.node];

  UNROLL()
  for (int place = 0; place < 8; place++) value[place] = bits >> place & 1 ? val[p++] : PetscScalar(0);
}

/* A row of P by its places, 0 where it reaches no box; beside a root there is one box, not two, and nobody reads the other place. most: as exponents_of() has
   them, of all rows. A device goes through bricks of 32 x 4 x 4 nodes, or 32 x 1 x 16: what one reads to make its row others read, too. */
template <class Rows> struct PlaceInterpolation {
  static constexpr bool walks_along_row = true;

  BoxLines             lines;
  const Bits8         *reach;
  Rows                 rows; // operator()(node, values) of a node that reaches a box
  BoxWindow            window;
  PetscInt             first, end; // planes
  BoxPair<HalfScalar> *pairs;      // as the cycle reads them, zeros, or null

  PetscInt count(Space space) const
  {
    const BoxGrid &grid = lines.grid;

    return space == Space::Host ? (end - first) * grid.plane()
                                : 512 * bricks(grid.nodes[0], 32) * bricks(grid.nodes[1], deep()) * bricks(end - first, 16 / deep());
  }

  HD void operator()(PetscInt k, std::int64_t *most) const
  {
    const BoxGrid &grid = lines.grid;
#if defined(__CUDA_ARCH__)
    const PetscInt in_line = bricks(grid.nodes[0], 32), in_plane = bricks(grid.nodes[1], deep()), brick = k / 512, line = brick / in_line;
    const PetscInt x = 32 * (brick - line * in_line) + k % 32, y = deep() * (line % in_plane) + k / 32 % deep(),
                   t = first + 16 / deep() * (line / in_plane) + k / 32 % 16 / deep();

    if (x >= grid.nodes[0] || y >= grid.nodes[1] || t >= end) return;
#else
    const PetscInt x = k % grid.nodes[0], y = k / grid.nodes[0] % grid.nodes[1], t = first + k / grid.plane();
#endif
    const PetscInt z = grid.begin[2] + t;
    const BoxNode  n = grid.place(x + grid.nodes[0] * (y + grid.nodes[1] * z), x, y, z);

    if (!n.inside) return;
    const std::int64_t at   = window.at(window.slot(t), where_boxes_lie(grid, grid.root(n.box[1], 1) + n.o[1], n.o[0], n.box[0]));
    const unsigned     bits = reach[n.node];
    PetscScalar        value[8];

    if (bits) rows(n, value);
    UNROLL()
    for (int place = 0; place < 8; place++) {
      if (!(bits >> place & 1)) value[place] = 0;
      if ((n.o[0] || !(place & 1)) && (n.o[1] || !(place & 2)) && (n.o[2] || !(place & 4))) window.val[place * window.size() + at] = value[place];
    }
    if (pairs) pair_up(n, x, value);
    join(value, most);
  }

private:
  HD PetscInt        deep() const { return lines.grid.nodes[1] > 1 ? 4 : 1; }
  HD static PetscInt bricks(PetscInt nodes, PetscInt of) { return (nodes + of - 1) / of; }

  /* Where there are such rows of boxes, of the two in each direction that a node lies between. */
  HD void pair_up(const BoxNode &n, PetscInt x, const PetscScalar *value) const
  {
    UNROLL()
    for (int k = 0; k < 4; k++) {
      const int      dy = lower_box(n.o[1]) + k % 2, dz = lower_box(n.o[2]) + k / 2;
      const PetscInt by = n.box[1] + dy, bz = n.box[2] + dz;

      if ((k % 2 && !n.o[1]) || (k / 2 && !n.o[2]) || by < 0 || by >= lines.grid.boxes[1] || bz < 0 || bz >= lines.grid.boxes[2]) continue;
      pairs[lines.begin(by, bz, n.o[1] - 3 * dy, n.o[2] - 3 * dz) + x] = {{static_cast<HalfScalar>(value[2 * k]), static_cast<HalfScalar>(value[2 * k + 1])}};
    }
  }

  HD static void join(const PetscScalar *value, std::int64_t *most)
  {
    constexpr double none    = 1.7e308;
    double           largest = 0, least = none;

    UNROLL()
    for (int place = 0; place < 8; place++) {
      const double a = size_of(value[place]);

      if (a > largest && a - a == 0) largest = a;
    }
    UNROLL()
    for (int place = 0; place < 8; place++) {
      const double a = size_of(value[place]);

      if (a > RowExponents::rounding * largest && a < least) least = a;
    }
    most[0] = Most::join(most[0], RowExponents::high(largest));
    most[1] = Most::join(most[1], RowExponents::low(largest));
    most[2] = Most::join(most[2], RowExponents::low(least < none ? least : 0));
  }
};

} // namespace goza::saamg
