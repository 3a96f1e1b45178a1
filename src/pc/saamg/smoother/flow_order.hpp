/* The order of the flow: the phases of rows such that a sweep in their order carries what comes from upstream along.

   Column j is upstream of row i where a_ij outweighs a_ji. A row's level is the longest way to it from where the flow begins. Where the flow goes round there
   is no beginning: there what leads from a row along which ids fall to one along which they rise is cut, which of closed streamlines around one another are
   neighbouring places if ids follow the geometry. */
#pragma once
#include "parallel/column_map.hpp"
#include "pc/saamg/setup/local_rows.hpp"

namespace goza::saamg {

constexpr PetscInt flow_phases = 80; // levels modulo this: a sweep carries so far

/* [rows of A], which are on the host. The same on any number of ranks. Collective. */
std::vector<PetscInt> phases_of_flow(const Csr &A, const MapPtr &columns, const NodeIds &ids);

struct Neighbours;

/* color [columns]: of rows by their phases, and of one phase in an order of their ids, each behind all of its neighbours that come before it. Collective. */
void color_in_order(const ColumnMap &columns, const Neighbours &near, const PetscInt *id, const std::vector<PetscInt> &phase, Array<PetscInt> &color);

} // namespace goza::saamg
