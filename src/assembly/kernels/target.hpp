/* Where the numeric phase writes: the value arrays of one of the formats. */
#pragma once
#include "core/util/search.hpp"
#include "mat/cds/diagonals.hpp"
#include "mat/slicedell/block_ell_view.hpp"
#include "assembly/mesh/mesh.hpp"

namespace goza::assembly {

enum class Layout {
  Csr,      // of the diagonal and the off-diagonal block
  Cds,      // of the diagonal block; the off-diagonal one is CSR
  SlicedEll // the same; bs x bs values to a column index
};

/* What diagonals or slices hold of a pair of nodes: entry (r, c) is number r bs + c. */
struct PairBlock {
  PetscScalar *first = nullptr; // nothing: of a half matrix, the lower part
  std::int64_t step  = 0;

  HD PetscScalar *at(int entry) const { return first + entry * step; }
};

struct Target {
  Layout       layout;
  int          bs;
  PetscInt     owned;
  PetscScalar *val = nullptr;

  /* CSR: row pointers of the rows (not nodes); the off-diagonal block's are null on one rank, and of diagonals and slices those alone are there. from[k]: where
     the columns of pair k begin in its rows, or null where a row is just its pairs in order. */
  const PetscInt *ptr = nullptr, *ptr_other = nullptr, *from = nullptr;
  PetscScalar    *val_other = nullptr;

  /* CDS: see cds_view.hpp */
  bool         half                  = false;
  std::int64_t ld                    = 0;
  int          ndiag                 = 0;
  PetscInt     offset[max_diagonals] = {};

  /* sliced ELL: see block_ell_view.hpp */
  int                 shift     = 0;
  PetscInt            team      = 1;
  const std::int64_t *slice_ptr = nullptr;
  const PetscInt     *place_of  = nullptr; // or null: nodes are in their own order

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
  HD PairBlock cds(PetscInt i, int d) const { return d < 0 ? PairBlock() : PairBlock{val + (d * bs * bs * ld + i), ld}; }

  HD PairBlock ell(PetscInt i, PetscInt s) const
  {
    const PetscInt        H = PetscInt(1) << shift, place = place_of ? cached_load(place_of + i) : i, slice = place >> shift;
    const std::int64_t    begin = cached_load(slice_ptr + slice);
    const PetscInt        width = team > 1 ? static_cast<PetscInt>((cached_load(slice_ptr + slice + 1) - begin) >> shift) : s + 1; // teams alone need it
    const mat::BlockPlace block(begin, width, s, H, team, bs * bs, 1);

    return {val + (block.at + (place & (H - 1))), block.step};
  }

  /* j: owned, in slot s of i's row */
  HD PairBlock block(PetscInt i, PetscInt s, PetscInt j) const { return layout == Layout::Cds ? cds(i, diagonal(j - i)) : ell(i, s); }
};

} // namespace goza::assembly
