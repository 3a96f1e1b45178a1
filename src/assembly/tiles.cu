#include "core/algorithm.hpp"
#include "core/csr_pattern.hpp"
#include "curve.hpp"
#include "symbolic.hpp"

namespace goza
{

namespace
{

constexpr int team = 32; // lanes of a warp; the host takes their parts one after another

template <class Body> struct AllLanes {
  Body body;

  HD void operator()(PetscInt k) const
  {
    for (int lane = 0; lane < team; lane++) body(k, lane);
  }
};

template <class Body> void for_each_team(Space space, PetscInt n, const Body &body)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    for_each_warp(n, body);
    return;
  }
#endif
  for_each_row(space, n, AllLanes<Body>{body});
}

/* --- which nodes, which elements */

struct TileElements {
  int             corners;
  PetscInt        tile_nodes, owned;
  const PetscInt *node, *owner_ptr, *owner;

  HD PetscInt bound(PetscInt t) const
  {
    PetscInt n = 0;

    for (PetscInt k = t * tile_nodes; k < (t + 1) * tile_nodes && k < owned; k++) n += owner_ptr[node[k] + 1] - owner_ptr[node[k]];
    return n;
  }
  template <class F> HD void visit(PetscInt t, int lane, int lanes, F f) const
  {
    for (PetscInt k = t * tile_nodes + lane; k < (t + 1) * tile_nodes && k < owned; k += lanes) {
      for (PetscInt o = owner_ptr[node[k]]; o < owner_ptr[node[k] + 1]; o++) f(owner[o] / corners);
    }
  }
};

struct TileLength {
  const PetscInt *ptr;
  std::int64_t   *length;

  HD void operator()(PetscInt t) const { length[t] = ptr[t + 1] - ptr[t]; }
};

PetscInt longest_range(Space space, const Array<PetscInt> &ptr)
{
  Array<std::int64_t> length(space, ptr.size() - 1);

  for_each_row(space, static_cast<PetscInt>(length.size()), TileLength{ptr.data(), length.data()});
  return static_cast<PetscInt>(largest(space, length.data(), length.size()));
}

/* --- which pairs, and how long their lists are */

/* The first place in sorted[n] whose value is not below `wanted`. */
HD inline PetscInt first_not_below(const PetscInt *sorted, PetscInt n, PetscInt wanted)
{
  PetscInt low = 0, high = n;

  while (low < high) {
    const PetscInt middle = (low + high) / 2;

    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

struct Pattern {
  TilePairs            what;
  int                  corners;
  const PetscInt      *owner_ptr, *owner, *ptr, *col;
  const unsigned char *slot;

  HD PetscInt slots(PetscInt i) const { return ptr[i + 1] - ptr[i]; }
  HD PetscInt first_slot(PetscInt i) const { return what == TilePairs::Rows ? 0 : first_not_below(col + ptr[i], slots(i), i); }

  /* f(o, b) for the elements owner[o] in which the neighbour at slot s is corner b */
  template <class F> HD void visit(PetscInt i, PetscInt s, F f) const
  {
    for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++) {
      const std::uint32_t *four = reinterpret_cast<const std::uint32_t *>(slot + static_cast<std::int64_t>(owner[o]) * corners);

      for (int b = 0; b < corners; b++) {
        if (static_cast<PetscInt>(four[b / 4] >> (8 * (b % 4)) & 255) == s) f(o, b);
      }
    }
  }
};

struct ListLengths { // of a node's pairs
  Pattern         pattern;
  unsigned short *length; // [pairs of the pattern]

  HD void operator()(PetscInt i, int lane) const
  {
    for (PetscInt s = pattern.first_slot(i) + lane; s < pattern.slots(i); s += team) {
      unsigned short n = 0;

      pattern.visit(i, s, [&](PetscInt, int) { n++; });
      length[pattern.ptr[i] + s] = n;
    }
  }
};

/* --- their order: by classes of length, the long ones first; in a class by nodes */

constexpr int classes = 16;

HD inline int class_of(int length)
{
  return classes - 1 - (length <= 12 ? length - 1 : length <= 16 ? 12 : length <= 24 ? 13 : length <= 48 ? 14 : 15);
}

struct CountPairs { // of a tile
  Pattern         pattern;
  PetscInt        tile_nodes, owned;
  const PetscInt *node;
  PetscInt       *pairs;

  HD void operator()(PetscInt t) const
  {
    PetscInt n = 0;

    for (PetscInt k = t * tile_nodes; k < (t + 1) * tile_nodes && k < owned; k++) n += pattern.slots(node[k]) - pattern.first_slot(node[k]);
    pairs[t] = n;
  }
};

struct OrderPairs { // of a tile
  Pattern               pattern;
  PetscInt              tile_nodes, owned;
  const PetscInt       *node, *pair_ptr;
  const unsigned short *length;
  std::uint32_t        *pair;
  PetscInt             *list_length;

  HD void operator()(PetscInt t) const
  {
    PetscInt to[classes + 1] = {};

    visit(t, [&](PetscInt, PetscInt, int n) { to[class_of(n) + 1]++; });
    to[0] = pair_ptr[t];
    for (int c = 0; c < classes; c++) to[c + 1] += to[c];
    visit(t, [&](PetscInt k, PetscInt s, int n) {
      const PetscInt i = node[k], j = pattern.col[pattern.ptr[i] + s], here = to[class_of(n)]++;
      const PetscInt back = pattern.what == TilePairs::Upper && j < owned ? first_not_below(pattern.col + pattern.ptr[j], pattern.slots(j), i) : 0;

      pair[here]        = static_cast<std::uint32_t>((k - t * tile_nodes) << 16 | s << 8 | back);
      list_length[here] = n;
    });
  }

private:
  /* f(node's place, slot, length of the list): the first pairs of all nodes, the second ones, ... */
  template <class F> HD void visit(PetscInt t, F f) const
  {
    const PetscInt end = (t + 1) * tile_nodes < owned ? (t + 1) * tile_nodes : owned;
    bool           any = true;

    for (PetscInt nth = 0; any; nth++) {
      any = false;
      for (PetscInt k = t * tile_nodes; k < end; k++) {
        const PetscInt i = node[k], s = pattern.first_slot(i) + nth;

        if (s >= pattern.slots(i)) continue;
        any = true;
        f(k, s, length[pattern.ptr[i] + s]);
      }
    }
  }
};

/* --- the elements' numbers and corners */

constexpr int banks = 8;

struct NumberElements { // of a tile: number[k] of the k-th in ascending order, and `element` in the order of these numbers
  MeshView        mesh;
  int             corners;
  Cells           cells;
  const PetscInt *element_ptr, *sorted;
  unsigned short *number;
  PetscInt       *element;

  HD int bank(PetscInt e) const
  {
    const PetscInt *c    = mesh.conn + static_cast<std::int64_t>(e) * corners;
    int             bank = 0;

    for (int d = 0; d < 3; d++) {
      PetscReal center = 0;

      for (int b = 0; b < corners; b++) center += mesh.x[c[b]][d] / corners;
      bank |= static_cast<int>(cells.at(center, d) & 1) << d;
    }
    return bank;
  }
  HD void operator()(PetscInt t) const
  {
    const PetscInt first = element_ptr[t], n = element_ptr[t + 1] - first;
    PetscInt       wanted[banks] = {}, next[banks], after = 0; // after: where elements go whose bank is full

    for (PetscInt k = 0; k < n; k++) wanted[bank(sorted[first + k])]++;
    for (int b = 0; b < banks; b++) next[b] = b;
    for (PetscInt k = 0; k < n; k++) {
      const int own = bank(sorted[first + k]);
      PetscInt  to  = next[own];

      if (to < n) next[own] += banks;
      else {
        while (after / banks < wanted[after % banks]) after++; // that place is or will be one of its own bank's
        to = after++;
      }
      number[first + k]   = static_cast<unsigned short>(to);
      element[first + to] = sorted[first + k];
    }
  }
};

struct TileCorners {
  int             corners;
  const PetscInt *element_ptr, *element, *conn;

  HD PetscInt bound(PetscInt t) const { return (element_ptr[t + 1] - element_ptr[t]) * corners; }

  template <class F> HD void visit(PetscInt t, int lane, int lanes, F f) const
  {
    for (PetscInt k = lane; k < bound(t); k += lanes) f(conn[static_cast<std::int64_t>(element[element_ptr[t] + k / corners]) * corners + k % corners]);
  }
};

struct PlaceCorners { // of a tile
  int             corners;
  const PetscInt *element_ptr, *element, *conn, *corner_ptr, *corner;
  std::uint16_t  *place;

  HD void operator()(PetscInt t, int lane) const
  {
    for (PetscInt k = element_ptr[t] * corners + lane; k < element_ptr[t + 1] * corners; k += team)
      place[k] = static_cast<std::uint16_t>(first_not_below(corner + corner_ptr[t], corner_ptr[t + 1] - corner_ptr[t], conn[static_cast<std::int64_t>(element[k / corners]) * corners + k % corners]));
  }
};

/* --- the lists */

struct NumbersInTile { // of a node's elements
  PetscInt              corners, tile_nodes;
  const PetscInt       *node, *owner_ptr, *owner, *element_ptr, *sorted;
  const unsigned short *number_of;
  unsigned short       *number; // beside owner

  HD void operator()(PetscInt place) const
  {
    const PetscInt i = node[place], t = place / tile_nodes;

    for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++)
      number[o] = number_of[element_ptr[t] + first_not_below(sorted + element_ptr[t], element_ptr[t + 1] - element_ptr[t], owner[o] / corners)];
  }
};

struct FillLists { // of a tile's pairs
  Pattern               pattern;
  PetscInt              tile_nodes;
  const PetscInt       *node, *pair_ptr, *list_ptr;
  const std::uint32_t  *pair;
  const unsigned short *number;
  std::uint16_t        *triple;

  HD void operator()(PetscInt t, int lane) const
  {
    for (PetscInt p = pair_ptr[t] + lane; p < pair_ptr[t + 1]; p += team) {
      const PetscInt i  = node[t * tile_nodes + static_cast<PetscInt>(pair[p] >> 16)];
      PetscInt       to = list_ptr[p];

      pattern.visit(i, static_cast<PetscInt>(pair[p] >> 8 & 255), [&](PetscInt o, int b) {
        triple[to++] = static_cast<std::uint16_t>((number[o] * pattern.corners + static_cast<int>(pattern.owner[o] % pattern.corners)) * pattern.corners + b);
      });
    }
  }
};

/* Tiles of so many nodes: their pairs are counted, and their elements found, ascending; false: something is beyond its limit. */
bool lay_out(const Mesh &mesh, const Pattern &pattern, const TileLimits &limits, Tiles &tiles)
{
  const Space    space = mesh.space();
  const PetscInt owned = mesh.owned;

  tiles.count    = (owned + tiles.nodes - 1) / tiles.nodes;
  tiles.pair_ptr = Array<PetscInt>(space, tiles.count + 1);
  for_each_row(space, tiles.count, CountPairs{pattern, tiles.nodes, owned, tiles.node.data(), tiles.pair_ptr.data()});
  lengths_to_pointer(space, tiles.pair_ptr);
  tiles.most_pairs = longest_range(space, tiles.pair_ptr);
  if (tiles.most_pairs > limits.pairs) return false;
  find_pattern(space, tiles.count, mesh.nelem, TileElements{mesh.corners(), tiles.nodes, owned, tiles.node.data(), pattern.owner_ptr, pattern.owner}, false,
               tiles.element_ptr, tiles.element);
  tiles.most_elements = longest_range(space, tiles.element_ptr);
  return tiles.most_elements <= limits.elements;
}

void order_pairs(const Mesh &mesh, const Pattern &pattern, Tiles &tiles)
{
  const Space           space = mesh.space();
  const PetscInt        pairs = read_value(space, tiles.pair_ptr.data() + tiles.count);
  Array<unsigned short> length(space, static_cast<std::size_t>(read_value(space, pattern.ptr + mesh.owned)));

  tiles.pair     = Array<std::uint32_t>(space, pairs);
  tiles.list_ptr = Array<PetscInt>(space, static_cast<std::size_t>(pairs) + 1);
  for_each_team(space, mesh.owned, ListLengths{pattern, length.data()});
  for_each_row(space, tiles.count,
               OrderPairs{pattern, tiles.nodes, mesh.owned, tiles.node.data(), tiles.pair_ptr.data(), length.data(), tiles.pair.data(), tiles.list_ptr.data()});
  tiles.triple = Array<std::uint16_t>(space, lengths_to_pointer(space, tiles.list_ptr));
}

/* The numbers of the elements of owners in their owner's tile. */
Array<unsigned short> number_elements(const Mesh &mesh, const Cells &cells, const AssemblyMap &m, Tiles &tiles)
{
  const Space           space   = mesh.space();
  const int             corners = mesh.corners();
  Array<unsigned short> number_of(space, tiles.element.size()), number(space, m.owner.size());
  Array<PetscInt>       sorted(space, tiles.element.size());

  sorted.swap(tiles.element);
  for_each_row(space, tiles.count, NumberElements{mesh.view(), corners, cells, tiles.element_ptr.data(), sorted.data(), number_of.data(), tiles.element.data()});
  for_each_row(space, mesh.owned,
               NumbersInTile{corners, tiles.nodes, tiles.node.data(), m.owner_ptr.data(), m.owner.data(), tiles.element_ptr.data(), sorted.data(), number_of.data(),
                             number.data()});
  return number;
}

void find_corners(const Mesh &mesh, Tiles &tiles)
{
  const Space space   = mesh.space();
  const int   corners = mesh.corners();

  find_pattern(space, tiles.count, mesh.nodes, TileCorners{corners, tiles.element_ptr.data(), tiles.element.data(), mesh.conn.data()}, false, tiles.corner_ptr,
               tiles.corner);
  tiles.most_corners = longest_range(space, tiles.corner_ptr);
  tiles.conn         = Array<std::uint16_t>(space, tiles.element.size() * corners);
  for_each_team(space, tiles.count,
                PlaceCorners{corners, tiles.element_ptr.data(), tiles.element.data(), mesh.conn.data(), tiles.corner_ptr.data(), tiles.corner.data(), tiles.conn.data()});
}

} // namespace

Tiles make_tiles(const Mesh &mesh, const AssemblyMap &m, TilePairs what, const TileLimits &limits)
{
  const Space   space = mesh.space();
  const Pattern pattern{what, mesh.corners(), m.owner_ptr.data(), m.owner.data(), m.ptr.data(), m.col.data(), m.slot.data()};
  Tiles         tiles;

  tiles.what = what;
  if (!mesh.owned) return tiles;
  const Cells cells = find_cells(mesh);

  tiles.node = along_curve(mesh, cells);
  for (tiles.nodes = limits.nodes; !lay_out(mesh, pattern, limits, tiles); tiles.nodes = (tiles.nodes + 1) / 2) {
    if (tiles.nodes == 1) throw std::length_error("a node of the mesh has more neighbours or elements than the device's on-chip memory can hold");
  }
  order_pairs(mesh, pattern, tiles);
  const Array<unsigned short> number = number_elements(mesh, cells, m, tiles);

  for_each_team(space, tiles.count,
                FillLists{pattern, tiles.nodes, tiles.node.data(), tiles.pair_ptr.data(), tiles.list_ptr.data(), tiles.pair.data(), number.data(), tiles.triple.data()});
  find_corners(mesh, tiles);
  return tiles;
}

} // namespace goza
