/* Where a rank's rows are on the grid of a DMDA. */
#pragma once
#include "core/device/space.hpp"
#include <petscmat.h>
#include <vector>

namespace goza::mat {

struct GridBox {
  bool     slabs     = false; // global numbers are the grid's natural ones
  PetscInt dof       = 1;     // rows of a point
  PetscInt points[3] = {0, 0, 0}, begin[3] = {0, 0, 0}, width[3] = {0, 0, 0};

  PetscInt rows() const { return dof * width[0] * width[1] * width[2]; }

  /* Of item i of the box, x fastest; each point has so many. */
  HD PetscInt natural(PetscInt i, PetscInt items) const
  {
    const PetscInt p = i / items, x = begin[0] + p % width[0], y = begin[1] + p / width[0] % width[1], z = begin[2] + p / width[0] / width[1];

    return ((z * points[1] + y) * points[0] + x) * items + i % items;
  }
};

/* Of a rank's rows, one behind the other: its own, or those of the ranks that it leads. None: there is no grid. */
using GridBoxes = std::vector<GridBox>;

inline PetscInt rows_of(const GridBoxes &boxes)
{
  PetscInt rows = 0;

  for (const GridBox &box : boxes) rows += box.rows();
  return rows;
}

PetscErrorCode FindGridBoxes(Mat A, GridBoxes *boxes); // not collective: they may have another number of rows than A

} // namespace goza::mat
