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

struct CountClasses { // of a node's pairs
  Pattern               pattern;
  PetscInt              owned;
  const PetscInt       *node;
  const unsigned short *length;
  unsigned short       *count; // [classes][owned] by place

  HD void operator()(PetscInt place) const
  {
    const PetscInt i = node[place];

    for (int c = 0; c < classes; c++) count[static_cast<std::int64_t>(c) * owned + place] = 0;
    for (PetscInt s = pattern.first_slot(i); s < pattern.slots(i); s++)
      count[static_cast<std::int64_t>(class_of(length[pattern.ptr[i] + s])) * owned + place]++;
  }
};

struct CountsToPlaces { // for a tile; its number of pairs into `pairs`
  PetscInt        tile_nodes, owned;
  unsigned short *count;
  PetscInt       *pairs;

  HD void operator()(PetscInt t) const
  {
    const PetscInt end = (t + 1) * tile_nodes < owned ? (t + 1) * tile_nodes : owned;
    PetscInt       sum = 0;

    for (int c = 0; c < classes; c++) {
      for (PetscInt k = t * tile_nodes; k < end; k++) {
        unsigned short *place = count + (static_cast<std::int64_t>(c) * owned + k);
        const PetscInt  n     = *place;

        *place = static_cast<unsigned short>(sum);
        sum += n;
      }
    }
    pairs[t] = sum;
  }
};

struct PlacePairs { // of a node
  Pattern               pattern;
  PetscInt              tile_nodes, owned;
  const PetscInt       *node, *pair_ptr;
  const unsigned short *length;
  unsigned short       *place_of_class;
  std::uint32_t        *pair;
  PetscInt             *list_length;

  HD void operator()(PetscInt place) const
  {
    const PetscInt i = node[place], t = place / tile_nodes;

    for (PetscInt s = pattern.first_slot(i); s < pattern.slots(i); s++) {
      const PetscInt j = pattern.col[pattern.ptr[i] + s], n = length[pattern.ptr[i] + s];
      const PetscInt to   = pair_ptr[t] + place_of_class[static_cast<std::int64_t>(class_of(static_cast<int>(n))) * owned + place]++;
      const PetscInt back = pattern.what == TilePairs::Upper && j < owned ? first_not_below(pattern.col + pattern.ptr[j], pattern.slots(j), i) : 0;

      pair[to]        = static_cast<std::uint32_t>((place - t * tile_nodes) << 16 | s << 8 | back);
      list_length[to] = n;
    }
  }
};

/* --- the lists */

struct NumbersInTile { // of a node's elements
  PetscInt        corners, tile_nodes;
  const PetscInt *node, *owner_ptr, *owner, *element_ptr, *element;
  unsigned short *number; // beside owner

  HD void operator()(PetscInt place) const
  {
    const PetscInt i = node[place], t = place / tile_nodes;

    for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++)
      number[o] = static_cast<unsigned short>(first_not_below(element + element_ptr[t], element_ptr[t + 1] - element_ptr[t], owner[o] / corners));
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

/* Everything but the lists for tiles of so many nodes; false: something is beyond its limit. */
bool lay_out(const Mesh &mesh, const Pattern &pattern, const Array<unsigned short> &length, Array<unsigned short> &count, const TileLimits &limits, Tiles &tiles)
{
  const Space    space = mesh.space();
  const PetscInt owned = mesh.owned;

  tiles.count = (owned + tiles.nodes - 1) / tiles.nodes;
  for_each_row(space, owned, CountClasses{pattern, owned, tiles.node.data(), length.data(), count.data()});
  tiles.pair_ptr = Array<PetscInt>(space, tiles.count + 1);
  for_each_row(space, tiles.count, CountsToPlaces{tiles.nodes, owned, count.data(), tiles.pair_ptr.data()});
  lengths_to_pointer(space, tiles.pair_ptr);
  tiles.most_pairs = longest_range(space, tiles.pair_ptr);
  if (tiles.most_pairs > limits.pairs) return false;
  find_pattern(space, tiles.count, mesh.nelem, TileElements{mesh.corners(), tiles.nodes, owned, tiles.node.data(), pattern.owner_ptr, pattern.owner}, false,
               tiles.element_ptr, tiles.element);
  tiles.most_elements = longest_range(space, tiles.element_ptr);
  return tiles.most_elements <= limits.elements;
}

} // namespace

Tiles make_tiles(const Mesh &mesh, const AssemblyMap &m, TilePairs what, const TileLimits &limits)
{
  const Space    space = mesh.space();
  const PetscInt owned = mesh.owned;
  const Pattern  pattern{what, mesh.corners(), m.owner_ptr.data(), m.owner.data(), m.ptr.data(), m.col.data(), m.slot.data()};
  Tiles          tiles;

  tiles.what = what;
  if (!owned) return tiles;
  Array<unsigned short> length(space, m.col.size()), count(space, static_cast<std::size_t>(classes) * owned);

  tiles.node = along_curve(mesh);
  for_each_team(space, owned, ListLengths{pattern, length.data()});
  for (tiles.nodes = limits.nodes; !lay_out(mesh, pattern, length, count, limits, tiles); tiles.nodes = (tiles.nodes + 1) / 2) {
    if (tiles.nodes == 1) throw std::length_error("a node of the mesh has more neighbours or elements than the device's on-chip memory can hold");
  }

  const PetscInt pairs = read_value(space, tiles.pair_ptr.data() + tiles.count);
  tiles.pair           = Array<std::uint32_t>(space, pairs);
  tiles.list_ptr       = Array<PetscInt>(space, static_cast<std::size_t>(pairs) + 1);
  for_each_row(space, owned,
               PlacePairs{pattern, tiles.nodes, owned, tiles.node.data(), tiles.pair_ptr.data(), length.data(), count.data(), tiles.pair.data(), tiles.list_ptr.data()});
  tiles.triple = Array<std::uint16_t>(space, lengths_to_pointer(space, tiles.list_ptr));

  Array<unsigned short> number(space, m.owner.size());
  for_each_row(space, owned,
               NumbersInTile{mesh.corners(), tiles.nodes, tiles.node.data(), m.owner_ptr.data(), m.owner.data(), tiles.element_ptr.data(), tiles.element.data(),
                             number.data()});
  for_each_team(space, tiles.count,
                FillLists{pattern, tiles.nodes, tiles.node.data(), tiles.pair_ptr.data(), tiles.list_ptr.data(), tiles.pair.data(), number.data(), tiles.triple.data()});
  return tiles;
}

} // namespace goza
