/* Matrices that laws hold for. Each is defined by global row, so it is the same on any number of ranks; only its distribution differs. */
#pragma once

#include "check.hpp"

#include <vector>

namespace goza_test
{

/* A number in [-1, 1) that depends on nothing but its arguments. */
PetscReal uniform(PetscInt i, PetscInt j, PetscInt seed = 0);

struct Row {
  std::vector<PetscInt>    col;
  std::vector<PetscScalar> val;

  void add(PetscInt c, PetscReal v)
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

const std::vector<Entry> &gallery();
const Entry              &gallery_entry(const std::string &name);

/* Families, for sizes of one's own */
Entry stencil5(PetscInt nx, PetscInt ny, PetscReal anisotropy = 1);
Entry stencil7(PetscInt nx, PetscInt ny, PetscInt nz);
Entry stencil27(PetscInt nx, PetscInt ny, PetscInt nz);
Entry neumann5(PetscInt nx, PetscInt ny);                              /* singular: constants are the null space */
Entry elasticity(PetscInt nx, PetscInt ny, PetscInt nz);               /* Q1 elements, the plane x=0 clamped and left out */
void  elasticity_node(const Entry &, PetscInt node, PetscReal xyz[3]); /* coordinates, for rigid-body modes */

/* Local sizes of an entry on comm. */
void local_sizes(const Entry &, MPI_Comm, PetscInt *m, PetscInt *n);

enum class Prealloc {
  exact,
  none
};
MatHandle assemble(const Entry &, MatType, Prealloc = Prealloc::exact, MPI_Comm = PETSC_COMM_WORLD);

/* Inserts all rows this rank owns, and assembles. */
void fill(const Entry &, Mat, PetscReal factor = 1);

} // namespace goza_test
