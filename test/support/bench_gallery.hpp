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
};

const std::vector<BenchMatrix> &bench_gallery();

/* The 27-point operator on an n x n x n grid */
Sparse stencil_27_points(PetscInt n);

} // namespace goza_test
