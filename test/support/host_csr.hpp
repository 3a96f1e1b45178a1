/* Compressed rows in plain arrays, for matrices that are made or read before there is a Mat. */
#pragma once
#include "core/sparse/csr.hpp"
#include <vector>

namespace goza_test {

struct HostCsr {
  PetscInt                 rows = 0, cols = 0;
  std::vector<PetscInt>    ptr{0}, col; // columns ascend in each row
  std::vector<PetscScalar> val;

  goza::Csr view() const { return {goza::Space::Host, rows, cols, ptr.data(), col.data(), val.data(), static_cast<PetscInt>(col.size())}; }
};

} // namespace goza_test
