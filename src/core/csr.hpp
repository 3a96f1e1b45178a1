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

/* Entries of a matrix, or those from number `from` on. */
template <class T> struct Entries {
  const T *first;
  PetscInt from;

  HD          Entries(const T *p = nullptr, PetscInt number = 0) : first(p), from(number) { }
  HD const T &operator[](PetscInt p) const { return first[p - from]; }
};
using Columns = Entries<PetscInt>;
using Values  = Entries<PetscScalar>;

} // namespace goza
