#include "core/launch/by_lanes.hpp"
#include "tile_steps.hpp"

namespace goza::assembly {
namespace {

/* --- how long the lists are */

struct ListLengths { // of a node's pairs
  PairPattern     pattern;
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

/* --- their order: by classes of length, the long ones first; in a class the first pairs of all nodes, the second ones, ...: where the mesh is regular, an n-th
   pair is to the same neighbour everywhere */

constexpr int classes = 8;

HD inline int class_of(int length) { return classes - 1 - (length <= 4 ? length - 1 : length <= 6 ? 4 : length <= 8 ? 5 : length <= 16 ? 6 : 7); }

struct NthPairs { // of a tile: f(node's place, slot) for those nodes that have an n-th pair
  PairPattern     pattern;
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
    const PairPattern &pattern = pairs.pattern;
    const PetscInt     t = k / pairs.most, nth = k % pairs.most;
    PetscInt           to[classes];

    for (int c = 0; c < classes; c++) to[c] = pair_ptr[t] + count[pairs.at(t, c, nth)];
    pairs.visit(t, nth, [&](PetscInt place, PetscInt s) {
      const PetscInt i = pairs.node[place], at = pattern.ptr[i] + s, j = pattern.col[at], here = to[class_of(length[at])]++;
      const PetscInt back = pattern.what == TilePairs::Upper && j < pairs.owned
                            ? lower_bound(pattern.col, pattern.ptr[j], pattern.ptr[j + 1], i) - pattern.ptr[j]
                            : 0;

      pair[here]        = static_cast<std::uint32_t>((place - t * pairs.tile_nodes) << 16 | s << 8 | back);
      list_length[here] = length[at];
      position[at]      = here;
    });
  }
};

/* --- the lists */

struct FillLists { // of a node's pairs
  PairPattern          pattern;
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

} // namespace

Array<PetscInt> order_pairs(const Mesh &mesh, const PairPattern &pattern, PetscInt most, Tiles &tiles)
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
  for_each_row(space, tiles.count * most,
               PlacePairs{nth, tiles.pair_ptr.data(), length.data(), count.data(), tiles.pair.data(), tiles.list_ptr.data(), position.data()});
  tiles.triple = Array<Triple>(space, lengths_to_pointer(space, tiles.list_ptr));
  return position;
}

void fill_lists(const PairPattern &pattern, const Array<PetscInt> &position, const Array<std::uint16_t> &number, Tiles &tiles)
{
  for_each_row_by_lanes(tiles.pair.space(), static_cast<PetscInt>(tiles.node.size()),
                        FillLists{pattern, position.data(), tiles.list_ptr.data(), number.data(), tiles.triple.data()});
}

} // namespace goza::assembly
