/* Row bodies of R A P, R = P^T or P^H, on a lattice of boxes: rows of P by place (box_window.hpp), of A P by planes of nodes, then rows of the product by
   planes of boxes. Nothing is searched: a place says which box it is. */
#pragma once
#include "box_window.hpp"

namespace goza::saamg {

/* The entries of a row of A P, by bits. */
HD inline void find_product_row(PetscInt i, const BoxGrid &grid, const Bits27 *stencil, const Bits8 *reach, Bits27 *found)
{
  const BoxNode n    = grid.place(i);
  const Bits27  mine = stencil[i];
  Bits27        all  = 0;

  if (mine & coupled_node)
    for_each_neighbour(grid, i, mine, [&](int, PetscInt j, int dx, int dy, int dz) {
      const Bits27 r = reach[j], by_27 = (r & 3) | (r & 12) << 1 | (r & 48) << 5 | (r & 192) << 6; // 2 x 2 x 2 places among 3 x 3 x 3

      all |= by_27 << bit_of(lower_box(n.o[0] + dx, grid.wide[0]), lower_box(n.o[1] + dy, grid.wide[1]), lower_box(n.o[2] + dz, grid.wide[2]));
    });
  found[i] = all;
}

/* Of a row of R (A P), from the nodes of its box and around it. The diagonal entry is always there. */
HD inline void find_box_row(PetscInt box, const BoxGrid &grid, const Bits8 *reach, const Bits27 *found, Bits27 *bits)
{
  Bits27 has = Bits27(1) << bit_of(0, 0, 0);

  grid.for_each_node(box, 1, [&](PetscInt i, int x, int y, int z) {
    const int place = 4 * (z < 0) + 2 * (y < 0) + (x < 0), away = boxes_away(x) + 3 * boxes_away(y) + 9 * boxes_away(z);

    if (reach[i] >> place & 1) has |= away < 0 ? found[i] >> -away : found[i] << away;
  });
  bits[box] = has;
}

/* The rows of A P of a box's three nodes beside one another, 0 where they have no entry: they read the same rows of P. Of the 27 places those that no row of
   P^T asks for are left as they are. A brick is 32 boxes in 4 lines of 2 planes, which read the same of P; a warp's nodes then lie alike in their boxes.
   wide: of the boxes in x; of one tile the second of the three nodes is the box's, and the others are in the boxes beside it. */
template <class Stencil, int wide> struct MultiplyBoxes {
  BoxGrid       grid;
  Stencil       A;
  const Bits27 *stencil;
  BoxWindow     P, window;  // P: with a line before and behind it, 0 where there is no node; window: [27][planes]
  PetscInt      first, end; // planes
  bool          by_bricks;  // a device's block, in space

  PetscInt count() const
  {
    return by_bricks ? 256 * bricks(grid.boxes[0], 32) * bricks(grid.tiles[1], 4) * bricks(end - first, 2) : (end - first) * grid.tiles[1] * grid.boxes[0];
  }

  HD void operator()(PetscInt row) const
  {
    PetscInt box = row % grid.boxes[0], line = row / grid.boxes[0], y = line % grid.tiles[1], t = first + line / grid.tiles[1];

    if (by_bricks) {
      const PetscInt in_line = bricks(grid.boxes[0], 32), in_plane = bricks(grid.tiles[1], 4), brick = row / 256, of_line = brick / in_line;

      box = 32 * (brick % in_line) + row % 32;
      y   = 4 * (of_line % in_plane) + row / 32 % 4;
      t   = first + 2 * (of_line / in_plane) + row / 128 % 2;
      if (box >= grid.boxes[0] || y >= grid.tiles[1] || t >= end) return;
    }
    switch (offset(y, 1)) { // alike along a line: each is a body of its own, whose sums are registers
    case -1:
      return add_planes<-1>(box, y, t);
    case 0:
      return add_planes<0>(box, y, t);
    case 1:
      return add_planes<1>(box, y, t);
    default:
      return add_planes<alone>(box, y, t);
    }
  }

private:
  HD static PetscInt bricks(PetscInt n, PetscInt of) { return (n + of - 1) / of; }

  static constexpr int alone = 2; // the offset where boxes are one tile wide

  HD int offset(PetscInt tile, int d) const { return grid.wide[d] == 1 ? alone : static_cast<int>(tile - grid.root(grid.box_of(tile, d), d)); }

  /* In a direction: the boxes that a row of A P reaches, and how many and from which on a neighbour's row of P does. */
  HD static constexpr int lowest(int o) { return o == 1 ? 0 : -1; }
  HD static constexpr int reached(int o) { return o == 1 || o == -1 ? 2 : 3; }
  HD static constexpr int places(int o, int step) { return o == alone || o + step == 0 ? 1 : 2; }
  HD static constexpr int lower(int o, int step) { return o == alone ? step : o + step < 0 ? -1 : 0; }

  /* The places of the nodes' rows that are theirs and lead to a line of the lattice. */
  HD void find_places(PetscInt box, PetscInt y, PetscInt node, Bits27 *mine) const
  {
    constexpr Bits27 before = 0x1C0E07; // dy = -1
    const Bits27     beyond = (y == 0 ? before : 0) | (y + 1 == grid.tiles[1] ? before << 6 : 0);

    for (int u = 0; u < 3; u++) {
      const PetscInt x   = grid.root(box, 0) + u - 1;
      const Bits27   row = x >= 0 && x < grid.tiles[0] && (wide == 3 || u == 1) ? stencil[node + u] : 0;

      mine[u] = row & coupled_node ? row & ~beyond : 0;
    }
  }

  template <int oy> HD void add_planes(PetscInt box, PetscInt y, PetscInt t) const
  {
    const PetscInt     node     = grid.begin[0] + grid.root(box, 0) - 1 + grid.nodes[0] * (grid.begin[1] + y + grid.nodes[1] * (grid.begin[2] + t));
    const int          oz       = offset(t, 2);
    const PetscInt     in_plane = where_boxes_lie(grid, y, -1, box), slot = P.slot(t);
    const std::int64_t to = window.at(window.slot(t), in_plane);
    Bits27             mine[3];

    find_places(box, y, node, mine);
    for (int iz = lowest(oz); iz < lowest(oz) + reached(oz); iz++) { // all planes' sums at once would be too many registers
      PetscScalar sum[reached(oy)][7] = {};

      for (int dz = -1; dz <= 1; dz++) {
        const int place = iz - lower(oz, dz);

        if (place < 0 || place >= places(oz, dz) || t + dz < 0 || t + dz >= grid.tiles[2]) continue;
        add_plane<oy>(node, 9 * (dz + 1), mine, P.val + 4 * place * P.size() + P.at(P.beside(slot, dz), in_plane), sum);
      }
      UNROLL()
      for (int iy = 0; iy < reached(oy); iy++) write(sum[iy], window.val + bit_of(-1, iy + lowest(oy), iz) * window.size() + to);
    }
  }

  HD static bool has_bit(Bits27 bits, int bit) { return bits >> bit & 1; }

  template <int oy> HD void add_plane(PetscInt node, int bit, const Bits27 *mine, const PetscScalar *of_P, PetscScalar (*sum)[7]) const
  {
    UNROLL()
    for (int dy = -1; dy <= 1; dy++) {
      const int   at = 3 * (dy + 1);
      PetscScalar a[3][3]; // [dx][node]

      UNROLL()
      for (int dx = 0; dx < 3; dx++) {
        const int  place    = bit + at + dx;
        const bool there[3] = {has_bit(mine[0], place), has_bit(mine[1], place), has_bit(mine[2], place)};

        A.three(node, place, there, a[dx]);
      }
      UNROLL()
      for (int p = 0; p < places(oy, dy); p++) add_line(a, of_P + 2 * p * P.size() + dy * size_of_line(grid), sum[lower(oy, dy) + p - lowest(oy)]);
    }
  }

  /* Of the nodes from the one before the three to the one behind, what they have at the places of a line of P. All is read before anything is added up: a
     device's memory is far away. */
  HD void add_line(const PetscScalar a[3][3], const PetscScalar *low, PetscScalar *sum) const
  {
    if (wide == 1) {
      for (int dx = 0; dx < 3; dx++) sum[2 + dx] += a[dx][1] * low[dx - 1];
      return;
    }
    const PetscInt           width     = width_of_line(grid);
    const PetscScalar *const high      = low + P.size();
    const PetscScalar        before[2] = {low[2 * width - 1], high[2 * width - 1]}, left[2] = {low[0], high[0]}, root = low[width],
                      right[2] = {low[2 * width], high[2 * width]}, behind[2] = {low[1], high[1]};

    for (int k = 0; k < 2; k++) {
      sum[k] += a[0][0] * before[k];
      sum[k] += a[1][0] * left[k];
      sum[2 + k] += a[0][1] * left[k];
    }
    sum[1] += a[2][0] * root;
    sum[3] += a[1][1] * root;
    sum[5] += a[0][2] * root;
    for (int k = 0; k < 2; k++) {
      sum[3 + k] += a[2][1] * right[k];
      sum[5 + k] += a[1][2] * right[k];
      sum[5 + k] += a[2][2] * behind[k];
    }
  }

  /* Two places of the first node, three of the second, two of the third. */
  HD void write(const PetscScalar *sum, PetscScalar *to) const
  {
    const PetscInt     width = width_of_line(grid);
    const std::int64_t size  = window.size();

    if (wide == 1) {
      for (int x = 0; x < 3; x++) to[x * size] = sum[2 + x];
      return;
    }
    to[0]                    = sum[0];
    to[size]                 = sum[1];
    to[width]                = sum[2];
    to[width + size]         = sum[3];
    to[width + 2 * size]     = sum[4];
    to[2 * width + size]     = sum[5];
    to[2 * width + 2 * size] = sum[6];
  }
};

/* Where values of a box stand, by the places that there are: start[place] + box. half: of those before the diagonal that of the mirror image. */
struct BoxPlaces {
  Bits27       there;
  bool         half;
  PetscScalar *val;
  std::int64_t start[27];

  HD bool has(int place) const { return there >> place & 1; }
};

/* Three entries of a row of R (A P), those of the boxes (y, z) beside a box: row = line * boxes + box, of the boxes from `first` on,
   line = (z + 1) * 3 + (y + 1). Of a symmetric product the lines from the middle one on, whose entries are those of the boxes beside it, too. */
struct ProjectBoxes {
  BoxGrid   grid;
  BoxWindow P, window;
  PetscInt  first, boxes;
  bool      conjugated; // R = P^H
  bool      symmetric;
  BoxPlaces to;

  const PetscReal *m;       // [nodes] or null
  PetscReal       *squares; // [boxes] sums of m_i |p_i|^2 over a column of P

  HD void operator()(PetscInt row) const
  {
    const PetscInt line = row / boxes + (symmetric ? 4 : 0), box = first + row % boxes, in_line = box % grid.boxes[0];
    const int      y = static_cast<int>(line % 3) - 1, z = static_cast<int>(line / 3) - 1;
    const PetscInt root[3]  = {grid.root(in_line, 0), grid.root(box / grid.boxes[0] % grid.boxes[1], 1), grid.root(box / grid.boxes_of_plane(), 2)};
    const PetscInt in_plane = where_boxes_lie(grid, root[1], -1, in_line);
    const PetscInt slot = window.slot(root[2]), slot_of_P = P.slot(root[2]);
    PetscScalar    sum[3] = {0, 0, 0};

    if (!(to.there >> 3 * line & 7)) return;
    for (int rz = -grid.reach(2); rz <= grid.reach(2); rz++) {
      const int iz = z - boxes_away(rz);

      if (root[2] + rz < 0 || root[2] + rz >= grid.tiles[2] || !asked(rz, iz)) continue;
      const std::int64_t at   = window.at(window.beside(slot, rz), in_plane);
      const std::int64_t at_P = P.at(P.beside(slot_of_P, rz), in_plane);

      for (int ry = -grid.reach(1); ry <= grid.reach(1); ry++) {
        const int      iy = y - boxes_away(ry), place = 4 * (rz < 0) + 2 * (ry < 0);
        const PetscInt there = ry * size_of_line(grid);

        if (root[1] + ry < 0 || root[1] + ry >= grid.tiles[1] || !asked(ry, iy)) continue;
        add_line(root[0], window.val + bit_of(-1, iy, iz) * window.size() + at + there, P.val + place * P.size() + at_P + there, sum);
      }
    }
    for (int x = symmetric && !y && !z; x < 3; x++)
      if (to.has(3 * line + x)) to.val[to.start[3 * line + x] + box] = sum[x];
    if (symmetric && !to.half) mirror(box, y, z, sum);
    if (m && !y && !z) squares[box] = sum_of_squares(root, in_plane, slot_of_P);
  }

private:
  /* Whether the row of A P of a node at r from the root, of another box maybe, has that place, which is counted from the node's own box. */
  HD static bool asked(int r, int box)
  {
    const int o = r - 3 * boxes_away(r);

    return box >= (o > 0 ? 0 : -1) && box <= (o < 0 ? 0 : 1);
  }

  /* Of the nodes beside one another around a root: `from` is where the first of three places of A P lies for the box's node of o = -1, of_P where that node has
     its row. What many wait for is asked for before any is added up. */
  HD void add_line(PetscInt root, const PetscScalar *from, const PetscScalar *of_P, PetscScalar *sum) const
  {
    constexpr int wide = 5;
    PetscScalar   p[wide], value[wide][3];

    UNROLL()
    for (int k = 0; k < wide; k++) {
      const int      rx = k - 2, away = boxes_away(rx), o = rx - 3 * away;
      const bool     there = root + rx >= 0 && root + rx < grid.tiles[0] && (rx == 0 || grid.wide[0] == 3);
      const PetscInt at    = where_alike_lie(grid, o) + away;

      p[k] = there ? conjugate_if(conjugated, of_P[(rx < 0) * P.size() + at]) : PetscScalar(0);
      for (int x = 0; x < 3; x++) value[k][x] = there && asked(rx, x - 1) ? from[x * window.size() + at] : PetscScalar(0);
    }
    UNROLL()
    for (int k = 0; k < wide; k++) {
      for (int x = 0; x < 3; x++)
        if (asked(k - 2, x - 1)) sum[x + boxes_away(k - 2)] += p[k] * value[k][x];
    }
  }

  /* m_i |p_i|^2 over a column of P, from the nodes of its box and around it. */
  HD PetscReal sum_of_squares(const PetscInt *root, PetscInt in_plane, PetscInt slot_of_P) const
  {
    PetscReal sum = 0;

    for (int rz = -grid.reach(2); rz <= grid.reach(2); rz++) {
      if (root[2] + rz < 0 || root[2] + rz >= grid.tiles[2]) continue;
      for (int ry = -grid.reach(1); ry <= grid.reach(1); ry++) {
        if (root[1] + ry < 0 || root[1] + ry >= grid.tiles[1]) continue;
        const PetscInt     node = grid.begin[0] + root[0] + grid.nodes[0] * (grid.begin[1] + root[1] + ry + grid.nodes[1] * (grid.begin[2] + root[2] + rz));
        const PetscScalar *of_P = P.val + (4 * (rz < 0) + 2 * (ry < 0)) * P.size() + P.at(P.beside(slot_of_P, rz), in_plane) + ry * size_of_line(grid);

        UNROLL()
        for (int rx = -2; rx <= 2; rx++) {
          const int away = boxes_away(rx), o = rx - 3 * away;

          if (root[0] + rx < 0 || root[0] + rx >= grid.tiles[0] || (rx && grid.wide[0] == 1)) continue;
          const PetscScalar p = of_P[(rx < 0) * P.size() + where_alike_lie(grid, o) + away];

          sum += PetscRealPart(p * PetscConj(p)) * m[node + rx];
        }
      }
    }
    return sum;
  }

  /* The entries across the diagonal. Of the middle line, that of the box before comes of that box. */
  HD void mirror(PetscInt box, int y, int z, const PetscScalar *sum) const
  {
    const PetscInt at[3] = {box % grid.boxes[0], box / grid.boxes[0] % grid.boxes[1] + y, box / grid.boxes_of_plane() + z};

    if (at[1] < 0 || at[1] >= grid.boxes[1] || at[2] >= grid.boxes[2]) return;
    UNROLL()
    for (int x = -1; x <= 1; x++)
      if ((x == 1 || y || z) && at[0] + x >= 0 && at[0] + x < grid.boxes[0] && to.has(bit_of(-x, -y, -z)))
        to.val[to.start[bit_of(-x, -y, -z)] + grid.box_behind(box, x, y, z)] = sum[x + 1];
  }
};

/* The product's CSR rows: columns and values. */
struct WriteBoxRows {
  BoxGrid         grid;
  const Bits27   *bits;
  BoxPlaces       from;
  const PetscInt *ptr;
  PetscInt       *col;
  PetscScalar    *val;

  HD void operator()(PetscInt box, int lane, int lanes) const
  {
    for (int bit = lane; bit < 27; bit += lanes) {
      if (!(bits[box] >> bit & 1)) continue;
      const PetscInt p = ptr[box] + entries_below(bits[box], bit);

      col[p] = grid.box_behind(box, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1);
      val[p] = from.val[from.start[bit] + box];
    }
  }
};

} // namespace goza::saamg
