/* What a Galerkin product on a lattice of boxes holds at a time, and the rows of P there. */
#pragma once
#include "box_grid.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/launch/row_sums.hpp"
#include "core/sparse/value_scaling.hpp"

namespace goza::saamg
{

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
HD inline PetscInt width_of_line(const BoxGrid &grid)
{
  return grid.boxes[0] + 2;
}

HD inline PetscInt where_boxes_lie(const BoxGrid &grid, PetscInt y, int o, PetscInt box)
{
  return (3 * y + o + 1) * width_of_line(grid) + box + 1;
}

/* A row of P by its places, 0 where it reaches no box; beside a root there is one box, not two, and nobody reads the other place. most: as exponents_of() has
   them, of all rows. */
struct PlaceInterpolation {
  static constexpr bool walks_along_row = true;

  BoxGrid            grid;
  const Bits8       *reach;
  const PetscInt    *ptr;
  const PetscScalar *val;
  BoxWindow          window;
  PetscInt           first; // plane of the first row

  HD void operator()(PetscInt row, std::int64_t *most) const
  {
    const PetscInt t = first + row / grid.plane(), node = (grid.begin[2] + t) * grid.plane() + row % grid.plane();
    const BoxNode  n = grid.place(node);

    if (!n.inside) return;
    const std::int64_t at   = window.at(window.slot(t), where_boxes_lie(grid, grid.root(n.box[1], 1) + n.o[1], n.o[0], n.box[0]));
    const unsigned     bits = reach[node];
    PetscScalar        value[8];
    PetscInt           p = ptr[node];

    UNROLL()
    for (int place = 0; place < 8; place++) value[place] = bits >> place & 1 ? val[p++] : PetscScalar(0);
    UNROLL()
    for (int place = 0; place < 8; place++) {
      if ((n.o[0] || !(place & 1)) && (n.o[1] || !(place & 2)) && (n.o[2] || !(place & 4))) window.val[place * window.size() + at] = value[place];
    }
    join(value, most);
  }

private:
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
