#pragma once
#include "lattice.hpp"
#include "mat/common/grid_box.hpp"
#include "own_rows.hpp"

namespace goza::saamg {

/* Numbers of nodes of bs rows that do not depend on how the ranks share them. Where the rows are of a DMDA: [local rows / bs] those of the grid's natural
   order. Empty where the global numbers are such: those of a matrix without one, and of slabs of the grid. lattice: the grid, that of the DMDA or one that the
   rows show, where each of its points has one node. Collective. */
PetscErrorCode NaturalNumbers(const GridBoxes &boxes, const OwnRows &rows, PetscInt bs, Array<PetscInt> &number, Lattice &lattice);

} // namespace goza::saamg
