/* The values of an operator on a lattice of boxes by place. */
#pragma once
#include "boxes.hpp"
#include "stored_rows.hpp"

namespace goza::saamg {

/* The values of CDS by the bits of neighbours. */
inline CdsStencil stencil_of(const mat::Cds<PetscScalar, PetscScalar> &cds, const BoxGrid &grid)
{
  const mat::CdsView<PetscScalar> view = cds.view();
  CdsStencil                      stencil{view.val, {}};

  for (int bit = 0; bit < 27; bit++) {
    const PetscInt o = grid.neighbour(0, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1), stored = cds.half() && o < 0 ? -o : o;

    for (PetscInt d = 0; d < view.ndiag; d++)
      if (view.offset[d] == stored) stencil.start[bit] = d * view.ld + (stored == o ? 0 : o);
  }
  return stencil;
}

inline const mat::Cds<PetscScalar, PetscScalar> *diagonals_of_nodes(const StoredRows &A)
{
  const auto *cds = A.diagonals();

  return cds && cds->block_size() == 1 ? cds : nullptr;
}

/* call(stencil) with the operator's values by place */
template <class Call> void with_values(const StoredRows &A, const Boxes &boxes, const Call &call)
{
  if (boxes.ranks) call(values_by_place(A.A, boxes.grid, *boxes.ranks));
  else if (const auto *cds = diagonals_of_nodes(A)) call(stencil_of(*cds, boxes.grid));
  else call(CsrStencil{A.A.ptr, A.A.val, boxes.stencil.data()});
}

} // namespace goza::saamg
