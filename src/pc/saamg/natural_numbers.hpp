#pragma once
#include "core/array.hpp"
#include <petscmat.h>

namespace goza
{

/* Numbers of A's nodes of bs rows that do not depend on how the ranks share them. Where A is of a DMDA: [local rows / bs] those of the grid's natural order. Empty
   where the global numbers are such: those of a matrix without one, and of slabs of the grid. */
PetscErrorCode NaturalNumbers(Mat A, PetscInt bs, Space space, Array<PetscInt> &number);

} // namespace goza
