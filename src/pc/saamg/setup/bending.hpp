/* Operators of fourth order on a lattice, as of plates that bend: beside constants they leave linear functions to the coarse space. */
#pragma once
#include "grid_of_rows.hpp"

namespace goza::saamg {

/* Of rows with neighbours on all sides, some thousands of all ranks'. */
struct Bending {
  Lattice      lattice;                     // with a point for each row
  std::int64_t rows = 0, bent = 0, far = 0; // bent: constants, linear and square functions cancel out there; far: entries beyond its reach

  static constexpr int reach = 2; // of such rows

  bool     there() const { return far == 0 && 2 * bent > rows; }
  PetscInt functions() const // constants and linear ones
  {
    PetscInt k = 1;

    for (const PetscInt n : lattice.points) k += n > 1;
    return k;
  }
};

/* A: of one unknown a node, with entries of both signs. ids: of the lattice that is known, or not of one. Collective. */
Bending bending_of(const Csr &A, const ColumnMap &columns, NodeIds ids);

/* B[rows][functions()] */
Array<PetscScalar> linear_functions(const Bending &bending, NodeIds ids, PetscInt rows, Space space);

} // namespace goza::saamg
