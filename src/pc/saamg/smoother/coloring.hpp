/* Colours of rows: no two rows of one colour are coupled, so that all of them can be relaxed at once.

   A grid's rows are coloured by the parities of their coordinates: 2 colours where only neighbours along the axes are coupled (7-point), 8 where all 26
   are, on the finest level each with as many rows. The grid is the level's lattice, else one guessed from the longest row, and a look at every row tells
   whether it holds.

   Other matrices are coloured greedily in the order of hashed priorities (Jones, Plassmann 1993): a row whose neighbours of higher priority are done takes
   the smallest colour that none of them has. The result is that of the sequential algorithm, whatever the order in which threads come by. Then a few times
   again in the order of the colours, last one first, which never takes more of them (Culberson 1992): on a 27-point grid 17 become 15.

   Where the rows lie on several ranks all this is said of the whole matrix: priorities and coordinates are those of the nodes' ids, which no rank has a say in,
   a row waits for its neighbours on other ranks too, and the colours are the same on any number of ranks, however a level is numbered there. */
#pragma once
#include "parallel/column_map.hpp"
#include "pc/saamg/setup/local_rows.hpp"

namespace goza::saamg {

struct Coloring {
  std::vector<PetscInt> begin{0}; // [colours + 1] in rows; a colour may have none of this rank's
  Array<PetscInt>       rows;     // [nrows] colour by colour, ascending in each; this rank's

  PetscInt ncolors() const { return static_cast<PetscInt>(begin.size()) - 1; }
  PetscInt size(PetscInt color) const { return begin[color + 1] - begin[color]; }
};

/* A: a rank's rows, columns by the map's numbers, all of whose ghosts are in some row; its values may mean nothing. A pattern that is not symmetric counts as
   joined with its mirror, so that A and A^T have the same colours. Each row stands for bs of the rows whose nodes' ids are given. grids: look for one.
   Collective. */
Coloring color_rows(const Csr &A, const MapPtr &columns, const NodeIds &ids, PetscInt bs, bool grids = true);
Coloring color_rows(const Csr &A, const MapPtr &columns, bool grids = true); // the ids are the rows' global numbers

/* In the order of the flow (flow_order.hpp), on a host: rows that are coupled are relaxed in that of their phases. upstream: the other way round.
   Collective. */
Coloring color_downstream(const Csr &A, const MapPtr &columns, const NodeIds &ids, bool upstream);

/* In the order of their hashed priorities, as few colours as that leaves. A sweep over them carries what comes from upstream some rows along, each time by
   others, and so smooths it; that over a chessboard shifts it by two. reversed: the last colour first. Collective. */
Coloring color_scattered(const Csr &A, const MapPtr &columns, const NodeIds &ids, bool reversed);

} // namespace goza::saamg
