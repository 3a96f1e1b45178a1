/* A DM's local part as arrays of elements and nodes. */
#include "assembly.hpp"
#include <petscdmda.h>
#include <petscdmplex.h>

namespace goza::assembly {
namespace {

/* The six tetrahedra of a cube around its diagonal 0-7 (Kuhn): neighbours' triangles agree. */
void split_cube(const PetscInt cube[8], PetscInt tets[24])
{
  static const int path[6][2] = {{0, 1}, {1, 2}, {2, 0},
                                 {1, 0}, {2, 1}, {0, 2}}; // the first and second direction on the way from 0 to 7; the last three are odd

  for (int t = 0; t < 6; t++) {
    const int a = 1 << path[t][0], b = a | 1 << path[t][1];

    tets[4 * t]     = cube[0];
    tets[4 * t + 1] = cube[t < 3 ? a : b];
    tets[4 * t + 2] = cube[t < 3 ? b : a];
    tets[4 * t + 3] = cube[7];
  }
}

struct Arrays {
  GozaElementType        type = GOZA_HEX8;
  std::vector<PetscInt>  conn, global;
  std::vector<PetscReal> x;
  PetscInt               nowned = 0;
};

PetscErrorCode CheckUnknowns(PetscInt dof, PetscInt bs, MPI_Comm comm)
{
  PetscFunctionBegin;
  PetscCheck(dof == bs, comm, PETSC_ERR_ARG_INCOMP, "The DM has %" PetscInt_FMT " unknowns a node, the equation %" PetscInt_FMT, dof, bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckDMDA(DM da, PetscInt bs)
{
  const MPI_Comm  comm = comm_of(da);
  PetscInt        dim, dof, width;
  DMBoundaryType  boundary[3];
  DMDAStencilType stencil;

  PetscFunctionBegin;
  const PetscMPIInt size = ranks_of(comm);
  PetscCall(DMDAGetInfo(da, &dim, NULL, NULL, NULL, NULL, NULL, NULL, &dof, &width, &boundary[0], &boundary[1], &boundary[2], &stencil));
  PetscCheck(dim == 3, comm, PETSC_ERR_SUP, "The DMDA has %" PetscInt_FMT " dimensions; elements of 3 are known", dim);
  PetscCall(CheckUnknowns(dof, bs, comm));
  for (PetscInt d = 0; d < 3; d++)
    PetscCheck(boundary[d] == DM_BOUNDARY_NONE, comm, PETSC_ERR_SUP, "The DMDA is periodic or has ghosts beyond its boundary (%s); DM_BOUNDARY_NONE is known",
               DMBoundaryTypes[boundary[d]]);
  PetscCheck(size == 1 || (width >= 1 && stencil == DMDA_STENCIL_BOX), comm, PETSC_ERR_ARG_INCOMP,
             "On several ranks the DMDA needs DMDA_STENCIL_BOX of width 1: elements reach diagonally");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FromDMDA(DM da, PetscInt bs, Arrays *m)
{
  PetscInt               g[3], n[3], w[3];
  DMDAElementType        element;
  ISLocalToGlobalMapping l2g;
  const PetscInt        *index;
  Vec                    coordinates;
  const PetscScalar     *x;

  PetscFunctionBegin;
  PetscCall(CheckDMDA(da, bs));
  PetscCall(DMGetCoordinatesLocal(da, &coordinates));
  PetscCheck(coordinates, comm_of(da), PETSC_ERR_ARG_WRONGSTATE, "The DMDA has no coordinates: call DMDASetUniformCoordinates()");
  PetscCall(DMDAGetElementType(da, &element));
  PetscCall(DMDAGetGhostCorners(da, &g[0], &g[1], &g[2], &n[0], &n[1], &n[2]));
  PetscCall(DMDAGetCorners(da, NULL, NULL, NULL, &w[0], &w[1], &w[2]));
  m->type                 = element == DMDA_ELEMENT_P1 ? GOZA_TET4 : GOZA_HEX8;
  const std::size_t nodes = (std::size_t)n[0] * n[1] * n[2], cubes = (std::size_t)PetscMax(n[0] - 1, 0) * PetscMax(n[1] - 1, 0) * PetscMax(n[2] - 1, 0);
  PetscCall(CheckMeshSize((PetscInt64)cubes, m->type == GOZA_TET4 ? 24 : 8, (PetscInt64)nodes, bs));
  m->nowned = w[0] * w[1] * w[2];

  const PetscInt length = local_size(coordinates);
  PetscCheck((std::size_t)length == 3 * nodes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The DMDA's coordinates are of %" PetscInt_FMT " entries", length);
  PetscCall(Guarded([&] {
    m->x.resize(length);
    m->global.resize(nodes);
    m->conn.reserve((m->type == GOZA_TET4 ? 24 : 8) * cubes);
  }));
  PetscCall(VecGetArrayRead(coordinates, &x));
  std::transform(x, x + length, m->x.begin(), [](PetscScalar value) { return PetscRealPart(value); });
  PetscCall(VecRestoreArrayRead(coordinates, &x));

  PetscCall(DMGetLocalToGlobalMapping(da, &l2g));
  PetscCall(ISLocalToGlobalMappingGetIndices(l2g, &index));
  for (std::size_t k = 0; k < nodes; k++) m->global[k] = index[k * bs] / bs;
  PetscCall(ISLocalToGlobalMappingRestoreIndices(l2g, &index));

  for (PetscInt k = 0; k + 1 < n[2]; k++) {
    for (PetscInt j = 0; j + 1 < n[1]; j++) {
      for (PetscInt i = 0; i + 1 < n[0]; i++) {
        PetscInt cube[8], tets[24];

        for (PetscInt b = 0; b < 8; b++) cube[b] = i + (b & 1) + n[0] * (j + (b >> 1 & 1) + n[1] * (k + (b >> 2)));
        split_cube(cube, tets);
        if (m->type == GOZA_TET4) m->conn.insert(m->conn.end(), tets, tets + 24);
        else m->conn.insert(m->conn.end(), cube, cube + 8);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc orders the corners of a cell otherwise: turned, then (hexahedra) round each face instead of x fastest. */
PetscErrorCode CellCorners(DM dm, PetscInt cell, DMPolytopeType type, PetscInt vstart, PetscInt vend, PetscInt *corners)
{
  static const PetscInt tensor[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  PetscInt             *closure = NULL, npoints, n = 0, turned[8];

  PetscFunctionBegin;
  PetscCall(DMPlexGetTransitiveClosure(dm, cell, PETSC_TRUE, &npoints, &closure));
  for (PetscInt p = 0; p < npoints && n < 8; p++)
    if (closure[2 * p] >= vstart && closure[2 * p] < vend) turned[n++] = closure[2 * p];
  PetscCall(DMPlexRestoreTransitiveClosure(dm, cell, PETSC_TRUE, &npoints, &closure));
  PetscCall(DMPlexInvertCell(type, turned));
  for (PetscInt b = 0; b < n; b++) corners[b] = type == DM_POLYTOPE_HEXAHEDRON ? turned[tensor[b]] : turned[b];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What of a DMPlex says where unknowns and vertices are. */
struct PlexLayout {
  PetscInt     cstart, cend, vstart, vend, size_local, size_owned;
  PetscSection section, global, places; // places: of the coordinates
  Vec          coordinates;
};

/* Not collective: the section has bs unknowns a vertex, and no others. */
PetscErrorCode CheckSection(DM dm, PetscInt bs, const PlexLayout &plex)
{
  PetscInt pstart, pend;

  PetscFunctionBegin;
  PetscCheck(plex.section, comm_of(dm), PETSC_ERR_ARG_WRONGSTATE,
             "The DM has no section: set a field of %" PetscInt_FMT " unknowns a vertex (DMPlexCreateSection(), or PetscFECreateLagrange() of order 1)", bs);
  PetscCall(PetscSectionGetChart(plex.section, &pstart, &pend));
  for (PetscInt p = pstart; p < pend; p++) {
    PetscInt dof, fixed;

    PetscCall(PetscSectionGetDof(plex.section, p, &dof));
    PetscCall(PetscSectionGetConstraintDof(plex.section, p, &fixed));
    PetscCheck(dof == (p >= plex.vstart && p < plex.vend ? bs : 0), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "Point %" PetscInt_FMT " of the mesh has %" PetscInt_FMT " unknowns; vertices need %" PetscInt_FMT ", all else none", p, dof, bs);
    PetscCheck(!fixed, PETSC_COMM_SELF, PETSC_ERR_SUP, "The section constrains unknowns: give them to GozaAssemblySetDirichlet() instead");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVertices(const PlexLayout &plex, PetscInt bs, Arrays *m)
{
  const PetscScalar *x;

  PetscFunctionBegin;
  m->nowned = plex.size_owned / bs;
  PetscCall(Guarded([&] {
    m->x.resize((std::size_t)3 * plex.size_local / bs);
    m->global.resize(plex.size_local / bs);
  }));
  PetscCall(VecGetArrayRead(plex.coordinates, &x));
  for (PetscInt v = plex.vstart; v < plex.vend; v++) {
    PetscInt local, number, place;

    PetscCall(PetscSectionGetOffset(plex.section, v, &local));
    PetscCall(PetscSectionGetOffset(plex.global, v, &number));
    PetscCall(PetscSectionGetOffset(plex.places, v, &place));
    m->global[local / bs] = (number < 0 ? -(number + 1) : number) / bs;
    for (PetscInt d = 0; d < 3; d++) m->x[(std::size_t)3 * (local / bs) + d] = PetscRealPart(x[place + d]);
  }
  PetscCall(VecRestoreArrayRead(plex.coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElements(DM dm, PetscInt bs, const PlexLayout &plex, Arrays *m)
{
  const PetscInt nelements = plex.cend - plex.cstart;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < nelements; e++) {
    DMPolytopeType type;
    PetscInt       corners[8], local;

    PetscCall(DMPlexGetCellType(dm, plex.cstart + e, &type));
    PetscCheck(type == DM_POLYTOPE_HEXAHEDRON || type == DM_POLYTOPE_TETRAHEDRON, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Element %" PetscInt_FMT " is a %s; hexahedra and tetrahedra are known", e, DMPolytopeTypes[type]);
    if (!e) {
      m->type = type == DM_POLYTOPE_TETRAHEDRON ? GOZA_TET4 : GOZA_HEX8;
      PetscCall(CheckMeshSize(nelements, m->type == GOZA_TET4 ? 4 : 8, plex.size_local / bs, bs));
    }
    PetscCheck((type == DM_POLYTOPE_TETRAHEDRON) == (m->type == GOZA_TET4), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Element %" PetscInt_FMT " is a %s, but element 0 is not: all elements must be of one kind", e, DMPolytopeTypes[type]);
    PetscCall(CellCorners(dm, plex.cstart + e, type, plex.vstart, plex.vend, corners));
    for (PetscInt b = 0; b < (m->type == GOZA_TET4 ? 4 : 8); b++) {
      PetscCall(PetscSectionGetOffset(plex.section, corners[b], &local));
      PetscCall(Guarded([&] { m->conn.push_back(local / bs); }));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FromPlex(DM dm, PetscInt bs, Arrays *m)
{
  const MPI_Comm comm = comm_of(dm);
  PetscInt       dim, overlap;
  PlexLayout     plex;

  PetscFunctionBegin;
  const PetscMPIInt size = ranks_of(comm);
  PetscCall(DMGetCoordinateDim(dm, &dim));
  PetscCheck(dim == 3, comm, PETSC_ERR_SUP, "The mesh lies in %" PetscInt_FMT " dimensions; elements of 3 are known", dim);
  PetscCall(DMPlexGetOverlap(dm, &overlap));
  PetscCheck(size == 1 || overlap >= 1, comm, PETSC_ERR_ARG_WRONGSTATE,
             "A rank needs every element of its nodes: distribute the mesh with an overlap of 1 (-dm_distribute_overlap 1, or DMPlexDistributeOverlap())");
  PetscCall(DMPlexGetHeightStratum(dm, 0, &plex.cstart, &plex.cend));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &plex.vstart, &plex.vend));
  PetscCall(DMGetLocalSection(dm, &plex.section));
  PetscCall(DMGetGlobalSection(dm, &plex.global));
  PetscCall(DMGetCoordinatesLocal(dm, &plex.coordinates));
  PetscCall(DMGetCoordinateSection(dm, &plex.places));
  /* from here on nothing is collective: an error may be one rank's only */
  PetscCall(CheckSection(dm, bs, plex));
  PetscCall(PetscSectionGetStorageSize(plex.section, &plex.size_local));
  PetscCall(PetscSectionGetConstrainedStorageSize(plex.global, &plex.size_owned)); // the points of others have negative sizes, and do not count
  PetscCall(PlexVertices(plex, bs, m));
  PetscCall(PlexElements(dm, bs, plex, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace
} // namespace goza::assembly

using namespace goza;

/*@
  GozaAssemblySetDM - Takes the mesh from a `DM`

  Collective

  Input Parameters:
+ assembly - the object, its equation set
- dm       - a `DMDA` in 3 dimensions with coordinates, or a `DMPLEX` of hexahedra or tetrahedra, with the unknowns at the vertices

  Level: beginner

  Notes:
  A `DMDA` of `DMDA_ELEMENT_Q1` gives hexahedra, one of `DMDA_ELEMENT_P1` six tetrahedra to each. Element e of a rank is the e-th of its ghosted box, x fastest
  (tetrahedra: 6 e to 6 e + 5); of a `DMPLEX`, the e-th cell. Nodes are numbered as in local vectors. On several ranks a `DMDA` needs a box stencil of width 1,
  a `DMPLEX` an overlap of 1.

.seealso: `GozaAssemblySetEquation()`, `GozaAssemblyGetElements()`, `GozaAssemblySetElements()`
@*/
PetscErrorCode GozaAssemblySetDM(GozaAssembly a, DM dm)
{
  Arrays m;

  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(CheckObject(dm, DM_CLASSID, "DM", 2));
  const bool da = is_type(dm, DMDA);
  PetscCheck(da || is_type(dm, DMPLEX), comm_of(a), PETSC_ERR_SUP, "DM type %s: DMDA and DMPLEX are known", ((PetscObject)dm)->type_name);
  PetscCall(AgreeOnFailure(comm_of(a), da ? FromDMDA(dm, a->bs, &m) : FromPlex(dm, a->bs, &m)));
  PetscCall(PetscObjectReference((PetscObject)dm)); // it may be that of before
  const PetscErrorCode failed = GozaAssemblySetElements(a, m.type, (PetscInt)(m.conn.size() / (m.type == GOZA_TET4 ? 4 : 8)), m.conn.data(),
                                                        (PetscInt)m.global.size(), m.x.data(), m.nowned, m.global.data());
  PetscCall(DMDestroy(failed ? &dm : &a->dm));
  PetscCall(failed);
  a->dm = dm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyGetDM - Gets the mesh that `GozaAssemblySetDM()` was given last, NULL where there is none

  Not Collective

  Level: intermediate
@*/
PetscErrorCode GozaAssemblyGetDM(GozaAssembly a, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(CheckPointer(dm, 2));
  *dm = a->dm;
  PetscFunctionReturn(PETSC_SUCCESS);
}
