/* The tiles of the device's numeric phase: groups of nodes near one another, along a Morton curve. A thread block visits the elements that touch its tile,
   leaves of each on chip what its pairs of corners need, and then a thread takes a pair of nodes and sums it over the elements that both touch. Nothing is
   added in memory, on chip or off, and sums are taken in the same order in every run.

   A pair is a tile's where its first node is. Rows: every pair (i, j), the whole rows of the tile. Upper: the pairs with j >= i only; each stands for (j, i)
   too.

   Pairs come in the order of the length of their lists, longest first, so that the threads of a warp have equally much to do; those of one length by slot, then
   by node. */
#pragma once
#include "mesh.hpp"

namespace goza::assembly {

enum class TilePairs { Rows, Upper };

/* What the threads of a quarter of a warp read at once should lie in different banks. Eight nodes that follow one another on the curve are a block of 2 x 2 x
   2, and so are the elements that stand to them in the same relation: hence an element has a bank, which of the eight corners of such a block it is in, and the
   elements of a tile are numbered by banks, so that each of them can begin in its bank without room between them. */
constexpr int tile_banks = 8;

/* An entry of a list: element of the tile, its bank, the corners at i and j. */
struct Triple {
  std::uint32_t bits;

  HD static Triple of(PetscInt element, int bank, int a, int b)
  {
    return {static_cast<std::uint32_t>(element) << 9 | static_cast<std::uint32_t>(bank << 6 | a << 3 | b)};
  }
  HD int element() const { return static_cast<int>(bits >> 9); }
  HD int bank() const { return static_cast<int>(bits >> 6 & 7); }
  HD int a() const { return static_cast<int>(bits >> 3 & 7); }
  HD int b() const { return static_cast<int>(bits & 7); }
};

/* A list longer than this is summed by several lanes, each a part of it. */
constexpr int tile_long = 8, tile_parts = 4;

struct TileLimits {
  PetscInt nodes;           // to begin with: halved until the rest holds
  PetscInt pairs, elements; // most of one tile
};

struct Tiles {
  TilePairs            what  = TilePairs::Rows;
  PetscInt             nodes = 0, count = 0;                                // nodes of a tile, tiles
  PetscInt             most_pairs = 0, most_elements = 0, most_corners = 0; // of a tile
  Array<PetscInt>      node;                                                // [owned] along the curve; tile t has those from t * nodes
  Array<PetscInt>      element_ptr, element;                                // [count + 1], [.] the elements that touch a tile
  Array<std::uint16_t> place; // [elements of tiles] its number in the tile << 3 | its bank. Elements come bank after bank in turn, numbers by banks
  Array<PetscInt>      corner_ptr, corner; // [count + 1], [.] their nodes, ascending in a tile
  Array<std::uint16_t> conn;               // [elements of tiles][corners] their places in `corner`
  Array<PetscInt>      pair_ptr;           // [count + 1]
  Array<PetscInt>      long_pairs;         // [count] how many have long lists: the first ones
  Array<std::uint32_t> pair;               // which node of the tile << 16 | slot of j in i's row << 8 | slot of i in j's row (upper, j owned)
  Array<PetscInt>      list_ptr;           // [pairs + 1] in triple
  Array<Triple>        triple;

  std::size_t bytes() const
  {
    return node.bytes() + element_ptr.bytes() + element.bytes() + place.bytes() + corner_ptr.bytes() + corner.bytes() + conn.bytes() + pair_ptr.bytes() +
           long_pairs.bytes() + pair.bytes() + list_ptr.bytes() + triple.bytes();
  }
};

struct AssemblyMap;

Tiles make_tiles(const Mesh &mesh, const AssemblyMap &map, TilePairs what, const TileLimits &limits);

} // namespace goza::assembly
