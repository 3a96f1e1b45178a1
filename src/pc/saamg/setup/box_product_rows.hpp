/* Row bodies of R A P, R = P^T or P^H, on a lattice of boxes: rows of A P by planes of nodes, then rows of the product by planes of boxes. Nothing is searched: a place says which box it is.

   A window holds A P for as many planes as the boxes at hand need: plane t of the lattice at t mod planes, place by place, so that neighbours write words that lie together. */
#pragma once
#include "box_grid.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::saamg
{

struct BoxWindow {
  PetscInt     plane, planes; // nodes of one, how many of them
  PetscScalar *val;           // [27][planes][plane]
  Bits27      *bits;          // [planes][plane] of the entries that a row has

  HD std::int64_t at(PetscInt t, PetscInt in_plane) const { return static_cast<std::int64_t>(t % planes) * plane + in_plane; }
  HD PetscScalar &value(int place, std::int64_t at) const { return val[static_cast<std::int64_t>(place) * planes * plane + at]; }
};

/* P by the places of its rows. */
struct BoxInterpolation {
  const Bits8       *reach;
  const PetscInt    *ptr;
  const PetscScalar *val;

  /* f(bx, value) for those of a node's entries in the boxes (bz, by) */
  template <class F> HD void for_each_in_line(PetscInt node, int by, int bz, F f) const
  {
    const unsigned bits = reach[node] >> (4 * bz + 2 * by);
    PetscInt       p;

    if (!(bits & 3)) return;
    p = ptr[node] + entries_below(reach[node], 4 * bz + 2 * by);
    if (bits & 1) f(0, val[p++]);
    if (bits & 2) f(1, val[p]);
  }
};

/* A row of A P. Of the 27 places those that no row of P^T asks for are left as they are. */
template <class Stencil> struct MultiplyBoxes {
  BoxGrid          grid;
  Stencil          A;
  const Bits27    *stencil;
  BoxInterpolation P;
  BoxWindow        window;
  PetscInt         first; // plane of the first row

  HD void operator()(PetscInt row) const
  {
    const PetscInt     in_plane = row % window.plane, t = first + row / window.plane, node = (grid.begin[2] + t) * window.plane + in_plane;
    const BoxNode      n     = grid.place(node);
    const std::int64_t at    = window.at(t, in_plane);
    Bits27             found = 0;

    if (!(stencil[node] & coupled_node)) {
      window.bits[at] = 0;
      return;
    }
    for (int z = n.o[2] > 0 ? 0 : -1; z <= (n.o[2] < 0 ? 0 : 1); z++) {
      for (int y = n.o[1] > 0 ? 0 : -1; y <= (n.o[1] < 0 ? 0 : 1); y++) {
        PetscScalar  sum[3] = {0, 0, 0};
        const Bits27 has    = add_line(n, y, z, sum);

        for (int x = 0; x < 3; x++) window.value(bit_of(x - 1, y, z), at) = sum[x];
        found |= has << bit_of(-1, y, z);
      }
    }
    window.bits[at] = found;
  }

private:
  /* The three boxes of line (y, z), and which of them have an entry. */
  HD Bits27 add_line(const BoxNode &n, int y, int z, PetscScalar *sum) const
  {
    const Bits27 mine = stencil[n.node];
    Bits27       has  = 0;

    for (int dz = -1; dz <= 1; dz++) {
      const int bz = z - lower_box(n.o[2] + dz);

      if (bz < 0 || bz > 1) continue;
      for (int dy = -1; dy <= 1; dy++) {
        const int by = y - lower_box(n.o[1] + dy), bit = bit_of(-1, dy, dz);

        if (by < 0 || by > 1 || !(mine >> bit & 7)) continue;
        for (int dx = 0; dx < 3; dx++) {
          if (!(mine >> (bit + dx) & 1)) continue;
          const PetscScalar a    = A(n.node, bit + dx);
          const bool        left = n.o[0] + dx - 1 < 0; // of the root: its lower box is the one before

          P.for_each_in_line(grid.neighbour(n.node, dx - 1, dy, dz), by, bz, [&](int bx, PetscScalar p) {
            const PetscScalar term = a * p;

            if (bx) { // no index that is computed: the sums are to be registers
              if (left) sum[1] += term;
              else sum[2] += term;
            } else if (left) sum[0] += term;
            else sum[1] += term;
            has |= 1u << (left ? bx : bx + 1);
          });
        }
      }
    }
    return has;
  }
};

/* Three entries of a row of R (A P), those of the boxes (y, z) beside a box: row = ((z + 1) * 3 + (y + 1)) * boxes + box, of the boxes from `first` on. */
struct ProjectBoxes {
  BoxGrid          grid;
  BoxInterpolation P;
  BoxWindow        window;
  PetscInt         first, boxes;
  std::int64_t     ld;
  bool             conjugated; // R = P^H
  PetscScalar     *val;        // [27][ld]
  Bits8           *bits;       // [9][all boxes]

  HD void operator()(PetscInt row) const
  {
    const PetscInt     line = row / boxes, box = first + row % boxes;
    const int          y = static_cast<int>(line % 3) - 1, z = static_cast<int>(line / 3) - 1;
    const PetscInt     zroot  = grid.root(box / grid.boxes_of_plane(), 2);
    const std::int64_t all    = grid.all_boxes();
    PetscScalar        sum[3] = {0, 0, 0};
    unsigned           has    = 0;

    grid.for_each_node(box, 1, [&](PetscInt i, int rx, int ry, int rz) {
      const int ax = boxes_away(rx), iy = y - boxes_away(ry), iz = z - boxes_away(rz); // places are counted from the node's own box

      if (!asked(ry - 3 * boxes_away(ry), iy) || !asked(rz - 3 * boxes_away(rz), iz)) return;
      const unsigned reach = P.reach[i];
      const int      place = 4 * (rz < 0) + 2 * (ry < 0) + (rx < 0);

      if (!(reach >> place & 1)) return;
      const PetscScalar  p  = conjugate_if(conjugated, P.val[P.ptr[i] + entries_below(reach, place)]);
      const std::int64_t at = window.at(zroot + rz, i % window.plane);
      const Bits27       in = window.bits[at] >> bit_of(-1, iy, iz) & 7;

      for (int x = -1; x <= 1; x++) {
        if (!asked(rx - 3 * ax, x - ax) || !(in >> (x - ax + 1) & 1)) continue;
        sum[x + 1] += p * window.value(bit_of(x - ax, iy, iz), at);
        has |= 1u << (x + 1);
      }
    });
    for (int x = 0; x < 3; x++) val[(3 * line + x) * ld + box] = sum[x];
    bits[line * all + box] = static_cast<Bits8>(has);
  }

private:
  /* Whether the row of A P of a node at o has that place in this direction. */
  HD static bool asked(int o, int box) { return box >= (o > 0 ? 0 : -1) && box <= (o < 0 ? 0 : 1); }
};

/* The product's CSR rows: lengths, then columns and values. The diagonal entry is always there. */
struct LengthsOfBoxRows {
  const Bits8 *bits;
  PetscInt     boxes, *length;
  Bits27      *all;

  HD void operator()(PetscInt box) const
  {
    Bits27 has = Bits27(1) << bit_of(0, 0, 0);

    for (int line = 0; line < 9; line++) has |= static_cast<Bits27>(bits[static_cast<std::int64_t>(line) * boxes + box]) << 3 * line;
    all[box]    = has;
    length[box] = how_many(has);
  }
};

struct WriteBoxRows {
  BoxGrid            grid;
  const Bits27      *bits;
  std::int64_t       ld;
  const PetscScalar *from; // [27][ld]
  const PetscInt    *ptr;
  PetscInt          *col;
  PetscScalar       *val;

  HD void operator()(PetscInt box) const
  {
    PetscInt p = ptr[box];

    for (int bit = 0; bit < 27; bit++) {
      if (!(bits[box] >> bit & 1)) continue;
      col[p]   = grid.box_behind(box, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1);
      val[p++] = from[bit * ld + box];
    }
  }
};

} // namespace goza::saamg
