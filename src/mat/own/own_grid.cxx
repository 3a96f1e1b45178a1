/* The diagonals of a DMDA's stencil. */
#include "own_cds.hpp"
#include <petscdmda.h>
#include <set>

namespace goza::mat
{

/* How far a neighbour's number is along one direction, in points of that direction; round: the last point's neighbour is the first. */
static std::vector<PetscInt> steps(PetscInt points, PetscInt width, bool round)
{
  std::set<PetscInt> all{0};

  for (PetscInt s = 1; s <= width; s++) {
    for (PetscInt o : {s, -s}) {
      if (o > -points && o < points) all.insert(o);
      if (round && o - points > -points) all.insert(o - points);
      if (round && o + points < points) all.insert(o + points);
    }
  }
  return {all.begin(), all.end()};
}

static void find_offsets(const PetscInt points[3], PetscInt width, const DMBoundaryType boundary[3], bool star, std::set<PetscInt> &offset)
{
  std::vector<PetscInt> step[3];

  for (int d = 0; d < 3; d++) step[d] = steps(points[d], width, boundary[d] == DM_BOUNDARY_PERIODIC);
  for (PetscInt z : step[2]) {
    for (PetscInt y : step[1]) {
      for (PetscInt x : step[0]) {
        if (!star || (x != 0) + (y != 0) + (z != 0) <= 1) offset.insert(x + points[0] * (y + points[1] * z));
      }
    }
  }
}

PetscErrorCode OwnOffsetsOfGrid(Mat A, const OwnCds &own, std::vector<PetscInt> *offset)
{
  DM              dm;
  PetscBool       grid = PETSC_FALSE;
  PetscInt        points[3], dof, width;
  DMBoundaryType  boundary[3];
  DMDAStencilType stencil;

  PetscFunctionBegin;
  offset->clear();
  PetscCall(MatGetDM(A, &dm));
  if (dm) PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMDA, &grid));
  if (!grid) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDAGetInfo(dm, NULL, &points[0], &points[1], &points[2], NULL, NULL, NULL, &dof, &width, &boundary[0], &boundary[1], &boundary[2], &stencil));
  if (dof % own.bs || (PetscInt64)dof * points[0] * points[1] * points[2] != A->rmap->n) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt each = dof / own.bs; /* nodes of the matrix to a point of the grid */
  PetscCall(Guarded([&] {
    std::set<PetscInt> of_points, of_nodes;

    find_offsets(points, width, boundary, stencil == DMDA_STENCIL_STAR, of_points);
    for (PetscInt o : of_points) {
      for (PetscInt within = 1 - each; within < each; within++) of_nodes.insert(o * each + within);
    }
    offset->assign(of_nodes.begin(), of_nodes.end());
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
