/* Row bodies of the interpolation on a lattice of boxes. */
#pragma once
#include "box_grid.hpp"
#include "core/launch/by_lanes.hpp"
#include "within_rows.hpp"

namespace goza::saamg {

/* Which of its 8 boxes a node is interpolated from: its own, and those of the entries of its row. */
struct ReachedBoxes {
  BoxGrid       grid;
  const Bits27 *stencil;
  Bits8        *reach;

  HD void operator()(PetscInt i) const
  {
    const BoxNode n   = grid.place(i);
    unsigned      all = 0;

    if (stencil[i] & coupled_node) {
      all = 1u << n.own_place();
      for_each_neighbour(grid, i, stencil[i], [&](int, PetscInt j, int dx, int dy, int dz) {
        if (stencil[j] & coupled_node) all |= 1u << place_of(n, dx, dy, dz);
      });
    }
    reach[i] = static_cast<Bits8>(all);
  }

  /* That of the neighbour's box among those of node n. */
  HD static int place_of(const BoxNode &n, int dx, int dy, int dz)
  {
    const int x = boxes_away(n.o[0] + dx) - lower_box(n.o[0]), y = boxes_away(n.o[1] + dy) - lower_box(n.o[1]), z = boxes_away(n.o[2] + dz) - lower_box(n.o[2]);

    return 4 * z + 2 * y + x;
  }
};

/* The same once more, of those of its 8 boxes: which of them the nodes of its row are interpolated from. */
struct ReachedFurther {
  BoxGrid       grid;
  const Bits27 *stencil;
  const Bits8  *once;
  Bits8        *reach;

  HD void operator()(PetscInt i) const
  {
    const BoxNode n   = grid.place(i);
    unsigned      all = once[i];

    if (all)
      for_each_neighbour(grid, i, stencil[i], [&](int, PetscInt j, int dx, int dy, int dz) {
        all |= moved(moved(moved(once[j], boxes_apart(n.o[0], dx), 0x55, 1), boxes_apart(n.o[1], dy), 0x33, 2), boxes_apart(n.o[2], dz), 0x0F, 4);
      });
    /* beside a root there is one box, not two */
    reach[i] = static_cast<Bits8>(all & (n.o[0] ? 0xFF : 0x55) & (n.o[1] ? 0xFF : 0x33) & (n.o[2] ? 0xFF : 0x0F));
  }

private:
  /* The places of a node whose boxes begin so far from this one's in a direction, whose lower places are `lower`. */
  HD static unsigned moved(unsigned places, int apart, unsigned lower, int step)
  {
    return apart == 0 ? places : apart > 0 ? (places & lower) << step : places >> step & lower;
  }
};

/* The stencil of rows that have all of `places` that are inside the grid. */
HD inline void stencil_by_place(PetscInt i, const BoxGrid &grid, const Bits27 &places, const Bits8 *reach, Bits27 *stencil)
{
  stencil[i] = (places & places_inside(grid, i)) | (reach[i] ? coupled_node : 0); // a coupled node reaches its own box
}

struct CountReached {
  const Bits8 *reach;

  HD void operator()(PetscInt i, std::int64_t *entries) const { *entries += how_many(reach[i]); }
};

/* The values of a row of P = (I - omega D^-1 A) T by place. */
template <class Stencil> struct SmoothedRow27 {
  BoxGrid            grid;
  Stencil            A;
  const Bits27      *stencil;
  const PetscScalar *T, *dinv; // T: 0 where a node is in no box
  PetscReal          omega;

  HD void operator()(const BoxNode &n, PetscScalar *value) const
  {
    const Bits27      mine = stencil[n.node];
    const PetscScalar f    = -omega * dinv[n.node];

    UNROLL()
    for (int place = 0; place < 8; place++) value[place] = 0;
    for (int dz = -1; dz <= 1; dz++) {
      const int z = place_in_direction(n.o[2], dz);

      for (int dy = -1; dy <= 1; dy++) {
        const int bit = bit_of(-1, dy, dz), line = 2 * z + place_in_direction(n.o[1], dy);

        if (mine >> bit & 7) add_line(n, bit, mine, grid.neighbour(n.node, -1, dy, dz), line, value);
      }
    }
    UNROLL()
    for (int place = 0; place < 8; place++) value[place] = f * value[place] + (place == n.own_place() ? T[n.node] : PetscScalar(0));
  }

private:
  HD static int place_in_direction(int o, int step) { return boxes_away(o + step) - lower_box(o); }

  /* Of three neighbours beside one another; to the two places of the line. No index that is computed: the values are to be registers. */
  HD void add_line(const BoxNode &n, int bit, Bits27 mine, PetscInt first, int line, PetscScalar *value) const
  {
    PetscScalar v[3];

    for (int dx = 0; dx < 3; dx++) v[dx] = mine >> (bit + dx) & 1 ? A(n.node, bit + dx) * T[first + dx] : PetscScalar(0);
    const PetscScalar lower = n.o[0] < 0 ? v[0] : n.o[0] > 0 ? v[0] + v[1] : v[0] + v[1] + v[2];
    const PetscScalar upper = n.o[0] < 0 ? v[1] + v[2] : n.o[0] > 0 ? v[2] : PetscScalar(0);

    UNROLL()
    for (int q = 0; q < 4; q++) {
      if (q != line) continue;
      value[2 * q] += lower;
      value[2 * q + 1] += upper;
    }
  }
};

/* The columns of a row of P: the boxes that it reaches. */
struct NumberBoxes {
  BoxGrid         grid;
  const Bits8    *reach;
  const PetscInt *ptr;
  PetscInt       *col;

  HD void operator()(PetscInt i) const { of_node(grid.place(i)); }
  HD void of_node(const BoxNode &n) const
  {
    const PetscInt own  = grid.number(n.box);
    const unsigned bits = reach[n.node];
    PetscInt       p    = ptr[n.node];

    for (int place = 0; place < 8; place++) {
      if (bits >> place & 1)
        col[p++] = grid.box_behind(own, lower_box(n.o[0]) + (place & 1), lower_box(n.o[1]) + (place >> 1 & 1), lower_box(n.o[2]) + (place >> 2));
    }
  }
};

/* A row of P. */
template <class Stencil> struct SmoothBoxes {
  static constexpr int brick = 1024, resident = 1; // see BrickKernel

  SmoothedRow27<Stencil> row;
  NumberBoxes            columns; // col: null where there are none
  PetscScalar           *val;

  HD void operator()(PetscInt i) const
  {
    const BoxNode  n    = row.grid.place(i);
    const unsigned bits = columns.reach[i];
    PetscScalar    value[8];
    PetscInt       p = columns.ptr[i];

    if (!bits) return;
    row(n, value);
    UNROLL()
    for (int place = 0; place < 8; place++)
      if (bits >> place & 1) val[p++] = value[place];
    if (columns.col) columns.of_node(n);
  }
};

/* Rows of P, and what they make of the boxes' near-null vector. */
struct BoxRowsOfP {
  BoxGrid            grid;
  const Bits8       *reach;
  const PetscInt    *ptr;
  const PetscScalar *val, *coarse;

  HD PetscScalar coarse_at(const BoxNode &n, int place) const
  {
    return coarse[grid.box_behind(grid.number(n.box), lower_box(n.o[0]) + (place & 1), lower_box(n.o[1]) + (place >> 1 & 1), lower_box(n.o[2]) + (place >> 2))];
  }
};

HD inline void interpolate_by_boxes(PetscInt i, const BoxRowsOfP &rows, PetscScalar *sum)
{
  const BoxNode n = rows.grid.place(i);
  PetscInt      p = rows.ptr[i];
  PetscScalar   s = 0;

  for (int place = 0; place < 8; place++)
    if (rows.reach[i] >> place & 1) s += rows.val[p++] * rows.coarse_at(n, place);
  sum[i] = s;
}

/* WithinRow by place. */
template <class Stencil> struct WithinBoxes {
  BoxRowsOfP         rows;
  Stencil            A;
  const Bits27      *stencil;
  const PetscScalar *dinv;
  PetscReal          omega;
  const PetscScalar *sum;
  PetscScalar       *val;

  HD void operator()(PetscInt i) const
  {
    const BoxNode     n    = rows.grid.place(i);
    const unsigned    bits = rows.reach[i];
    const PetscScalar f    = -omega * dinv[i];
    PetscScalar       value[8], wanted = 0, found = 0;

    if (!bits) return;
    UNROLL()
    for (int place = 0; place < 8; place++) value[place] = 0;
    for_each_neighbour(rows.grid, i, stencil[i], [&](int bit, PetscInt j, int dx, int dy, int dz) {
      const PetscScalar a = A(i, bit);

      wanted += a * sum[j];
      add(a, j, boxes_apart(n.o[0], dx), boxes_apart(n.o[1], dy), boxes_apart(n.o[2], dz), value);
    });
    const PetscScalar *old = rows.val + rows.ptr[i];
    UNROLL()
    for (int place = 0; place < 8; place++) {
      if (!(bits >> place & 1)) continue;
      value[place] = old[entries_below(bits, place)] + f * value[place];
      found += value[place] * rows.coarse_at(n, place);
    }
    const PetscScalar share = share_out(sum[i] + f * wanted, found);
    UNROLL()
    for (int place = 0; place < 8; place++) {
      const PetscInt p = entries_below(bits, place);

      if (bits >> place & 1) val[rows.ptr[i] + p] = share == PetscScalar(0) ? old[p] : share * value[place];
    }
  }

private:
  /* a times row j, whose places lie so far from this row's. No index that is computed: the values are to be registers. */
  HD void add(PetscScalar a, PetscInt j, int x, int y, int z, PetscScalar *value) const
  {
    const unsigned     theirs = rows.reach[j];
    const PetscScalar *row    = rows.val + rows.ptr[j];

    UNROLL()
    for (int place = 0; place < 8; place++) {
      const int  px = (place & 1) - x, py = (place >> 1 & 1) - y, pz = (place >> 2) - z, at = 4 * pz + 2 * py + px;
      const bool there = (px | py | pz) >= 0 && (px | py | pz) <= 1 && theirs >> at & 1;

      if (there) value[place] += a * row[entries_below(theirs, at)];
    }
  }
};

} // namespace goza::saamg
