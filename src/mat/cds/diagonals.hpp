/* Which diagonals of a matrix are worth storing whole. A diagonal is a set of entries (i, i + offset); with blocks of bs unknowns a node, i and
   offset count nodes and every entry of the bs x bs block belongs to it. */
#pragma once
#include "core/sparse/csr.hpp"
#include <cstdint>
#include <vector>

namespace goza::mat {

constexpr int max_diagonals = 128;
constexpr int rows_of_a_run = 3; // on the mean, from which on runs are worth knowing

struct Diagonals {
  PetscInt              bs = 1;
  std::vector<PetscInt> offset;     // ascending, at most max_diagonals
  std::int64_t          inside = 0; // entries of the matrix on these diagonals
  std::int64_t          nnz    = 0;
  std::vector<PetscInt> runs; // of a host matrix whose rows lie alike in long ones, but for entries on no diagonal: where each begins, and the end; else none
};

/* Those that hold at least `share` of the nrows entries which they would take in storage; share in (0, 1]. bs divides the rows and columns. */
Diagonals find_diagonals(const Csr &A, PetscInt bs, double share);

/* How the rows of a grid's matrix neighbour each other: row i has neighbours i +- 1, i +- line, i +- plane. 0 where the offsets show no such thing. */
struct GridStrides {
  PetscInt line = 0, plane = 0;
};
GridStrides grid_strides(const std::vector<PetscInt> &offset);

} // namespace goza::mat
