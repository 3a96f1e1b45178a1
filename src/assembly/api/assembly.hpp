/* What a GozaAssembly holds. Inputs are kept as they were given, in the caller's numbering of nodes and elements, until GozaAssemblySetUp() makes the mesh, the
   maps and their copies in `space` from them; `stale` says what it has to make anew. New values of any input but the connectivity leave pattern and maps as
   they are. */
#pragma once
#include "assembly/kernels/numeric.hpp"
#include "parallel/halo.hpp"
#include "petsc/errors.hpp"
#include "petsc/plugin.hpp"
#include "petsc/vec_access.hpp"
#include "petscgoza.h"

namespace goza::assembly {

struct NoOps { };

struct AssemblyHeader {
  PETSCHEADER(NoOps);
};

struct AssemblyState {
  Space space = Space::Host;
  DM    dm    = NULL;

  /* as given: nodes in local numbering, ghosts among them */
  GozaElementType          type     = GOZA_HEX8;
  GozaEquation             equation = GOZA_DIFFUSION;
  PetscInt                 bs = 1, nelem = -1, nnodes = 0, nowned = 0;
  std::vector<PetscInt>    conn;          // [nelem][corners]
  std::vector<PetscReal>   x;             // [nnodes][3]
  std::vector<PetscInt>    global;        // [nnodes] number in the whole mesh, the ranks' own ones consecutive
  Array<PetscScalar>       first, second; // [nelem] materials, in `space`
  std::vector<PetscScalar> force;         // [nelem][bs] or none
  std::vector<PetscScalar> load;          // [nnodes][bs] or none: of surfaces
  std::vector<char>        given;         // [nnodes][bs] or none
  std::vector<PetscScalar> value;         // [nnodes][bs]

  /* made of it. plain: the mesh below has the caller's numbers, and number and elements are empty */
  bool                               mesh_stale = true, coordinates_stale = true, material_stale = true, given_stale = true, forces_stale = true;
  bool                               plain = false;
  std::vector<PetscInt>              number;        // [nnodes] of a node in the mesh below, -1: not on this rank's rows
  std::vector<PetscInt>              elements;      // [mesh.nelem] as given
  Array<PetscInt>                    element_index; // the same in `space`
  std::vector<PetscInt>              ghosts;        // global numbers of the mesh's ghosts
  Mesh                               mesh;
  AssemblyMap                        map;
  AssemblyMap                        grid_map; // for diagonals, where `map` is not for them and the mesh is a grid; looked for when it is asked for
  bool                               grid_looked_for = false;
  AssemblyMap                        tile_map;                     // for diagonals of any other mesh, made when it is asked for
  std::vector<PetscInt>              host_ptr, host_col;           // the map's pattern on the host, made when it is asked for
  std::vector<PetscInt>              offset;                       // how far apart the nodes of its pairs are, ascending, found when it is asked for
  bool                               offsets_fit = false;          // a matrix of these diagonals alone may hold them
  Array<PetscScalar>                 mesh_force;                   // [mesh.nelem][bs] or none
  Array<PetscScalar>                 mesh_load, mesh_value, local; // [owned][bs] or none, [mesh.nodes][bs] or none; a vector with its ghosts
  Stage                              staged_in, staged_out;        // of vectors that PETSc has elsewhere
  std::unique_ptr<Halo<PetscScalar>> halo;                         // of bs unknowns a node, kept as long as the mesh

  /* the matrix that the places below are for */
  PetscObjectId    mat_id         = 0;
  PetscObjectState mat_pattern[2] = {-1, -1};
  PetscObjectState own_state      = -1; // of a matrix of diagonals alone, when it was assembled last
  Array<PetscInt>  row_ptr, row_ptr_other, from;
  PetscInt         nnz[2] = {0, 0};

  Problem  problem() const { return {static_cast<EquationKind>(equation), static_cast<int>(bs)}; }
  int      corners() const { return type == GOZA_HEX8 ? 8 : 4; }
  PetscInt number_of(PetscInt node) const { return plain ? node : number[node]; }
  PetscInt given_as(PetscInt element) const { return plain ? element : elements[element]; } // of the mesh
};

/* The object that operations are asked for: an error where it is none. */
inline PetscErrorCode CheckAssembly(GozaAssembly a)
{
  PetscFunctionBegin;
  PetscCheck(a, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "Null GozaAssembly");
  PetscCheck(((PetscObject)a)->classid == GOZA_ASSEMBLY_CLASSID, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Not a GozaAssembly, or one that was destroyed");
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::assembly

struct _p_GozaAssembly : goza::assembly::AssemblyHeader, goza::assembly::AssemblyState { };

namespace goza::mat {
struct OwnKind;
} // namespace goza::mat

namespace goza::assembly {

/* Errors where this PETSc's integers cannot count what a rank has: asked before anything is made or copied. corners: of an element; pairs: of nodes */
PetscErrorCode CheckMeshSize(PetscInt64 elements, PetscInt64 corners, PetscInt64 nodes, PetscInt64 bs);
PetscErrorCode CheckMatrixSize(PetscInt64 pairs, PetscInt64 bs);

PetscErrorCode HostPattern(GozaAssembly a); // host_ptr and host_col are there

/* assembly_own.cxx: a matrix that is nothing but its format gets the mesh's places, and the values. KindToOwn: of which kind A, which is to get this type, is
   best made where its options leave that open; NULL: of none. Collective. */
PetscErrorCode KindToOwn(GozaAssembly a, Mat A, MatType type, const mat::OwnKind **kind);
PetscErrorCode SetOwnPattern(GozaAssembly a, Mat A);
PetscErrorCode WriteOwn(GozaAssembly a, Mat A);

/* assembly_baij.cxx: a matrix of blocks on the host, one for each pair of nodes. Collective. */
inline bool    is_blocks(Mat A) { return is_type(A, MATSEQBAIJ, MATMPIBAIJ); }
PetscErrorCode SetBlockPattern(GozaAssembly a, Mat A, PetscInt start);
PetscErrorCode WriteBlocks(GozaAssembly a, Mat A);

/* What has arrived of an array of the caller's is counted by PETSc's log where it came from the host. */
PetscErrorCode LogArrival(GozaAssembly a, const void *from, std::size_t bytes);

/* A failure here becomes one on every rank, which nobody then waits for. */
PetscErrorCode AgreeOnFailure(MPI_Comm comm, PetscErrorCode here);

} // namespace goza::assembly
