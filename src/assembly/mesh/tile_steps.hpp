/* The steps of make_tiles(): the pairs of nodes, their order and their lists; the elements, their numbers and their corners. For .cu files. */
#pragma once
#include "core/launch/for_each_row.hpp"
#include "core/util/search.hpp"
#include "curve.hpp"
#include "symbolic.hpp"

namespace goza::assembly {

/* The pairs that tiles take of the map's pattern. */
struct PairPattern {
  TilePairs            what;
  int                  corners;
  const PetscInt      *owner_ptr, *owner, *ptr, *col;
  const unsigned char *slot;

  HD PetscInt slots(PetscInt i) const { return ptr[i + 1] - ptr[i]; }
  HD PetscInt first_slot(PetscInt i) const { return what == TilePairs::Rows ? 0 : lower_bound(col, ptr[i], ptr[i + 1], i) - ptr[i]; }

  /* f(o, b) for the elements owner[o] in which the neighbour at slot s is corner b. What a few elements have is asked for at once: each is two loads, one after
     the other. */
  template <class F> HD void visit(PetscInt i, PetscInt s, F f) const
  {
    constexpr int  ahead = 4;
    const PetscInt end   = owner_ptr[i + 1];

    for (PetscInt o = owner_ptr[i]; o < end; o += ahead) {
      std::uint32_t four[ahead][2];

      for (int k = 0; k < ahead; k++) {
        const std::uint32_t *of = reinterpret_cast<const std::uint32_t *>(slot +
                                                                          static_cast<std::int64_t>(cached_load(owner + (o + k < end ? o + k : o))) * corners);

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

/* Places the tiles' pairs; returns the positions of the pattern's pairs among them. most: pairs of a node */
Array<PetscInt> order_pairs(const Mesh &mesh, const PairPattern &pattern, PetscInt most, Tiles &tiles);

/* number: of the elements of owners, as from number_elements() */
void fill_lists(const PairPattern &pattern, const Array<PetscInt> &position, const Array<std::uint16_t> &number, Tiles &tiles);

/* Orders the tiles' elements by banks; returns the numbers of the elements of owners in their owner's tile, and their banks. */
Array<std::uint16_t> number_elements(const Mesh &mesh, const Cells &cells, const AssemblyMap &m, Tiles &tiles);

void find_corners(const Mesh &mesh, Tiles &tiles);

} // namespace goza::assembly
