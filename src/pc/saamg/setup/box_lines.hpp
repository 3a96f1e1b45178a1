/* The values of an interpolation from boxes (box_grid.hpp) as a cycle reads them, by place: no index is stored.

   A row of boxes in x, with the same y and z, has 25 lines of nodes around its roots, z and y from -2 to 2. A node of such a line interpolates from one box or
   two in x, side by side: a pair of values, and pairs stand as their nodes do.

     line 0   z = -2, y = -2     v v | v v | v v | ...     pair of the line's first node, of the second, ...
     line 1   z = -2, y = -1     v v | v v | v v | ...     first value: of the lower box that the node reaches; 0 where a box or the node is none
     ...                                                   a line takes `stride` pairs; the 25 of a row of boxes are followed by those of the next, y before z

   In a plane, which has one node in y, there are 5 lines, and so where boxes are one tile wide in y; where they are in z, there is none above or below. A node
   between two rows of boxes has a pair for each. Each value of P is there once, P^T reads the same ones. */
#pragma once
#include "box_grid.hpp"
#include "core/launch/for_each_row.hpp"
#include "core/util/half.hpp"
#include <cstring>

namespace goza::saamg {

template <class Store> struct alignas(2 * sizeof(Store)) BoxPair {
  Store of[2]; // the lower box that a node reaches, and the next

  /* n pairs at p, in words. */
  template <int n> HD static void load(const BoxPair *p, BoxPair *pairs)
  {
#if defined(__CUDA_ARCH__)
    constexpr std::size_t bytes = n * sizeof(BoxPair);
    using Word                  = std::conditional_t<bytes == 4, unsigned, std::conditional_t<bytes == 8, uint2, uint4>>;
    Word word[bytes / sizeof(Word)];

    for (std::size_t k = 0; k < bytes / sizeof(Word); k++) word[k] = stream_load(reinterpret_cast<const Word *>(p) + k);
    memcpy(pairs, word, bytes);
#else
    for (int k = 0; k < n; k++) pairs[k] = p[k];
#endif
  }
};

struct BoxLines {
  BoxGrid  grid;
  PetscInt stride;    // pairs of a line, a multiple of 4
  int      reach, up; // of the lines in y and in z

  explicit BoxLines(const BoxGrid &grid) : grid(grid), stride((grid.nodes[0] + 3) / 4 * 4), reach(grid.nodes[1] > 1 ? grid.reach(1) : 0), up(grid.reach(2)) { }

  HD int lines() const { return (2 * up + 1) * (2 * reach + 1); } // of a row of boxes
  HD std::int64_t pairs() const { return static_cast<std::int64_t>(lines()) * grid.boxes[1] * grid.boxes[2] * stride; }
  /* Where the pair of the first node stands of line (y, z) of a row of boxes. */
  HD std::int64_t begin(PetscInt box_y, PetscInt box_z, int y, int z) const
  {
    return (static_cast<std::int64_t>(lines()) * (box_y + grid.boxes[1] * box_z) + (2 * reach + 1) * (z + up) + y + reach) * stride;
  }
  /* The number of a line's first node, by tiles that are brought into the lattice where they are not. */
  HD PetscInt first_node(PetscInt y, PetscInt z) const { return grid.nodes[0] * (node_of(y, 1) + grid.nodes[1] * node_of(z, 2)); }
  HD PetscInt node_of(PetscInt tile, int d) const { return grid.begin[d] + PetscMin(PetscMax(tile, 0), grid.tiles[d] - 1); }
};

} // namespace goza::saamg
