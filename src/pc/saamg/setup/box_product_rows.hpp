/* Row bodies of R A P, R = P^T or P^H, on a lattice of boxes: rows of P by place, of A P by planes of nodes, then rows of the product by planes of boxes.
   Nothing is searched: a place says which box it is.

   A window holds rows of P or of A P for as many planes as the boxes at hand need: plane t of the lattice at t mod planes, place by place, so that neighbours
   read and write words that lie together. */
#pragma once
#include "box_grid.hpp"
#include "core/launch/by_lanes.hpp"

namespace goza::saamg
{

struct BoxWindow {
  PetscInt     plane, planes; // nodes of one, how many of them
  PetscScalar *val;           // [places][planes][plane]

  HD std::int64_t size() const { return static_cast<std::int64_t>(planes) * plane; } // of a place
  HD PetscInt     slot(PetscInt t) const { return (t + planes) % planes; }           // a rank's grid has roots two planes before its own
  HD PetscInt     beside(PetscInt slot, int step) const
  {
    return slot + step < 0 ? slot + step + planes : slot + step < planes ? slot + step : slot + step - planes;
  }
  HD std::int64_t at(PetscInt slot, PetscInt in_plane) const { return static_cast<std::int64_t>(slot) * plane + in_plane; }
};

/* Where a node's row of A P lies in its plane of a window: line by line of the lattice, in each the nodes that lie alike in their boxes beside one another, as
   those are read who make the rows of boxes. */
HD inline PetscInt where_boxes_lie(const BoxGrid &grid, const BoxNode &n)
{
  return (3 * (grid.root(n.box[1], 1) + n.o[1]) + n.o[0] + 1) * grid.boxes[0] + n.box[0];
}

/* A row of P by its 8 places, 0 where it reaches no box. */
struct PlaceInterpolation {
  BoxGrid            grid;
  const Bits8       *reach;
  const PetscInt    *ptr;
  const PetscScalar *val;
  BoxWindow          window;
  PetscInt           first; // plane of the first row

  HD void operator()(PetscInt row) const
  {
    const PetscInt     in_plane = row % window.plane, t = first + row / window.plane, node = (grid.begin[2] + t) * window.plane + in_plane;
    const std::int64_t at   = window.at(window.slot(t), in_plane);
    const unsigned     bits = reach[node];
    PetscInt           p    = ptr[node];

    for (int place = 0; place < 8; place++) window.val[place * window.size() + at] = bits >> place & 1 ? val[p++] : PetscScalar(0);
  }
};

/* The entries of a row of A P, by bits. */
struct FindProductRow {
  BoxGrid       grid;
  const Bits27 *stencil;
  const Bits8  *reach;
  Bits27       *found;

  HD void operator()(PetscInt i) const
  {
    const BoxNode n    = grid.place(i);
    const Bits27  mine = stencil[i];
    Bits27        all  = 0;

    if (mine & coupled_node)
      for_each_neighbour(grid, i, mine, [&](int, PetscInt j, int dx, int dy, int dz) {
        const Bits27 r = reach[j], by_27 = (r & 3) | (r & 12) << 1 | (r & 48) << 5 | (r & 192) << 6; // 2 x 2 x 2 places among 3 x 3 x 3

        all |= by_27 << bit_of(lower_box(n.o[0] + dx), lower_box(n.o[1] + dy), lower_box(n.o[2] + dz));
      });
    found[i] = all;
  }
};

/* Of a row of R (A P), from the nodes of its box and around it. The diagonal entry is always there. */
struct FindBoxRow {
  BoxGrid       grid;
  const Bits8  *reach;
  const Bits27 *found;
  Bits27       *bits;

  HD void operator()(PetscInt box) const
  {
    Bits27 has = Bits27(1) << bit_of(0, 0, 0);

    grid.for_each_node(box, 1, [&](PetscInt i, int x, int y, int z) {
      const int place = 4 * (z < 0) + 2 * (y < 0) + (x < 0), away = boxes_away(x) + 3 * boxes_away(y) + 9 * boxes_away(z);

      if (reach[i] >> place & 1) has |= away < 0 ? found[i] >> -away : found[i] << away;
    });
    bits[box] = has;
  }
};

/* A row of A P, 0 where it has no entry. Of the 27 places those that no row of P^T asks for are left as they are. */
template <class Stencil> struct MultiplyBoxes {
  BoxGrid       grid;
  Stencil       A;
  const Bits27 *stencil;
  BoxWindow     P, window; // P: with a line and a node before and behind it; window: [27][planes], by where_boxes_lie()
  PetscInt      first;     // plane of the first row
  PetscInt      planes;    // in so many lines are taken by how they lie; 0: in none

  HD void operator()(PetscInt row) const
  {
    const NodeLine line     = line_at(row / grid.nodes[0]);
    const PetscInt in_plane = row % grid.nodes[0] + grid.nodes[0] * line.y, t = first + line.t;
    const BoxNode  n = grid.place((grid.begin[2] + t) * P.plane + in_plane);

    if (!n.inside) return;
    switch (3 * n.o[2] + n.o[1]) { // alike along a line: each is a body of its own, whose sums are registers
    case -4:
      return add_lines<-1, -1>(n, t, in_plane);
    case -3:
      return add_lines<-1, 0>(n, t, in_plane);
    case -2:
      return add_lines<-1, 1>(n, t, in_plane);
    case -1:
      return add_lines<0, -1>(n, t, in_plane);
    case 0:
      return add_lines<0, 0>(n, t, in_plane);
    case 1:
      return add_lines<0, 1>(n, t, in_plane);
    case 2:
      return add_lines<1, -1>(n, t, in_plane);
    case 3:
      return add_lines<1, 0>(n, t, in_plane);
    default:
      return add_lines<1, 1>(n, t, in_plane);
    }
  }

private:
  struct NodeLine {
    PetscInt y, t;
  };

  /* Lines that are worked on at a time lie alike in their boxes: else a device would wait for instructions more than for anything else. */
  HD NodeLine line_at(PetscInt k) const
  {
    const PetscInt thirds_y = grid.nodes[1] / 3, thirds_t = planes / 3, alike = thirds_y * thirds_t, others = grid.nodes[1] - 3 * thirds_y;

    if (k < 9 * alike) return {k / alike % 3 + 3 * (k % alike % thirds_y), k / alike / 3 + 3 * (k % alike / thirds_y)};
    if (k < 3 * thirds_t * grid.nodes[1]) return {3 * thirds_y + (k - 9 * alike) % others, (k - 9 * alike) / others};
    return {k % grid.nodes[1], k / grid.nodes[1]};
  }

  /* In a direction: the boxes that a row of A P reaches, and how many a neighbour's row of P does. */
  HD static constexpr int lowest(int o) { return o > 0 ? 0 : -1; }
  HD static constexpr int reached(int o) { return o ? 2 : 3; }
  HD static constexpr int places(int s) { return s ? 2 : 1; }
  HD static constexpr int lower(int s) { return s < 0 ? -1 : 0; } // lower_box(), when this is compiled

  template <int oz, int oy> HD void add_lines(const BoxNode &n, PetscInt t, PetscInt in_plane) const
  {
    const Bits27   row = stencil[n.node], mine = row & coupled_node ? row : 0;
    const PetscInt slot                             = P.slot(t);
    PetscScalar    sum[reached(oz)][reached(oy)][3] = {};

    UNROLL()
    for (int dz = -1; dz <= 1; dz++) {
      if (t + dz < 0 || t + dz >= grid.tiles[2]) continue;
      const std::int64_t beside = P.at(P.beside(slot, dz), in_plane);

      UNROLL()
      for (int dy = -1; dy <= 1; dy++) {
        const int          bit = bit_of(-1, dy, dz);
        const std::int64_t at  = beside + dy * grid.nodes[0] - 1;
        PetscScalar        left[3], right[3]; // of the root: the lower box of those left of it is the one before

        for (int dx = 0; dx < 3; dx++) {
          const PetscScalar a = mine >> (bit + dx) & 1 ? A(n.node, bit + dx) : PetscScalar(0);

          left[dx]  = n.o[0] + dx - 1 < 0 ? a : PetscScalar(0);
          right[dx] = n.o[0] + dx - 1 < 0 ? PetscScalar(0) : a;
        }
        UNROLL()
        for (int pz = 0; pz < places(oz + dz); pz++) {
          UNROLL()
          for (int py = 0; py < places(oy + dy); py++)
            add_line(left, right, P.val + (4 * pz + 2 * py) * P.size() + at, sum[lower(oz + dz) + pz - lowest(oz)][lower(oy + dy) + py - lowest(oy)]);
        }
      }
    }
    const std::int64_t to = window.at(window.slot(t), where_boxes_lie(grid, n));

    UNROLL()
    for (int z = 0; z < reached(oz); z++) {
      UNROLL()
      for (int y = 0; y < reached(oy); y++) {
        for (int x = 0; x < 3; x++) {
          if (x ? x == 1 || n.o[0] >= 0 : n.o[0] <= 0) window.val[bit_of(x - 1, y + lowest(oy), z + lowest(oz)) * window.size() + to] = sum[z][y][x];
        }
      }
    }
  }

  /* Of three neighbours beside one another, what they have at two places of P, to three boxes: the first two by the entries of those left of the root, the
     last two by the others. All is read before anything is added up: a device's memory is far away. No index that is computed: the sums are to be registers.
     And no choice: the instructions are to be few. Where there is no neighbour something else is read, and multiplied by 0. */
  HD void add_line(const PetscScalar left[3], const PetscScalar right[3], const PetscScalar *low_at, PetscScalar sum[3]) const
  {
    const PetscScalar *const high_at = low_at + P.size();
    PetscScalar              low[3], high[3];

    for (int dx = 0; dx < 3; dx++) {
      low[dx]  = low_at[dx];
      high[dx] = high_at[dx];
    }
    for (int dx = 0; dx < 3; dx++) {
      sum[0] += left[dx] * low[dx];
      sum[1] += left[dx] * high[dx];
      sum[1] += right[dx] * low[dx];
      sum[2] += right[dx] * high[dx];
    }
  }
};

/* Three entries of a row of R (A P), those of the boxes (y, z) beside a box: row = ((z + 1) * 3 + (y + 1)) * boxes + box, of the boxes from `first` on. */
struct ProjectBoxes {
  BoxGrid      grid;
  BoxWindow    P, window;
  PetscInt     first, boxes;
  std::int64_t ld;
  bool         conjugated; // R = P^H
  PetscScalar *val;        // [27][ld]

  HD void operator()(PetscInt row) const
  {
    const PetscInt line = row / boxes, box = first + row % boxes, in_line = box % grid.boxes[0];
    const int      y = static_cast<int>(line % 3) - 1, z = static_cast<int>(line / 3) - 1;
    const PetscInt root[3] = {grid.root(in_line, 0), grid.root(box / grid.boxes[0] % grid.boxes[1], 1), grid.root(box / grid.boxes_of_plane(), 2)};
    const PetscInt of_line = grid.begin[0] + root[0] + grid.nodes[0] * (grid.begin[1] + root[1]);
    const PetscInt slot = window.slot(root[2]), slot_of_P = P.slot(root[2]);
    PetscScalar    sum[3] = {0, 0, 0};

    for (int rz = -2; rz <= 2; rz++) {
      const int iz = z - boxes_away(rz);

      if (root[2] + rz < 0 || root[2] + rz >= grid.tiles[2] || !asked(rz, iz)) continue;
      const std::int64_t at   = window.at(window.beside(slot, rz), 3 * grid.boxes[0] * root[1] + in_line);
      const std::int64_t at_P = P.at(P.beside(slot_of_P, rz), of_line);

      for (int ry = -2; ry <= 2; ry++) {
        const int iy = y - boxes_away(ry), place = 4 * (rz < 0) + 2 * (ry < 0);

        if (root[1] + ry < 0 || root[1] + ry >= grid.tiles[1] || !asked(ry, iy)) continue;
        add_line(root[0], window.val + bit_of(-1, iy, iz) * window.size() + at + ry * 3 * grid.boxes[0], P.val + place * P.size() + at_P + ry * grid.nodes[0],
                 sum);
      }
    }
    for (int x = 0; x < 3; x++) val[(3 * line + x) * ld + box] = sum[x];
  }

private:
  /* Whether the row of A P of a node at r from the root, of another box maybe, has that place, which is counted from the node's own box. */
  HD static bool asked(int r, int box)
  {
    const int o = r - 3 * boxes_away(r);

    return box >= (o > 0 ? 0 : -1) && box <= (o < 0 ? 0 : 1);
  }

  /* Of the nodes beside one another around a root: `from` is where the first of three places of A P lies for the box's node of o = -1, of_P where the root has
     its row. What many wait for is asked for before any is added up. */
  HD void add_line(PetscInt root, const PetscScalar *from, const PetscScalar *of_P, PetscScalar *sum) const
  {
    constexpr int wide = 5;
    PetscScalar   p[wide], value[wide][3];

    UNROLL()
    for (int k = 0; k < wide; k++) {
      const int                rx = k - 2, away = boxes_away(rx), o = rx - 3 * away;
      const bool               there = root + rx >= 0 && root + rx < grid.tiles[0];
      const PetscScalar *const at    = from + (o + 1) * grid.boxes[0] + away;

      p[k] = there ? conjugate_if(conjugated, of_P[(rx < 0) * P.size() + rx]) : PetscScalar(0);
      for (int x = 0; x < 3; x++) value[k][x] = there && asked(rx, x - 1) ? at[x * window.size()] : PetscScalar(0);
    }
    UNROLL()
    for (int k = 0; k < wide; k++) {
      for (int x = 0; x < 3; x++) {
        if (asked(k - 2, x - 1)) sum[x + boxes_away(k - 2)] += p[k] * value[k][x];
      }
    }
  }
};

/* The product's CSR rows: lengths, then columns and values. */
struct LengthsOfBoxRows {
  const Bits27 *bits;
  PetscInt     *length;

  HD void operator()(PetscInt box) const { length[box] = how_many(bits[box]); }
};

struct WriteBoxRows {
  BoxGrid            grid;
  const Bits27      *bits;
  std::int64_t       ld;
  const PetscScalar *from; // [27][ld]
  const PetscInt    *ptr;
  PetscInt          *col;
  PetscScalar       *val;

  HD void operator()(PetscInt box, int lane, int lanes) const
  {
    for (int bit = lane; bit < 27; bit += lanes) {
      if (!(bits[box] >> bit & 1)) continue;
      const PetscInt p = ptr[box] + entries_below(bits[box], bit);

      col[p] = grid.box_behind(box, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1);
      val[p] = from[bit * ld + box];
    }
  }
};

} // namespace goza::saamg
