/* A compressed-row matrix that owns its arrays, in one space. Columns ascend in every row. */
#pragma once
#include "core/device/array.hpp"
#include "csr.hpp"

namespace goza {

struct CsrMatrix {
  PetscInt           nrows = 0, ncols = 0;
  Array<PetscInt>    ptr, col; // [nrows + 1], [nnz]
  Array<PetscScalar> val;      // [nnz]

  CsrMatrix() = default;
  CsrMatrix(Space space, PetscInt m, PetscInt n) : nrows(m), ncols(n), ptr(space), col(space), val(space) { }

  Space       space() const { return ptr.space(); }
  PetscInt    nnz() const { return static_cast<PetscInt>(col.size() ? col.size() : val.size()); } // either may be missing
  std::size_t bytes() const { return ptr.bytes() + col.bytes() + val.bytes(); }
  Csr         view() const { return {ptr.space(), nrows, ncols, ptr.data(), col.data(), val.data(), nnz()}; }

  CsrMatrix copied(Space space) const
  {
    CsrMatrix copy(space, nrows, ncols);

    copy.ptr = ptr.copied(space);
    copy.col = col.copied(space);
    copy.val = val.copied(space);
    return copy;
  }
};

inline PetscInt entries(const Csr &A)
{
  if (A.nnz >= 0) return A.nnz;
  return A.nrows ? read_value(A.space, A.ptr + A.nrows) : 0;
}

} // namespace goza
