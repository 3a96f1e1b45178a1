/* What a GozaAssembly holds. Inputs are kept as they were given, in the caller's numbering of nodes and elements, until GozaAssemblySetUp() makes the mesh and
   the maps from them; `stale` says what it has to make anew. */
#pragma once
#include "petsc/errors.hpp"
#include "assembly/kernels/numeric.hpp"
#include "petscgoza.h"

struct _n_GozaAssembly {
  MPI_Comm    comm = MPI_COMM_NULL;
  goza::Space space;
  DM          dm = NULL;

  /* as given: nodes in local numbering, ghosts among them */
  GozaElementType          type     = GOZA_HEX8;
  GozaEquation             equation = GOZA_DIFFUSION;
  PetscInt                 bs = 1, nelem = -1, nnodes = 0, nowned = 0;
  std::vector<PetscInt>    conn;          // [nelem][corners]
  std::vector<PetscReal>   x;             // [nnodes][3]
  std::vector<PetscInt>    global;        // [nnodes] number in the whole mesh, the ranks' own ones consecutive
  std::vector<PetscReal>   first, second; // [nelem] materials
  std::vector<PetscReal>   force;         // [nelem][bs] or none
  std::vector<PetscScalar> load;          // [nnodes][bs] or none: of surfaces
  std::vector<char>        given;         // [nnodes][bs] or none
  std::vector<PetscScalar> value;         // [nnodes][bs]

  /* made of it */
  bool                  mesh_stale = true, material_stale = true, given_stale = true;
  std::vector<PetscInt> number;   // [nnodes] of a node in the mesh below, -1: not on this rank's rows
  std::vector<PetscInt> elements; // [mesh.nelem] as given
  std::vector<PetscInt> ghosts;   // global numbers of the mesh's ghosts
  goza::Mesh            mesh;
  goza::AssemblyMap     map;
  std::vector<PetscInt> host_ptr, host_col; // the map's pattern on the host, made when it is asked for

  /* the matrix that the places below are for */
  PetscObjectId         mat_id         = 0;
  PetscObjectState      mat_pattern[2] = {-1, -1};
  goza::Array<PetscInt> row_ptr, row_ptr_other, from;
  PetscInt              nnz[2] = {0, 0};

  goza::Problem problem() const { return {static_cast<goza::EquationKind>(equation), static_cast<int>(bs)}; }
  int           corners() const { return type == GOZA_HEX8 ? 8 : 4; }
};

namespace goza::assembly
{

/* Errors where this PETSc's integers cannot count what a rank has: asked before anything is made or copied. corners: of an element; pairs: of nodes */
PetscErrorCode CheckMeshSize(PetscInt64 elements, PetscInt64 corners, PetscInt64 nodes, PetscInt64 bs);
PetscErrorCode CheckMatrixSize(PetscInt64 pairs, PetscInt64 bs);

/* A failure here becomes one on every rank, which nobody then waits for. */
PetscErrorCode AgreeOnFailure(MPI_Comm comm, PetscErrorCode here);

} // namespace goza::assembly
