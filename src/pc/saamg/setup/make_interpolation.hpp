/* P of a grid from its coarsening, for the values that A has now. Collective. */
#pragma once
#include "hierarchy.hpp"
#include "prolong.hpp"

namespace goza::saamg {

/* columns: of P. tests, and their columns: where they are not P. */
CsrMatrix interpolation_of(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, MapPtr &columns, CsrMatrix *tests = nullptr,
                           MapPtr *columns_of_tests = nullptr);

/* Whether P is made of the matrix as it is, smoothed once. */
bool plain(const Coarsening &from);

/* Whether P keeps few entries a row where its product would take too many multiplications: below a finest level that is filtered because its entries are of
   both signs rows are long and aggregates small. */
bool shortens(const Coarsening &from, const HierarchyOptions &options);
void shorten(const Coarsening &from, const CsrLevel &level, MapPtr &columns, CsrMatrix &P);

/* New values in a P that was made so, where that is quicker. */
bool interpolate_again(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, CsrTransfer &t);

} // namespace goza::saamg
