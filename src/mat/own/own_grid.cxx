/* The places of a DMDA's stencil. */
#include "own_mat.hpp"
#include <petscdmda.h>
#include <set>

namespace goza::mat {

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
      for (PetscInt x : step[0])
        if (!star || (x != 0) + (y != 0) + (z != 0) <= 1) offset.insert(x + points[0] * (y + points[1] * z));
    }
  }
}

namespace {

/* A rank's part of a DMDA. */
struct GridPart {
  PetscInt        start[3], points[3], ghost_start[3], ghost_points[3], dof, width, dim;
  DMBoundaryType  boundary[3];
  bool            star;
  const PetscInt *number = NULL; // of the unknowns of points and ghosts in the whole matrix; -1: there is none

  PetscErrorCode read(DM dm)
  {
    PetscInt        all[3], ranks[3];
    DMDAStencilType stencil;

    PetscFunctionBegin;
    PetscCall(
      DMDAGetInfo(dm, &dim, &all[0], &all[1], &all[2], &ranks[0], &ranks[1], &ranks[2], &dof, &width, &boundary[0], &boundary[1], &boundary[2], &stencil));
    PetscCall(DMDAGetCorners(dm, &start[0], &start[1], &start[2], &points[0], &points[1], &points[2]));
    PetscCall(DMDAGetGhostCorners(dm, &ghost_start[0], &ghost_start[1], &ghost_start[2], &ghost_points[0], &ghost_points[1], &ghost_points[2]));
    star = stencil == DMDA_STENCIL_STAR;
    for (int d = 0; d < 3; d++) {
      if (ranks[d] > 1 || d >= dim) boundary[d] = DM_BOUNDARY_NONE; /* a rank is not its own neighbour there */
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* f(p, q): neighbours by their places among points and ghosts, the first of this rank, where the second may be another's */
  template <class F> void for_each_pair_at_surface(const F &f) const
  {
    for (PetscInt k = 0; k < points[2]; k++) {
      for (PetscInt j = 0; j < points[1]; j++) {
        const bool inside = (dim < 3 || (k >= width && k < points[2] - width)) && (dim < 2 || (j >= width && j < points[1] - width));

        for (PetscInt i = 0; i < points[0]; i++) {
          if (inside && i == width && points[0] > 2 * width) i = points[0] - width;
          for_each_neighbour(i, j, k, f);
        }
      }
    }
  }

  /* Rows of a rank's own columns. */
  void find_rows(PetscInt first, PetscInt end, GridPlaces *places) const
  {
    std::vector<PetscInt> cols;
    const auto            find_cols = [&](PetscInt at) {
      cols.clear();
      for_each_neighbour(at % points[0], at / points[0] % points[1], at / points[0] / points[1], [&](PetscInt, PetscInt q) {
        if (number[q * dof] >= first && number[q * dof] < end) cols.push_back(number[q * dof] - first);
      });
    };
    const PetscInt npoints = points[0] * points[1] * points[2];
    std::int64_t   most    = 0; // in a round of two points neighbours come twice

    for (PetscInt at = 0; at < npoints; at++) {
      find_cols(at);
      most += static_cast<std::int64_t>(cols.size()) * dof * dof;
    }
    if (most > PETSC_MAX_INT)
      throw std::length_error("the " + std::to_string(most) +
                              " entries of the grid's rows are more than this PETSc's integers can count: use 64-bit indices or more ranks");
    places->ptr.assign(1, 0);
    places->col.reserve(most);
    for (PetscInt at = 0; at < npoints; at++) {
      find_cols(at);
      std::sort(cols.begin(), cols.end());
      cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
      for (PetscInt r = 0; r < dof; r++) {
        for (PetscInt col : cols)
          for (PetscInt c = 0; c < dof; c++) places->col.push_back(col + c);
        places->ptr.push_back(static_cast<PetscInt>(places->col.size()));
      }
    }
  }

private:
  template <class F> void for_each_neighbour(PetscInt i, PetscInt j, PetscInt k, const F &f) const
  {
    const PetscInt at[3] = {i + start[0] - ghost_start[0], j + start[1] - ghost_start[1], k + start[2] - ghost_start[2]}, y_width = dim > 1 ? width : 0,
                   z_width = dim > 2 ? width : 0;
    const auto place       = [this](PetscInt x, PetscInt y, PetscInt z) { return x + ghost_points[0] * (y + ghost_points[1] * z); };

    for (PetscInt z = at[2] - z_width; z <= at[2] + z_width; z++) {
      for (PetscInt y = at[1] - y_width; y <= at[1] + y_width; y++) {
        for (PetscInt x = at[0] - width; x <= at[0] + width; x++) {
          if (x < 0 || y < 0 || z < 0 || x >= ghost_points[0] || y >= ghost_points[1] || z >= ghost_points[2]) continue;
          if (!star || (x != at[0]) + (y != at[1]) + (z != at[2]) <= 1) f(place(at[0], at[1], at[2]), place(x, y, z));
        }
      }
    }
  }
};

} // namespace

PetscErrorCode OwnPlacesOfGrid(Mat A, const OwnMat &own, bool rows, GridPlaces *places, std::vector<OtherEntry> *others)
{
  DM                     dm;
  GridPart               part;
  ISLocalToGlobalMapping map;

  PetscFunctionBegin;
  PetscCall(MatGetDM(A, &dm));
  if (!dm || !is_type(dm, DMDA)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(part.read(dm));
  if (part.dof % own.bs || (PetscInt64)part.dof * part.points[0] * part.points[1] * part.points[2] != A->rmap->n) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt each = part.dof / own.bs; /* nodes of the matrix to a point of the grid */
  PetscCall(DMGetLocalToGlobalMapping(dm, &map));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &part.number));
  PetscErrorCode failed = Guarded([&] {
    std::set<PetscInt> of_points, of_nodes;

    places->known = true;
    if (rows) part.find_rows(A->cmap->rstart, A->cmap->rend, places);
    else find_offsets(part.points, part.width, part.boundary, part.star, of_points);
    for (PetscInt o : of_points)
      for (PetscInt within = 1 - each; within < each; within++) of_nodes.insert(o * each + within);
    places->offset.assign(of_nodes.begin(), of_nodes.end());
    if (A->rmap->size == 1) return;
    part.for_each_pair_at_surface([&](PetscInt p, PetscInt q) {
      const PetscInt row = part.number[p * part.dof], col = part.number[q * part.dof];

      if (col < 0 || (col >= A->cmap->rstart && col < A->cmap->rend)) return;
      for (PetscInt r = 0; r < part.dof; r++)
        for (PetscInt c = 0; c < part.dof; c++) others->push_back({row + r, col + c, 0});
    });
  });
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &part.number));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
