/* The nodes, of bs columns each, that a rank's columns belong to. */
#pragma once
#include "column_map.hpp"

namespace goza::parallel {

/* The same map where bs is 1. Collective. */
MapPtr nodes_of_columns(const MapPtr &columns, PetscInt bs);

/* [ghosts of columns] among the ghosts of nodes; a column of none of them has the number behind the last. */
Array<PetscInt> nodes_of_ghost_columns(const LocalColumns &columns, const LocalColumns &nodes, PetscInt bs);

} // namespace goza::parallel
