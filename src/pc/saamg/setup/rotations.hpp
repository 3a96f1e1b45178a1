/* Rotations of a body on a lattice: near-null vectors of elasticity whose coordinates nobody gave. */
#pragma once
#include "grid_of_rows.hpp"

namespace goza::saamg {

/* Of the scalar rows that take translations for zeros, of some thousands of all ranks' nodes. Inside a body of one material they take every linear function for
   a zero; at its surface, and where materials touch, what turns alone. A pair of directions turns where x_e along d and x_d along e leave multiples of one
   another in these rows, and their ratio is that of the lattice's spacings. */
struct Rotations {
  struct Pair {
    PetscReal first = 0, both = 0, second = 0; // squares and product of what the two leave, each beside its row's size
  };

  Lattice lattice;
  int     dim  = 0;
  double  rows = 0;
  Pair    pair[3]; // of the directions 0 1, 0 2, 1 2

  bool      there() const;
  bool      like(const Rotations &) const;                                                // none, or the same near-null vectors but for a hundredth
  PetscReal spacing(int d) const { return d ? pair[d - 1].both / pair[d - 1].first : 1; } // in units of the first
  PetscInt  functions() const { return dim == 2 ? 3 : 6; }                                // translations and rotations
};

/* A: of nodes with ids.bs unknowns at the points of a lattice of as many directions; else nothing is found. Collective. */
Rotations rotations_of(const Csr &A, const ColumnMap &columns, NodeIds ids);

/* About the lattice's middle: [rows][functions()] */
Array<PetscScalar> rigid_body_modes(const Rotations &found, NodeIds ids, PetscInt rows, Space space);

} // namespace goza::saamg
