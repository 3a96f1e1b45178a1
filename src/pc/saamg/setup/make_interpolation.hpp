/* P of a grid from its coarsening, for the values that A has now. Collective. */
#pragma once
#include "hierarchy.hpp"
#include "prolong.hpp"

namespace goza::saamg
{

/* columns: of P. */
CsrMatrix interpolation_of(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, MapPtr &columns);

/* New values in a P that was made so, where that is quicker. */
bool interpolate_again(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, CsrMatrix &P);

} // namespace goza::saamg
