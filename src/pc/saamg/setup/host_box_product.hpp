/* P^T A P on a lattice of boxes, on a host: nodes one after the other, each of which adds to the rows of its boxes. */
#pragma once
#include "box_product_rows.hpp"
#include "boxes.hpp"

namespace goza::saamg {

/* Of one rank: boxes that are three tiles wide in each direction, and rows of P that are there. */
inline bool made_on_host(const Boxes &boxes, Space space) { return space == Space::Host && !boxes.ranks && !boxes.grid.is_narrow() && !boxes.smoothing; }

/* The product goes into `to`; m, squares: as ProjectBoxes has them. P: its rows on the grid. */
void product_on_host(const Boxes &boxes, const StoredRows &A, const CsrMatrix &P, bool conjugated, const BoxPlaces &to, const PetscReal *m, PetscReal *squares);

/* Which entries its rows have, [boxes]. */
Array<Bits27> product_pattern_on_host(const Boxes &boxes);

} // namespace goza::saamg
