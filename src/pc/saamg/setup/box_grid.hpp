/* A level whose nodes lie on a lattice and whose aggregates are its boxes: three tiles wide in each direction, two at an end where the tiles do not come out
   even, or one tile wide in directions in which no strong entry leads.

   A node's place in its box is told by its offset o from the box's root, -1, 0 or 1 in each direction. Of nodes that are coupled to the 26 around them at most,
   everything that a set-up needs has a known place:

     direction    box  |  b - 1  |       b      |  b + 1  |     an interpolated node reaches its own box, and with o = -1 the one before, with o = 1 the one
     behind:
     of the tiles o    | -1 0 1  |  -1   0   1  | -1 0 1  |     8 places in three directions, which are numbered 4 bz + 2 by + bx from the lower one up;
                                                                a row of A P reaches b - 1, b, b + 1: 27 places, and so does a row of P^T A P
   Where a box is one tile wide o is 0, and the node's neighbours are in the boxes b - 1 and b + 1.

   Which of these places hold an entry is said by bits: bit 9 (dz + 1) + 3 (dy + 1) + (dx + 1) of 27, and bit 4 bz + 2 by + bx of 8. Bits ascend as columns
   do. */
#pragma once
#include "local_rows.hpp"

namespace goza::saamg {

using Bits27 = std::uint32_t;
using Bits8  = unsigned char;

constexpr Bits27 of_a_star      = 0x417410; // the places of a node and the six beside it
constexpr Bits27 diagonal_place = Bits27(1) << 13;
constexpr Bits27 of_others      = Bits27(1) << 29; // a node whose row is another rank's, or nobody's
constexpr Bits27 far_neighbour  = Bits27(1) << 30; // a row has an entry that is none of the 27
constexpr Bits27 coupled_node   = Bits27(1) << 31; // a node that is in a box

HD inline int bit_of(int dx, int dy, int dz) { return 9 * (dz + 1) + 3 * (dy + 1) + (dx + 1); }

/* How many bits are set below this one: where its entry stands in its row. */
HD inline PetscInt entries_below(std::uint32_t bits, int bit)
{
  const std::uint32_t below = bits & ((std::uint32_t(1) << bit) - 1);

#if defined(__CUDA_ARCH__)
  return __popc(below);
#else
  std::uint32_t n = below - (below >> 1 & 0x55555555u); // an instruction for it is not on every processor

  n = (n & 0x33333333u) + (n >> 2 & 0x33333333u);
  return static_cast<PetscInt>(((n + (n >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24);
#endif
}

HD inline PetscInt how_many(std::uint32_t bits) { return entries_below(bits, 27); }

/* Of a row whose entries are marked by bits. */
template <class Bits> HD void length_by_bits(PetscInt i, const Bits *bits, PetscInt *length) { length[i] = how_many(bits[i]); }

/* From a box to that of the tile at s from its root, -2 .. 2. */
HD inline int boxes_away(int s) { return (s > 1) - (s < -1); }

/* The lower of the boxes that the node there reaches; wide: tiles of a box. */
HD inline int lower_box(int s, int wide = 3) { return wide == 1 ? s : s < 0 ? -1 : 0; }

/* From the lower box that a node with offset o reaches to that of its neighbour in a direction: -1, 0 or 1. */
HD inline int boxes_apart(int o, int step)
{
  const int away = boxes_away(o + step);

  return away + lower_box(o + step - 3 * away) - lower_box(o);
}

/* A node and its offset from its box's root. */
struct BoxNode {
  PetscInt node;
  int      o[3];
  PetscInt box[3];
  bool     inside; // of the lattice

  HD bool is_root() const { return o[0] == 0 && o[1] == 0 && o[2] == 0; }
  HD int  bit_of_root() const { return bit_of(-o[0], -o[1], -o[2]); }
  HD int  own_place() const { return 4 * (o[2] < 0) + 2 * (o[1] < 0) + (o[0] < 0); }
};

struct BoxGrid {
  // begin: the node of the first tile; first: the tile of the first root. Directions of one node come first or second
  PetscInt nodes[3], begin[3], tiles[3], first[3], boxes[3];
  int      wide[3]; // tiles of a box: 3 or 1

  HD PetscInt plane() const { return nodes[0] * nodes[1]; }
  HD PetscInt size() const { return plane() * nodes[2]; }
  HD PetscInt boxes_of_plane() const { return boxes[0] * boxes[1]; }
  HD PetscInt all_boxes() const { return boxes_of_plane() * boxes[2]; }

  HD PetscInt neighbour(PetscInt node, int dx, int dy, int dz) const { return node + dx + nodes[0] * (dy + nodes[1] * dz); }
  HD PetscInt box_behind(PetscInt box, int dx, int dy, int dz) const { return box + dx + boxes[0] * (dy + boxes[1] * dz); }
  HD PetscInt number(const PetscInt box[3]) const { return box[0] + boxes[0] * (box[1] + boxes[1] * box[2]); }

  HD BoxNode place(PetscInt node) const
  {
    const PetscInt z = node / plane(), in_plane = node - z * plane(), y = in_plane / nodes[0]; // divisions take longest

    return place(node, in_plane - y * nodes[0], y, z);
  }
  HD BoxNode place(PetscInt node, PetscInt x, PetscInt y, PetscInt z) const
  {
    const PetscInt at[3] = {x, y, z};
    BoxNode        n{node, {}, {}, true};

    for (int d = 0; d < 3; d++) {
      const PetscInt t = at[d] - begin[d];

      n.inside = n.inside && t >= 0 && t < tiles[d];
      n.box[d] = box_of(t, d);
      n.o[d]   = static_cast<int>(t - root(n.box[d], d));
    }
    return n;
  }
  HD PetscInt root(PetscInt box, int d) const { return first[d] + wide[d] * box; } // a tile
  HD PetscInt box_of(PetscInt tile, int d) const { return wide[d] == 1 ? tile : (tile + 1 - first[d]) / 3; }
  HD bool     is_narrow() const { return wide[0] == 1 || wide[1] == 1 || wide[2] == 1; }
  /* How far from its root nodes are that a box interpolates to; more: 1, or 0 for its own nodes. */
  HD int reach(int d, int more = 1) const { return wide[d] == 1 ? 0 : 1 + more; }

  /* Another order of the nodes, on a device: in a line, every third one after the other, so that those of a warp lie alike in their boxes. It has more places
     than there are nodes: -1 where there is none. */
  HD PetscInt third() const
  {
    constexpr PetscInt warp = 32;
    const PetscInt     n    = (nodes[0] + 2) / 3;

    return n < warp ? n : (n + warp - 1) / warp * warp;
  }
  PetscInt    places_by_thirds(Space space) const { return space == Space::Host ? size() : 3 * third() * nodes[1] * nodes[2]; }
  HD PetscInt by_thirds(PetscInt place) const
  {
#if defined(__CUDA_ARCH__)
    const PetscInt line = place / (3 * third()), k = place % (3 * third()), x = 3 * (k % third()) + k / third();

    return x < nodes[0] ? line * nodes[0] + x : -1;
#else
    return place;
#endif
  }

  /* f(node, tile - root in each direction) for the nodes of a box and `more` tiles around it, ascending. */
  template <class F> HD void for_each_node(PetscInt box, int more, F f) const
  {
    const PetscInt r[3] = {root(box % boxes[0], 0), root(box / boxes[0] % boxes[1], 1), root(box / boxes_of_plane(), 2)};
    const PetscInt node = begin[0] + r[0] + nodes[0] * (begin[1] + r[1] + nodes[1] * (begin[2] + r[2]));
    const int      w[3] = {reach(0, more), reach(1, more), reach(2, more)};

    for (int z = -w[2]; z <= w[2]; z++) {
      if (r[2] + z < 0 || r[2] + z >= tiles[2]) continue;
      for (int y = -w[1]; y <= w[1]; y++) {
        if (r[1] + y < 0 || r[1] + y >= tiles[1]) continue;
        for (int x = -w[0]; x <= w[0]; x++)
          if (r[0] + x >= 0 && r[0] + x < tiles[0]) f(neighbour(node, x, y, z), x, y, z);
      }
    }
  }
};

/* The places around a node that are inside the grid. */
HD inline Bits27 places_inside(const BoxGrid &grid, PetscInt i)
{
  constexpr Bits27 all = (Bits27(1) << 27) - 1, left = 0x1249249, front = 0x1C0E07, below = 0x1FF; // neighbours at -1 in each direction
  const PetscInt   z = i / grid.plane(), in_plane = i - z * grid.plane(), y = in_plane / grid.nodes[0], x = in_plane - y * grid.nodes[0];
  const auto beyond = [](PetscInt at, PetscInt nodes, Bits27 before, int step) { return (at == 0 ? before : 0) | (at + 1 == nodes ? before << 2 * step : 0); };

  return all & ~(beyond(x, grid.nodes[0], left, 1) | beyond(y, grid.nodes[1], front, 3) | beyond(z, grid.nodes[2], below, 9));
}

/* f(bit, neighbour, dx, dy, dz) for the bits that are set. */
template <class F> HD void for_each_neighbour(const BoxGrid &grid, PetscInt node, Bits27 bits, F f)
{
#if !defined(__CUDA_ARCH__)
  constexpr Bits27 places = (Bits27(1) << 27) - 1;

  if (!(bits & places & ~of_a_star)) { // a host goes through few places faster than through all
    if (bits >> 4 & 1) f(4, grid.neighbour(node, 0, 0, -1), 0, 0, -1);
    if (bits >> 10 & 1) f(10, grid.neighbour(node, 0, -1, 0), 0, -1, 0);
    if (bits >> 12 & 1) f(12, node - 1, -1, 0, 0);
    if (bits >> 13 & 1) f(13, node, 0, 0, 0);
    if (bits >> 14 & 1) f(14, node + 1, 1, 0, 0);
    if (bits >> 16 & 1) f(16, grid.neighbour(node, 0, 1, 0), 0, 1, 0);
    if (bits >> 22 & 1) f(22, grid.neighbour(node, 0, 0, 1), 0, 0, 1);
    return;
  }
#endif
  int bit = 0;

  for (int dz = -1; dz <= 1; dz++) {
    for (int dy = -1; dy <= 1; dy++) {
      for (int dx = -1; dx <= 1; dx++, bit++)
        if (bits >> bit & 1) f(bit, grid.neighbour(node, dx, dy, dz), dx, dy, dz);
    }
  }
}

/* The values of a level's rows by the bits of its neighbours. Of CSR rows, columns ascending: */
struct CsrStencil {
  const PetscInt    *ptr;
  const PetscScalar *val;
  const Bits27      *stencil;

  HD PetscScalar operator()(PetscInt node, int bit) const { return val[ptr[node] + entries_below(stencil[node], bit)]; }
  HD void        three(PetscInt node, int bit, const bool *there, PetscScalar *value) const
  {
    for (int u = 0; u < 3; u++) value[u] = there[u] ? (*this)(node + u, bit) : PetscScalar(0);
  }
};

/* Of CDS, whole or half: start[bit] + node is where the value stands. */
struct CdsStencil {
  const PetscScalar *val;
  std::int64_t       start[27];

  HD PetscScalar operator()(PetscInt node, int bit) const { return val[start[bit] + node]; }
  /* Of three nodes beside one another, 0 where there is none. */
  HD void three(PetscInt node, int bit, const bool *there, PetscScalar *value) const
  {
    const std::int64_t at = start[bit] + node;

    for (int u = 0; u < 3; u++) value[u] = there[u] ? val[at + u] : PetscScalar(0);
  }
};

} // namespace goza::saamg
