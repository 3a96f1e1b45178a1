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
  HD PetscInt     slot(PetscInt t) const { return t % planes; }
  HD PetscInt     beside(PetscInt slot, int step) const
  {
    return slot + step < 0 ? slot + step + planes : slot + step < planes ? slot + step : slot + step - planes;
  }
  HD std::int64_t at(PetscInt slot, PetscInt in_plane) const { return static_cast<std::int64_t>(slot) * plane + in_plane; }
};

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

/* A row of A P. Of the 27 places those that no row of P^T asks for are left as they are. */
template <class Stencil> struct MultiplyBoxes {
  BoxGrid       grid;
  Stencil       A;
  const Bits27 *stencil;
  const Bits8  *reach;
  BoxWindow     P, window;
  Bits27       *found; // [planes][plane] of the entries that a row has
  PetscInt      first; // plane of the first row

  HD void operator()(PetscInt row) const
  {
    const PetscInt     in_plane = row % window.plane, t = first + row / window.plane, node = (grid.begin[2] + t) * window.plane + in_plane;
    const BoxNode      n    = grid.place(node);
    const std::int64_t at   = window.at(window.slot(t), in_plane);
    const PetscInt     slot = P.slot(t);
    const Bits27       mine = stencil[node];
    Bits27             all  = 0;

    if (!(mine & coupled_node)) {
      found[at] = 0;
      return;
    }
    for (int z = n.o[2] > 0 ? 0 : -1; z <= (n.o[2] < 0 ? 0 : 1); z++) {
      for (int y = n.o[1] > 0 ? 0 : -1; y <= (n.o[1] < 0 ? 0 : 1); y++) {
        PetscScalar sum[3] = {0, 0, 0};
        Bits27      has    = 0;

        for (int dz = -1; dz <= 1; dz++) {
          const int bz = z - lower_box(n.o[2] + dz);

          if (bz < 0 || bz > 1 || t + dz < 0 || t + dz >= grid.tiles[2]) continue;
          const std::int64_t beside = P.at(P.beside(slot, dz), in_plane);

          for (int dy = -1; dy <= 1; dy++) {
            const int by = y - lower_box(n.o[1] + dy), bit = bit_of(-1, dy, dz);

            if (by >= 0 && by <= 1 && (mine >> bit & 7))
              has |= add_line(n, bit, mine >> bit, grid.neighbour(node, -1, dy, dz), beside + dy * grid.nodes[0] - 1, 4 * bz + 2 * by, sum);
          }
        }
        for (int x = 0; x < 3; x++) window.val[bit_of(x - 1, y, z) * window.size() + at] = sum[x];
        all |= has << bit_of(-1, y, z);
      }
    }
    found[at] = all;
  }

private:
  /* Of three neighbours beside one another, what they have at two places of P, to three boxes; which of these have an entry. All is read before anything is
     added up: a device's memory is far away. No index that is computed: the sums are to be registers. */
  HD Bits27 add_line(const BoxNode &n, int bit, Bits27 mine, PetscInt node, std::int64_t at, int place, PetscScalar *sum) const
  {
    const PetscScalar *const lower = P.val + place * P.size() + at, *const upper = lower + P.size();
    PetscScalar a[3], low[3], high[3];
    unsigned    bits[3];
    Bits27      has = 0;

    for (int dx = 0; dx < 3; dx++) {
      const bool there = mine >> dx & 1;

      bits[dx] = there ? reach[node + dx] >> place & 3 : 0;
      a[dx]    = there ? A(n.node, bit + dx) : PetscScalar(0);
      low[dx]  = there ? lower[dx] : PetscScalar(0);
      high[dx] = there ? upper[dx] : PetscScalar(0);
    }
    for (int dx = 0; dx < 3; dx++) {
      const bool left = n.o[0] + dx - 1 < 0; // of the root: its lower box is the one before

      sum[0] += a[dx] * (left ? low[dx] : PetscScalar(0));
      sum[1] += a[dx] * (left ? high[dx] : low[dx]);
      sum[2] += a[dx] * (left ? PetscScalar(0) : high[dx]);
      has |= bits[dx] << (left ? 0 : 1);
    }
    return has;
  }
};

/* Three entries of a row of R (A P), those of the boxes (y, z) beside a box: row = ((z + 1) * 3 + (y + 1)) * boxes + box, of the boxes from `first` on. */
struct ProjectBoxes {
  BoxGrid       grid;
  const Bits8  *reach;
  BoxWindow     P, window;
  const Bits27 *found;
  PetscInt      first, boxes;
  std::int64_t  ld;
  bool          conjugated; // R = P^H
  PetscScalar  *val;        // [27][ld]
  Bits8        *bits;       // [9][all boxes]

  HD void operator()(PetscInt row) const
  {
    const PetscInt line = row / boxes, box = first + row % boxes;
    const int      y = static_cast<int>(line % 3) - 1, z = static_cast<int>(line / 3) - 1;
    const PetscInt root[3]  = {grid.root(box % grid.boxes[0], 0), grid.root(box / grid.boxes[0] % grid.boxes[1], 1), grid.root(box / grid.boxes_of_plane(), 2)};
    const PetscInt in_plane = grid.begin[0] + root[0] + grid.nodes[0] * (grid.begin[1] + root[1]), node = in_plane + (grid.begin[2] + root[2]) * window.plane;
    const PetscInt slot = window.slot(root[2]), slot_of_P = P.slot(root[2]);
    const std::int64_t all    = grid.all_boxes();
    PetscScalar        sum[3] = {0, 0, 0};
    unsigned           has    = 0;

    for (int rz = -2; rz <= 2; rz++) {
      const int iz = z - boxes_away(rz);

      if (root[2] + rz < 0 || root[2] + rz >= grid.tiles[2] || !asked(rz, iz)) continue;
      const std::int64_t at = window.at(window.beside(slot, rz), in_plane), at_of_P = P.at(P.beside(slot_of_P, rz), in_plane);

      for (int ry = -2; ry <= 2; ry++) {
        const int      iy = y - boxes_away(ry), place = 4 * (rz < 0) + 2 * (ry < 0);
        const PetscInt step = ry * grid.nodes[0];

        if (root[1] + ry < 0 || root[1] + ry >= grid.tiles[1] || !asked(ry, iy)) continue;
        has |= add_line(root[0], node + rz * window.plane + step, at + step, at_of_P + step, place, bit_of(-1, iy, iz), sum);
      }
    }
    for (int x = 0; x < 3; x++) val[(3 * line + x) * ld + box] = sum[x];
    bits[line * all + box] = static_cast<Bits8>(has);
  }

private:
  /* Whether the row of A P of a node at r from the root, of another box maybe, has that place, which is counted from the node's own box. */
  HD static bool asked(int r, int box)
  {
    const int o = r - 3 * boxes_away(r);

    return box >= (o > 0 ? 0 : -1) && box <= (o < 0 ? 0 : 1);
  }

  /* Of the nodes beside one another around a root, or where others of its plane have theirs; `line` is the first of three places in A P. What many wait for is
     asked for before any is added up. */
  HD unsigned add_line(PetscInt root, PetscInt node, std::int64_t at, std::int64_t at_of_P, int place, int line, PetscScalar *sum) const
  {
    constexpr int      wide = 5;
    const PetscScalar *of_P = P.val + place * P.size() + at_of_P, *from = window.val + line * window.size() + at;
    PetscScalar        p[wide], value[wide][3];
    Bits27             in[wide]; // which of the places are entries, of nodes that interpolate from the box
    unsigned           has = 0;

#if defined(__CUDA_ARCH__)
  #pragma unroll
#endif
    for (int k = 0; k < wide; k++) {
      const int  rx    = k - 2;
      const bool there = root + rx >= 0 && root + rx < grid.tiles[0];

      p[k]  = there ? conjugate_if(conjugated, of_P[(rx < 0) * P.size() + rx]) : PetscScalar(0);
      in[k] = there && reach[node + rx] >> (place + (rx < 0)) & 1 ? found[at + rx] >> line & 7 : 0;
    }
#if defined(__CUDA_ARCH__)
  #pragma unroll
#endif
    for (int k = 0; k < wide; k++) {
      for (int x = 0; x < 3; x++) value[k][x] = asked(k - 2, x - 1) && (in[k] >> x & 1) ? from[x * window.size() + k - 2] : PetscScalar(0);
    }
#if defined(__CUDA_ARCH__)
  #pragma unroll
#endif
    for (int k = 0; k < wide; k++) {
      for (int x = 0; x < 3; x++) {
        const int to = x + boxes_away(k - 2); // of the three sums

        if (!asked(k - 2, x - 1) || !(in[k] >> x & 1)) continue;
        sum[to] += p[k] * value[k][x];
        has |= 1u << to;
      }
    }
    return has;
  }
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
