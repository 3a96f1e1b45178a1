/* Rows as maps from columns to values, for references that are computed entry by entry, and as a matrix in either space. */
#pragma once

#include "core/sparse/csr_matrix.hpp"

#include <map>
#include <vector>

namespace goza_test {

using OrderedRow  = std::map<PetscInt, PetscScalar>;
using OrderedRows = std::vector<OrderedRow>;

inline goza::CsrMatrix csr_of(goza::Space space, const OrderedRows &rows, PetscInt ncols)
{
  std::vector<PetscInt>    ptr{0}, col;
  std::vector<PetscScalar> val;
  goza::CsrMatrix          A(space, static_cast<PetscInt>(rows.size()), ncols);

  for (const OrderedRow &row : rows) {
    for (const auto &[j, v] : row) {
      col.push_back(j);
      val.push_back(v);
    }
    ptr.push_back(static_cast<PetscInt>(col.size()));
  }
  A.ptr = goza::Array<PetscInt>(space, ptr.data(), ptr.size());
  A.col = goza::Array<PetscInt>(space, col.data(), col.size());
  A.val = goza::Array<PetscScalar>(space, val.data(), val.size());
  return A;
}

} // namespace goza_test
