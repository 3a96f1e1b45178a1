/* Matrices of real sizes for the benches, after the kinds that papers P2 and P3 measured: made here, the same on every machine. */
#pragma once

#include "sparse.hpp"

#include <string>

namespace goza_test
{

struct BenchMatrix {
  std::string             name;
  bool                    irregular; /* counts in the irregular half of the gallery */
  std::function<Sparse()> make;
  PetscInt                bs = 1; /* unknowns of a node */
};

const std::vector<BenchMatrix> &bench_gallery();

/* The 27-point operator on a box with bs unknowns a node, entries value(row, column), made by all cores */
Sparse stencil_27_points(const PetscInt n[3], PetscInt bs, const std::function<PetscReal(PetscInt, PetscInt)> &value);
Sparse stencil_27_points(PetscInt n, PetscInt bs = 1); /* on n x n x n nodes, entries coefficient(row, column) */

} // namespace goza_test
