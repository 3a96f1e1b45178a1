/* The grid that a matrix's rows were numbered along, found from the columns of a few of them. */
#pragma once
#include "local_rows.hpp"
#include "parallel/column_map.hpp"

namespace goza::saamg {

/* What the longest row looks like, the rows being numbered by id[local columns]: neighbours of point i are i +- 1, i +- line, i +- plane. Unknown where it has
   more neighbours than a box of 3 x 3 x 3, or where lines do not fill planes. Only a look at all rows tells whether it is that. Collective. */
Lattice guess_lattice(const Csr &A, const LocalColumns &columns, const Array<PetscInt> &id);

/* The grid where nodes are coupled to none but those of the box around them, `reach` points away at most, 1 or 2: all of some thousand of them, spread over the
   ranks by their numbers alone. Unknown where that is not so. Collective. */
Lattice lattice_of(const Csr &A, const ColumnMap &columns, PetscInt bs, int reach = 1);

/* The lattice without what lies outside all nodes that are coupled to others, planes of Dirichlet nodes: a root there would be none. isolated: of the rows,
   empty where none is. Collective. */
Lattice without_isolated_planes(const Lattice &lattice, NodeIds ids, PetscInt bs, const Array<unsigned char> &isolated, const LocalColumns &columns);

} // namespace goza::saamg
