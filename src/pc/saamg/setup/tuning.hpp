/* Sizes of the set-up, each found by measurement. */
#pragma once
#include "core/rooms.hpp"
#include <cstddef>
#include <petscsystypes.h>

namespace goza::saamg
{

/* Rows of A P that a Galerkin product on a lattice of boxes holds at a time, 27 places each, and of P, 8 each: enough to fill a device; few enough to stay in a core's caches. */
constexpr PetscInt box_window_rows = 1 << 19, box_window_rows_host = 1 << 14;

/* Bytes of A P's values that it holds at a time where there are several unknowns a node. */
constexpr std::size_t room_of_part = 256 << 20;

} // namespace goza::saamg
