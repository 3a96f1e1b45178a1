/* A borrowed compressed-row matrix, in either space. */
#pragma once
#include "space.hpp"

namespace goza
{

struct Csr {
  Space              space;
  PetscInt           nrows, ncols;
  const PetscInt    *ptr, *col; // [nrows + 1], [ptr[nrows]]
  const PetscScalar *val;       // [ptr[nrows]]
  PetscInt           nnz = -1;  // ptr[nrows] where it is known without asking the device
  /* the same pattern on the host, where it happens to be there as well */
  const PetscInt *host_ptr = nullptr, *host_col = nullptr;
};

} // namespace goza
