/* A matrix given by global row: it is the same on any number of ranks, only its distribution differs. */
#pragma once

#include <petscmat.h>

#include <functional>
#include <string>
#include <vector>

namespace goza_test {

struct Row {
  std::vector<PetscInt>    col;
  std::vector<PetscScalar> val;

  void add(PetscInt c, PetscScalar v)
  {
    col.push_back(c);
    val.push_back(v);
  }
};

enum : unsigned {
  square         = 1, /* and row and column layouts agree */
  symmetric      = 2,
  spd            = 4,
  full_diagonal  = 8,  /* every diagonal entry is stored */
  no_zero_pivots = 16, /* ... and not zero */
  nonempty       = 32  /* has at least one stored entry */
};

enum class Layout {
  even,          /* PETSC_DECIDE both ways */
  all_on_last,   /* the other ranks have neither rows nor columns */
  skewed,        /* columns are dealt in another proportion than rows: the local diagonal blocks are not square */
  cols_on_first, /* ranks with rows and no columns */
};

struct Entry {
  std::string                          name;
  PetscInt                             rows, cols;
  unsigned                             flags;
  std::function<void(PetscInt, Row &)> row; /* appends the entries of a row, columns in any order */
  PetscInt                             bs     = 1;
  Layout                               layout = Layout::even;

  bool has(unsigned need) const { return (flags & need) == need; }
};

} // namespace goza_test
