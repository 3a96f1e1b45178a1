/* Sizes of the set-up, each found by measurement. */
#pragma once
#include "core/rooms.hpp"
#include <cstddef>
#include <cstdint>
#include <petscsystypes.h>

namespace goza::saamg {

/* Rows of A P that a Galerkin product on a lattice of boxes holds at a time, 27 places each, and of P, 8 each: enough to fill a device, and twice as many where
   that is still little beside the matrix; few enough to stay in a core's caches. */
constexpr PetscInt box_window_rows(bool device, double rows)
{
  constexpr double many = 1 << 24;

  return !device ? 1 << 14 : rows < many ? 1 << 19 : 1 << 20;
}

/* Bytes of A P's values that it holds at a time where there are several unknowns a node. */
constexpr std::size_t room_of_part = 256 << 20;

/* Entries of a level's operator, or of an interpolation, that a device's L2 holds: to ask for a format, or look for columns in common, takes as long as tens of
   products. */
constexpr std::int64_t few_entries = 1 << 22;

/* Bytes of a level's diagonals from which products with a copy of them in half precision save more than the copy takes. */
constexpr std::size_t least_rough_bytes = 96 << 20;

/* Rows of which a large matrix's couplings are judged where they are plain: what is a hundredth of them is told from nothing. */
constexpr PetscInt some_rows = 1 << 18;

/* Nodes whose lists have so many edges on an average have a warp each where there are no more of them: with a thread each they would leave a device idle. */
constexpr std::int64_t long_row  = 16;
constexpr PetscInt     few_nodes = 1 << 15;

/* Nodes of which those that look through their neighbours' aggregates, some of them and for long, are done by some lanes each where there are no more. */
constexpr PetscInt few_joining = 1 << 17;

} // namespace goza::saamg
