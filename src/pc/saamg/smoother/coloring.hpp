/* Colours of rows: no two rows of one colour are coupled, so that all of them can be relaxed at once.

   A grid's rows are coloured by the parities of their coordinates: 2 colours where only neighbours along the axes are coupled (7-point), 8 where all 26
   are, each with the same number of rows. Line and plane are guessed from the longest row, and a look at every row tells whether the guess holds.

   Other matrices are coloured greedily in the order of hashed priorities (Jones, Plassmann 1993): a row whose neighbours of higher priority are done takes
   the smallest colour that none of them has. The result is that of the sequential algorithm, whatever the order in which threads come by. Then a few times
   again in the order of the colours, last one first, which never takes more of them (Culberson 1992): on a 27-point grid 17 become 15. */
#pragma once
#include "core/csr_matrix.hpp"

namespace goza
{

struct Coloring {
  std::vector<PetscInt> begin{0}; // [colours + 1] in rows
  Array<PetscInt>       rows;     // [nrows] colour by colour, ascending in each

  PetscInt ncolors() const { return static_cast<PetscInt>(begin.size()) - 1; }
};

/* A is square; a pattern that is not symmetric counts as joined with its mirror, so that A and A^T have the same colours. first: global number of row 0.
   grids: look for one. */
Coloring color_rows(const Csr &A, PetscInt first, bool grids = true);

} // namespace goza
