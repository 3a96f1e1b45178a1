/* Matrices of real sizes for the benches, after the kinds that papers P2 and P3 measured: made here, the same on every machine. */
#pragma once

#include "generators.hpp"

#include <string>

namespace goza_test {

struct BenchMatrix {
  std::string             name;
  bool                    irregular; /* counts in the irregular half of the gallery */
  std::function<Sparse()> make;
  PetscInt                bs = 1; /* unknowns of a node */
};

const std::vector<BenchMatrix> &bench_gallery();

} // namespace goza_test
