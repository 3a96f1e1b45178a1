/* The order in which x is read from CSR: row by row, entry by entry (paper P3, 3.3: "CRS"). An access order is a function object; it calls
   visit(column, padding) for every read of x[column], in order. padding: the product with it is not one of the matrix. */
#pragma once
#include "core/sparse/csr.hpp"

namespace goza::locality {

struct CsrOrder {
  PetscInt        nrows;
  const PetscInt *ptr, *col; // [nrows + 1], [ptr[nrows]]

  template <class Visit> void operator()(const Visit &visit) const
  {
    for (PetscInt k = nrows ? ptr[0] : 0; k < (nrows ? ptr[nrows] : 0); k++) visit(col[k], false);
  }
};

} // namespace goza::locality
