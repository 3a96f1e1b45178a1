#include "core/algorithm.hpp"
#include "core/by_lanes.hpp"
#include "core/csr_pattern.hpp"
#include "core/search.hpp"
#include "curve.hpp"
#include "symbolic.hpp"

namespace goza
{

namespace
{

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

struct Pattern {
  TilePairs            what;
  int                  corners;
  const PetscInt      *owner_ptr, *owner, *ptr, *col;
  const unsigned char *slot;

  HD PetscInt slots(PetscInt i) const { return ptr[i + 1] - ptr[i]; }
  HD PetscInt first_slot(PetscInt i) const { return what == TilePairs::Rows ? 0 : lower_bound(col, ptr[i], ptr[i + 1], i) - ptr[i]; }

  /* f(o, b) for the elements owner[o] in which the neighbour at slot s is corner b. What a few elements have is asked for at once: each is two loads, one after the other. */
  template <class F> HD void visit(PetscInt i, PetscInt s, F f) const
  {
    constexpr int  ahead = 4;
    const PetscInt end   = owner_ptr[i + 1];

    for (PetscInt o = owner_ptr[i]; o < end; o += ahead) {
      std::uint32_t four[ahead][2];

      for (int k = 0; k < ahead; k++) {
        const std::uint32_t *of = reinterpret_cast<const std::uint32_t *>(slot + static_cast<std::int64_t>(cached_load(owner + (o + k < end ? o + k : o))) * corners);

        four[k][0] = cached_load(of);
        four[k][1] = corners > 4 ? cached_load(of + 1) : 0;
      }
      for (int k = 0; k < ahead; k++) {
        if (o + k >= end) break;
        for_bytes(four[k][0], s, [&](int b) { f(o + k, b); });
        if (corners > 4) for_bytes(four[k][1], s, [&](int b) { f(o + k, b + 4); });
      }
    }
  }

private:
  /* call(b) for those of four bytes that are `wanted`: with that taken away, they are zero, and adding 127 to their low bits brings no high bit. */
  template <class Call> HD static void for_bytes(std::uint32_t four, PetscInt wanted, const Call &call)
  {
    const std::uint32_t x = four ^ static_cast<std::uint32_t>(wanted) * 0x01010101u, low = 0x7f7f7f7fu;

    for (std::uint32_t zeros = ~(((x & low) + low) | x | low), first; zeros; zeros ^= first) {
      first = zeros & (0u - zeros);
      call((first > 0x80u) + (first > 0x8000u) + (first > 0x800000u));
    }
  }
};

struct ListLengths { // of a node's pairs
  Pattern         pattern;
  unsigned short *length; // [pairs of the pattern]

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    for (PetscInt s = pattern.first_slot(i) + lane; s < pattern.slots(i); s += lanes) {
      unsigned short n = 0;

      pattern.visit(i, s, [&](PetscInt, int) { n++; });
      length[pattern.ptr[i] + s] = n;
    }
  }
};

/* --- their order: by classes of length, the long ones first; in a class the first pairs of all nodes, the second ones, ...: where the mesh is regular, an n-th pair
   is to the same neighbour everywhere */

constexpr int classes = 8;

HD inline int class_of(int length)
{
  return classes - 1 - (length <= 4 ? length - 1 : length <= 6 ? 4 : length <= 8 ? 5 : length <= 16 ? 6 : 7);
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

struct NthPairs { // of a tile: f(node's place, slot) for those nodes that have an n-th pair
  Pattern         pattern;
  PetscInt        tile_nodes, owned, most; // most: pairs of a node
  const PetscInt *node;

  template <class F> HD void visit(PetscInt t, PetscInt nth, F f) const
  {
    for (PetscInt k = t * tile_nodes; k < (t + 1) * tile_nodes && k < owned; k++) {
      const PetscInt i = node[k], s = pattern.first_slot(i) + nth;

      if (s < pattern.slots(i)) f(k, s);
    }
  }
  HD std::int64_t at(PetscInt t, int c, PetscInt nth) const { return (static_cast<std::int64_t>(t) * classes + c) * most + nth; }
};

struct CountClasses { // for tile and nth
  NthPairs              pairs;
  const unsigned short *length;
  unsigned short       *count; // [tiles][classes][most]

  HD void operator()(PetscInt k) const
  {
    const PetscInt t = k / pairs.most, nth = k % pairs.most;
    unsigned short n[classes] = {};

    pairs.visit(t, nth, [&](PetscInt place, PetscInt s) { n[class_of(length[pairs.pattern.ptr[pairs.node[place]] + s])]++; });
    for (int c = 0; c < classes; c++) count[pairs.at(t, c, nth)] = n[c];
  }
};

struct CountsToPlaces {   // of a tile
  PetscInt        longer; // counts of the pairs with long lists
  PetscInt        of_tile;
  unsigned short *count;
  PetscInt       *long_pairs;

  HD void operator()(PetscInt t) const
  {
    unsigned short *mine = count + static_cast<std::int64_t>(t) * of_tile, sum = 0;

    for (PetscInt k = 0; k < of_tile; k++) {
      const unsigned short n = mine[k];

      if (k == longer) long_pairs[t] = sum;
      mine[k] = sum;
      sum     = static_cast<unsigned short>(sum + n);
    }
  }
};

struct PlacePairs { // for tile and nth
  NthPairs              pairs;
  const PetscInt       *pair_ptr;
  const unsigned short *length, *count;
  std::uint32_t        *pair;
  PetscInt             *list_length, *position; // position: of the pattern's pairs among those of the tiles

  HD void operator()(PetscInt k) const
  {
    const Pattern &pattern = pairs.pattern;
    const PetscInt t = k / pairs.most, nth = k % pairs.most;
    PetscInt       to[classes];

    for (int c = 0; c < classes; c++) to[c] = pair_ptr[t] + count[pairs.at(t, c, nth)];
    pairs.visit(t, nth, [&](PetscInt place, PetscInt s) {
      const PetscInt i = pairs.node[place], at = pattern.ptr[i] + s, j = pattern.col[at], here = to[class_of(length[at])]++;
      const PetscInt back = pattern.what == TilePairs::Upper && j < pairs.owned ? lower_bound(pattern.col, pattern.ptr[j], pattern.ptr[j + 1], i) - pattern.ptr[j] : 0;

      pair[here]        = static_cast<std::uint32_t>((place - t * pairs.tile_nodes) << 16 | s << 8 | back);
      list_length[here] = length[at];
      position[at]      = here;
    });
  }
};

/* --- the elements' numbers and corners */

struct FindBank { // of the k-th element of all tiles
  MeshView        mesh;
  int             corners;
  Cells           cells;
  const PetscInt *element;
  unsigned char  *bank;

  HD void operator()(PetscInt k) const
  {
    const PetscInt *c  = mesh.conn + static_cast<std::int64_t>(element[k]) * corners;
    int             of = 0;

    for (int d = 0; d < 3; d++) {
      PetscReal center = 0;

      for (int b = 0; b < corners; b++) center += mesh.x[c[b]][d] / corners;
      of |= static_cast<int>(cells.at_center(center, d) & 1) << d;
    }
    bank[k] = static_cast<unsigned char>(of);
  }
};

struct CountBanks { // for tile and bank
  const PetscInt      *element_ptr;
  const unsigned char *bank;
  PetscInt            *count;

  HD void operator()(PetscInt k) const
  {
    PetscInt n = 0;

    for (PetscInt e = element_ptr[k / tile_banks]; e < element_ptr[k / tile_banks + 1]; e++) n += bank[e] == k % tile_banks;
    count[k] = n;
  }
};

struct NumberElements { // of a tile's bank: behind those of the banks before it, ascending
  const PetscInt      *element_ptr, *sorted, *count;
  const unsigned char *bank;   // of the sorted ones
  std::uint16_t       *number; // of the sorted ones, << 3 | bank
  PetscInt            *element;
  std::uint16_t       *place;

  HD void operator()(PetscInt k) const
  {
    const PetscInt t = k / tile_banks, first = element_ptr[t], *of = count + k / tile_banks * tile_banks;
    const int      b     = k % tile_banks;
    PetscInt       begin = 0, n = 0;

    for (int c = 0; c < b; c++) begin += of[c];
    for (PetscInt e = first; e < element_ptr[t + 1]; e++) {
      if (bank[e] != b) continue;
      const std::uint16_t here = static_cast<std::uint16_t>((begin + n) << 3 | b);
      PetscInt            to   = first; // behind the first n of all banks, and the next of those before b

      for (int c = 0; c < tile_banks; c++) {
        const PetscInt before = n + (c < b);

        to += of[c] < before ? of[c] : before;
      }
      number[e]   = here;
      element[to] = sorted[e];
      place[to]   = here;
      n++;
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

  HD void operator()(PetscInt t, int lane, int lanes) const
  {
    for (PetscInt k = element_ptr[t] * corners + lane; k < element_ptr[t + 1] * corners; k += lanes)
      place[k] = static_cast<std::uint16_t>(lower_bound(corner, corner_ptr[t], corner_ptr[t + 1], conn[static_cast<std::int64_t>(element[k / corners]) * corners + k % corners]) - corner_ptr[t]);
  }
};

/* --- the lists */

struct NumbersInTile { // of a node's elements
  PetscInt             corners, tile_nodes;
  const PetscInt      *node, *owner_ptr, *owner, *element_ptr, *sorted;
  const std::uint16_t *number_of;
  std::uint16_t       *number; // beside owner

  HD void operator()(PetscInt place) const
  {
    const PetscInt i = node[place], t = place / tile_nodes;

    for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++)
      number[o] = number_of[lower_bound(sorted, element_ptr[t], element_ptr[t + 1], owner[o] / corners)];
  }
};

struct FillLists { // of a node's pairs
  Pattern              pattern;
  const PetscInt      *position, *list_ptr;
  const std::uint16_t *number;
  Triple              *triple;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    for (PetscInt s = pattern.first_slot(i) + lane; s < pattern.slots(i); s += lanes) {
      PetscInt to = list_ptr[position[pattern.ptr[i] + s]];

      pattern.visit(i, s, [&](PetscInt o, int b) {
        const int place = cached_load(number + o);

        triple[to++] = Triple::of(place >> 3, place & 7, static_cast<int>(cached_load(pattern.owner + o) & (pattern.corners - 1)), b); // 4 or 8 corners
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

/* Returns the positions of the pattern's pairs. */
Array<PetscInt> order_pairs(const Mesh &mesh, const Pattern &pattern, PetscInt most, Tiles &tiles)
{
  const Space           space = mesh.space();
  const PetscInt        pairs = read_value(space, tiles.pair_ptr.data() + tiles.count), all = read_value(space, pattern.ptr + mesh.owned);
  const NthPairs        nth{pattern, tiles.nodes, mesh.owned, most, tiles.node.data()};
  Array<unsigned short> length(space, all), count(space, static_cast<std::size_t>(tiles.count) * classes * most);
  Array<PetscInt>       position(space, all);

  tiles.pair       = Array<std::uint32_t>(space, pairs);
  tiles.long_pairs = Array<PetscInt>(space, tiles.count);
  tiles.list_ptr   = Array<PetscInt>(space, static_cast<std::size_t>(pairs) + 1);
  for_each_row_by_lanes(space, mesh.owned, ListLengths{pattern, length.data()});
  for_each_row(space, tiles.count * most, CountClasses{nth, length.data(), count.data()});
  for_each_row(space, tiles.count, CountsToPlaces{class_of(tile_long) * most, classes * most, count.data(), tiles.long_pairs.data()});
  for_each_row(space, tiles.count * most, PlacePairs{nth, tiles.pair_ptr.data(), length.data(), count.data(), tiles.pair.data(), tiles.list_ptr.data(), position.data()});
  tiles.triple = Array<Triple>(space, lengths_to_pointer(space, tiles.list_ptr));
  return position;
}

/* The numbers of the elements of owners in their owner's tile, and their banks. */
Array<std::uint16_t> number_elements(const Mesh &mesh, const Cells &cells, const AssemblyMap &m, Tiles &tiles)
{
  const Space          space   = mesh.space();
  const int            corners = mesh.corners();
  const PetscInt       n       = static_cast<PetscInt>(tiles.element.size());
  Array<std::uint16_t> number_of(space, n), number(space, m.owner.size());
  Array<PetscInt>      sorted(space, n);
  Array<unsigned char> bank(space, n);
  Array<PetscInt>      count(space, static_cast<std::size_t>(tiles.count) * tile_banks);

  sorted.swap(tiles.element);
  tiles.place = Array<std::uint16_t>(space, n);
  for_each_row(space, n, FindBank{mesh.view(), corners, cells, sorted.data(), bank.data()});
  for_each_row(space, tiles.count * tile_banks, CountBanks{tiles.element_ptr.data(), bank.data(), count.data()});
  for_each_row(space, tiles.count * tile_banks,
               NumberElements{tiles.element_ptr.data(), sorted.data(), count.data(), bank.data(), number_of.data(), tiles.element.data(), tiles.place.data()});
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
  for_each_row_by_lanes(space, tiles.count,
                        PlaceCorners{corners, tiles.element_ptr.data(), tiles.element.data(), mesh.conn.data(), tiles.corner_ptr.data(), tiles.corner.data(),
                                     tiles.conn.data()});
}

} // namespace

Tiles make_tiles(const Mesh &mesh, const AssemblyMap &m, TilePairs what, const TileLimits &limits)
{
  const Space    space = mesh.space();
  const PetscInt owned = mesh.owned;
  const Pattern  pattern{what, mesh.corners(), m.owner_ptr.data(), m.owner.data(), m.ptr.data(), m.col.data(), m.slot.data()};
  Tiles          tiles;

  tiles.what = what;
  if (!mesh.owned) return tiles;
  const Cells cells = find_cells(mesh);

  tiles.node = along_curve(mesh, cells);
  for (tiles.nodes = limits.nodes; !lay_out(mesh, pattern, limits, tiles); tiles.nodes = (tiles.nodes + 1) / 2) {
    if (tiles.nodes == 1) throw std::length_error("a node of the mesh has more neighbours or elements than the device's on-chip memory can hold");
  }
  const Array<PetscInt>      position = order_pairs(mesh, pattern, m.longest, tiles);
  const Array<std::uint16_t> number   = number_elements(mesh, cells, m, tiles);

  for_each_row_by_lanes(space, owned, FillLists{pattern, position.data(), tiles.list_ptr.data(), number.data(), tiles.triple.data()});
  find_corners(mesh, tiles);
  return tiles;
}

} // namespace goza
