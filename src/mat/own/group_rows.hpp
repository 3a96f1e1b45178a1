/* A rank's rows into those of its group. Arrays are in one space. */
#pragma once
#include "core/sparse/csr.hpp"

namespace goza::mat {

/* The numbers that a rank's rows and columns have in the group, by which columns ascend there. */
struct GroupNumbers {
  const PetscInt *natural; // of its rows, which are its columns then; null: both are in turn
  PetscInt        first_row, first_column;
  const PetscInt *other; // of the columns in the block of other ranks'

  HD PetscInt row(PetscInt i) const { return natural ? natural[i] : first_row + i; }
  HD PetscInt column(PetscInt j) const { return natural ? natural[j] : first_column + j; }
};

/* others.nrows 0: there are none. length: [rows of the group]; begin: where rows begin in col and val */
void put_lengths(Space space, const Csr &own, const Csr &others, const GroupNumbers &numbers, PetscInt *length);
void put_rows(Space space, const Csr &own, const Csr &others, const GroupNumbers &numbers, const PetscInt *begin, PetscInt *col, PetscScalar *val);

} // namespace goza::mat
