/* A rank's rows into those of its group. Arrays are in one space. */
#pragma once
#include "core/sparse/csr.hpp"

namespace goza::mat
{

/* Row i begins at begin[i]; its columns get the numbers that they have in the group, by which they ascend there. */
struct GroupRows {
  const PetscInt *begin, *own, *other; // [rows]; number of each of the rank's own columns, and of those in the block of other ranks'
  PetscInt       *col;
  PetscScalar    *val;
};

void put_rows(Space space, const Csr &own, const Csr &others, const GroupRows &to); // others.nrows 0: there are none

} // namespace goza::mat
