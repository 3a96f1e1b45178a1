/* The rows of each colour in two parts, where a matrix lies on several ranks: those that other ranks read, or that read other ranks' ("edge"), and the rest.
   While values travel the latter can be relaxed. Rows may be nodes. */
#pragma once
#include "coloring.hpp"
#include <vector>

namespace goza::saamg {

struct SplitColors {
  Coloring                  inner, edge;
  std::vector<std::int64_t> edge_anywhere; // by colour: rows of all ranks
};

/* others: what the rows hold on other ranks; columns: of the matrix; bs: rows of a node. Collective. */
SplitColors split_colors(const Coloring &coloring, const Csr &others, const ColumnMap &columns, PetscInt bs);

/* The rows of nodes of bs */
Array<PetscInt> rows_of_nodes(const Array<PetscInt> &nodes, PetscInt bs);

} // namespace goza::saamg
