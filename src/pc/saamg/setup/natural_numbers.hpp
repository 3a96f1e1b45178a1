#pragma once
#include "lattice.hpp"
#include "own_rows.hpp"

namespace goza::saamg
{

/* Numbers of A's nodes of bs rows that do not depend on how the ranks share them. Where A is of a DMDA: [local rows / bs] those of the grid's natural order. Empty
   where the global numbers are such: those of a matrix without one, and of slabs of the grid. lattice: the grid, that of the DMDA or one that the rows show, where each
   of its points has one node. rows: A's. Collective. */
PetscErrorCode NaturalNumbers(Mat A, const OwnRows &rows, PetscInt bs, Array<PetscInt> &number, Lattice &lattice);

} // namespace goza::saamg
