/* Where the numeric phase writes: the value arrays of one of the formats. A place that the format does not hold (the lower part of a half matrix) is null. */
#pragma once
#include "core/util/search.hpp"
#include "mat/cds/diagonals.hpp"
#include "assembly/mesh/mesh.hpp"

namespace goza::assembly
{

enum class Layout {
  Csr,      // of the diagonal and the off-diagonal block
  Cds,      // of the diagonal block; the off-diagonal one is CSR
  SlicedEll // one rank, rows in their own order
};

struct Target {
  Layout       layout;
  int          bs;
  PetscInt     owned;
  PetscScalar *val = nullptr;

  /* CSR: row pointers of the rows (not nodes); the off-diagonal block's are null on one rank, and of diagonals those alone are there. from[k]: where the columns of pair k begin in its rows, or null
     where a row is just its pairs in order. */
  const PetscInt *ptr = nullptr, *ptr_other = nullptr, *from = nullptr;
  PetscScalar    *val_other = nullptr;

  /* CDS: see cds_view.hpp */
  bool         half                  = false;
  std::int64_t ld                    = 0;
  int          ndiag                 = 0;
  PetscInt     offset[max_diagonals] = {};

  /* sliced ELL: see slicedell_view.hpp */
  int                 shift     = 0;
  const std::int64_t *slice_ptr = nullptr;

  HD PetscScalar *csr(PetscInt i, PetscInt pair, PetscInt s, PetscInt nown, PetscInt j, int r) const // of the block's first column
  {
    const bool     own = j < owned;
    const PetscInt row = i * bs + r, in_row = from ? from[pair] : (own ? s : s - nown) * bs;

    return own ? val + (ptr[row] + in_row) : val_other + (ptr_other[row] + in_row);
  }

  HD int diagonal(PetscInt offset_wanted) const // or -1
  {
    const int d = static_cast<int>(lower_bound(offset, 0, ndiag, offset_wanted));

    return d < ndiag && offset[d] == offset_wanted ? d : -1;
  }
  HD PetscScalar *cds(PetscInt i, PetscInt d, int r, int c) const { return val + (static_cast<std::int64_t>((d * bs + r) * bs + c) * ld + i); }

  HD PetscScalar *ell(PetscInt i, PetscInt s, int r, int c) const
  {
    const PetscInt row = i * bs + r;

    return val + (slice_ptr[row >> shift] + (static_cast<std::int64_t>(s * bs + c) << shift) + (row & ((1 << shift) - 1)));
  }
};

} // namespace goza::assembly
