#include "natural_numbers.hpp"
#include "core/launch/for_each_row.hpp"
#include "grid_of_rows.hpp"
#include "petsc/errors.hpp"
#include "parallel/agree.hpp"
#include <petscdm.h>
#include <petscdmda.h>

namespace goza::saamg
{

namespace
{

/* Point i of this rank's box of the grid, x fastest; each has so many nodes. */
struct NaturalNumber {
  PetscInt  begin[3], width[2]; // of the box
  PetscInt  points[2];          // of the grid
  PetscInt  nodes;
  PetscInt *number;

  HD void operator()(PetscInt i) const
  {
    const PetscInt p = i / nodes, x = begin[0] + p % width[0], y = begin[1] + p / width[0] % width[1], z = begin[2] + p / width[0] / width[1];

    number[i] = ((z * points[1] + y) * points[0] + x) * nodes + i % nodes;
  }
};

} // namespace

PetscErrorCode NaturalNumbers(Mat A, const OwnRows &rows, PetscInt bs, Array<PetscInt> &number, Lattice &lattice)
{
  const Space space = rows.A.space;
  DM          dm;
  PetscBool   grid = PETSC_FALSE;
  PetscInt    m, n[3], ranks[2], dof, begin[3], width[3];

  PetscFunctionBegin;
  PetscCall(MatGetDM(A, &dm));
  if (dm) PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMDA, &grid));
  if (!grid) {
    PetscCall(Together(PetscObjectComm((PetscObject)A), "look for a grid", [&] { lattice = lattice_of(rows.A, *rows.columns, bs); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(DMDAGetInfo(dm, NULL, &n[0], &n[1], &n[2], &ranks[0], &ranks[1], NULL, &dof, NULL, NULL, NULL, NULL, NULL));
  PetscCall(DMDAGetCorners(dm, &begin[0], &begin[1], &begin[2], &width[0], &width[1], &width[2]));
  if (dof % bs || !rows.columns->all(m == width[0] * width[1] * width[2] * dof)) PetscFunctionReturn(PETSC_SUCCESS);
  for (int d = 0; d < 3 && dof == bs; d++) lattice.points[d] = lattice.tiles[d] = n[d];
  const bool slabs = ranks[0] == 1 && (ranks[1] == 1 || n[2] == 1);
  if (slabs) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    number = Array<PetscInt>(space, m / bs);
    for_each_row(space, m / bs, NaturalNumber{{begin[0], begin[1], begin[2]}, {width[0], width[1]}, {n[0], n[1]}, dof / bs, number.data()});
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
