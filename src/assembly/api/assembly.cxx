/* The object GozaAssembly and what it is given. */
#include "assembly.hpp"
#include "petsc/plugin.hpp"
#include "assembly/mesh/surface.hpp"
#include <algorithm>

namespace goza::assembly
{

namespace
{

PetscErrorCode CheckCount(PetscInt64 n, const char *what)
{
  PetscFunctionBegin;
  PetscCheck(n < PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt64_FMT " %s on one rank are more than this PETSc's integers can count: use 64-bit indices or more ranks", n, what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode CheckMeshSize(PetscInt64 elements, PetscInt64 corners, PetscInt64 nodes, PetscInt64 bs)
{
  PetscFunctionBegin;
  PetscCall(CheckCount(elements * corners, "corners of elements"));
  PetscCall(CheckCount(nodes * bs, "unknowns"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckMatrixSize(PetscInt64 pairs, PetscInt64 bs)
{
  PetscFunctionBegin;
  PetscCall(CheckCount(pairs * bs * bs, "nonzeros"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::assembly

using namespace goza;

/*@
  GozaAssemblyCreate - Creates an object that assembles finite-element matrices and right-hand sides, on the host or on a GPU

  Collective

  Input Parameter:
. comm - the ranks that share the mesh

  Output Parameter:
. assembly - the new object

  Level: beginner

  Notes:
  The pattern of the mesh (who neighbours whom, and where each value goes) is found once, by `GozaAssemblySetUp()`; `GozaAssemblyMatrix()` then computes values only. Every value
  of the matrix is written exactly once, by the owner of its row: no element matrices are kept in memory, and nothing is added atomically, so that equal input gives
  equal bits. The work is done where `-goza_device` says; with a PETSc without CUDA the values are then copied to its matrix on the host.

  The problem and the steps are those of paper P4 (Nakajima 2016).

.seealso: `GozaAssemblySetDM()`, `GozaAssemblySetElements()`, `GozaAssemblySetEquation()`, `GozaAssemblyMatrix()`
@*/
PetscErrorCode GozaAssemblyCreate(MPI_Comm comm, GozaAssembly *assembly)
{
  GozaAssembly a;

  PetscFunctionBegin;
  PetscCall(GozaInitializePackage());
  PetscCallCXX(a = new _n_GozaAssembly);
  a->space = default_space();
  PetscCall(PetscCommDuplicate(comm, &a->comm, NULL));
  *assembly = a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyDestroy - Destroys an assembly object; matrices that it made or filled live on

  Collective

  Input Parameter:
. assembly - the object

  Level: beginner

.seealso: `GozaAssemblyCreate()`
@*/
PetscErrorCode GozaAssemblyDestroy(GozaAssembly *assembly)
{
  PetscFunctionBegin;
  if (!*assembly) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCommDestroy(&(*assembly)->comm));
  PetscCall(DMDestroy(&(*assembly)->dm));
  delete *assembly;
  *assembly = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetEquation - Sets what is assembled

  Logically Collective

  Input Parameters:
+ assembly - the object
. equation - `GOZA_DIFFUSION`, `GOZA_ELASTICITY` or `GOZA_MASS`
- bs       - unknowns of a node: 1, 3, and 1 or 3

  Level: beginner

  Note:
  Set before the elements.

.seealso: `GozaAssemblyCreate()`, `GozaAssemblySetMaterial()`
@*/
PetscErrorCode GozaAssemblySetEquation(GozaAssembly a, GozaEquation equation, PetscInt bs)
{
  PetscFunctionBegin;
  PetscCheck(equation >= GOZA_DIFFUSION && equation <= GOZA_MASS, a->comm, PETSC_ERR_ARG_OUTOFRANGE, "GozaEquation %d is not GOZA_DIFFUSION, GOZA_ELASTICITY or GOZA_MASS", (int)equation);
  PetscCheck(equation == GOZA_MASS ? bs == 1 || bs == 3 : bs == (equation == GOZA_ELASTICITY ? 3 : 1), a->comm, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " unknowns a node do not go with this equation: diffusion has 1, elasticity 3, mass 1 or 3", bs);
  PetscCheck(a->nelem < 0 || bs == a->bs, a->comm, PETSC_ERR_ORDER, "Set the equation before the elements: they were set for %" PetscInt_FMT " unknowns a node", a->bs);
  a->equation       = equation;
  a->bs             = bs;
  a->material_stale = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetElements - Gives the mesh as arrays

  Collective

  Input Parameters:
+ assembly - the object
. type     - the kind of all elements
. nelem    - number of elements on this rank: all that touch one of its own nodes; further ones are ignored
. conn     - their corners, nelem * 8 or nelem * 4 local numbers of nodes
. nnodes   - number of nodes on this rank, those of other ranks included
. x        - their coordinates, 3 * nnodes, in the caller's unit of length
. nowned   - how many of them are this rank's
- global   - their global numbers, this rank's own ones following those of the ranks before it; `NULL` on one rank: the local ones

  Level: intermediate

  Notes:
  The arrays are copied. The matrix's rows are in the order of the global numbers. An inverted or flat element is an error of `GozaAssemblySetUp()` that names it.

.seealso: `GozaAssemblySetDM()`, `GozaAssemblyGetElements()`
@*/
PetscErrorCode GozaAssemblySetElements(GozaAssembly a, GozaElementType type, PetscInt nelem, const PetscInt conn[], PetscInt nnodes, const PetscReal x[], PetscInt nowned, const PetscInt global[])
{
  PetscMPIInt            size;
  std::vector<PetscInt>  corners, numbers;
  std::vector<PetscReal> coordinates;

  PetscFunctionBegin;
  PetscCall(PetscInfo(NULL, "%" PetscInt_FMT " elements, %" PetscInt_FMT " nodes, %" PetscInt_FMT " of them owned\n", nelem, nnodes, nowned));
  PetscCallMPI(MPI_Comm_size(a->comm, &size));
  PetscCheck(type == GOZA_HEX8 || type == GOZA_TET4, a->comm, PETSC_ERR_SUP, "Element type %d is not known: GOZA_HEX8 (hexahedra) and GOZA_TET4 (tetrahedra) are", (int)type);
  PetscCheck(nelem >= 0 && nnodes >= 0 && nowned >= 0 && nowned <= nnodes, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " elements, %" PetscInt_FMT " nodes, %" PetscInt_FMT " of them owned", nelem, nnodes, nowned);
  PetscCheck(global || (size == 1 && nowned == nnodes), a->comm, PETSC_ERR_ARG_WRONG, "On several ranks the nodes' global numbers must be given");
  PetscCall(CheckMeshSize(nelem, type == GOZA_HEX8 ? 8 : 4, nnodes, a->bs));
  PetscCall(AgreeOnFailure(a->comm, Guarded([&] {
                             corners.assign(conn, conn + (std::size_t)nelem * (type == GOZA_HEX8 ? 8 : 4));
                             coordinates.assign(x, x + (std::size_t)3 * nnodes);
                             numbers.resize(nnodes);
                           })));
  a->type   = type;
  a->nelem  = nelem;
  a->nnodes = nnodes;
  a->nowned = nowned;
  a->conn.swap(corners);
  a->x.swap(coordinates);
  a->global.swap(numbers);
  for (PetscInt k = 0; k < nnodes; k++) a->global[k] = global ? global[k] : k;
  a->first.clear();
  a->second.clear();
  a->force.clear();
  a->load.clear();
  a->given.clear();
  a->mesh_stale = a->material_stale = a->given_stale = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  GozaAssemblyGetElements - Gets the elements of this rank, to give them materials and forces

  Not Collective

  Input Parameter:
. assembly - the object

  Output Parameters:
+ type   - the kind of the elements
. nelem  - their number
. conn   - their corners, as local numbers of nodes
. nnodes - number of nodes
- x      - their coordinates, 3 * nnodes

  Level: intermediate

  Note:
  Outputs that are not wanted may be `NULL`. After `GozaAssemblySetDM()`, node k is the node of entries bs * k and following of a local vector of the `DM`.

.seealso: `GozaAssemblySetElements()`, `GozaAssemblySetDM()`
@*/
PetscErrorCode GozaAssemblyGetElements(GozaAssembly a, GozaElementType *type, PetscInt *nelem, const PetscInt *conn[], PetscInt *nnodes, const PetscReal *x[])
{
  PetscFunctionBegin;
  PetscCheck(a->nelem >= 0, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call GozaAssemblySetDM() or GozaAssemblySetElements() first");
  if (type) *type = a->type;
  if (nelem) *nelem = a->nelem;
  if (conn) *conn = a->conn.data();
  if (nnodes) *nnodes = a->nnodes;
  if (x) *x = a->x.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetMaterial - Sets the material of every element

  Logically Collective

  Input Parameters:
+ assembly - the object
. first    - nelem values: the coefficient k (diffusion), Young's modulus (elasticity; the caller's unit of stress) or the density (mass)
- second   - nelem values of Poisson's ratio, below 0.5; elasticity only, else `NULL`

  Level: beginner

  Note:
  May be called again: the next `GozaAssemblyMatrix()` then puts new values into the same pattern.

.seealso: `GozaAssemblyGetElements()`, `GozaAssemblyMatrix()`
@*/
PetscErrorCode GozaAssemblySetMaterial(GozaAssembly a, const PetscReal first[], const PetscReal second[])
{
  PetscFunctionBegin;
  PetscCheck(a->nelem >= 0, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call GozaAssemblySetDM() or GozaAssemblySetElements() first");
  PetscCheck(a->equation != GOZA_ELASTICITY || second || !a->nelem, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "Elasticity needs Poisson's ratio of every element");
  PetscCallCXX(a->first.assign(first, first + a->nelem));
  if (second) PetscCallCXX(a->second.assign(second, second + a->nelem));
  a->material_stale = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetDirichlet - Says which unknowns are given, and their values

  Logically Collective

  Input Parameters:
+ assembly - the object
. given    - nnodes * bs flags, for the nodes of this rank, those of other ranks included; `NULL`: nothing is given
- value    - their values; `NULL`: zero

  Level: beginner

  Note:
  Rows and columns of a given unknown are zero in the matrix but for the diagonal entry, which keeps the size of its neighbours', so that the matrix stays symmetric
  positive definite; the right-hand side has what belongs to that. All ranks that hold a node must say the same of it.

.seealso: `GozaAssemblyMatrix()`, `GozaAssemblyRHS()`
@*/
PetscErrorCode GozaAssemblySetDirichlet(GozaAssembly a, const PetscBool given[], const PetscScalar value[])
{
  const std::size_t n = (std::size_t)a->nnodes * a->bs;

  PetscFunctionBegin;
  PetscCheck(a->nelem >= 0, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call GozaAssemblySetDM() or GozaAssemblySetElements() first");
  PetscCallCXX(a->given.assign(given ? n : 0, 0));
  PetscCallCXX(a->value.assign(n, 0));
  for (std::size_t k = 0; given && k < n; k++) {
    a->given[k] = given[k] ? 1 : 0;
    if (given[k] && value) a->value[k] = value[k];
  }
  a->given_stale = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetForce - Sets the force (or source) in a unit volume of every element

  Logically Collective

  Input Parameters:
+ assembly - the object
- force    - nelem * bs values, or `NULL` for none

  Level: beginner

.seealso: `GozaAssemblyRHS()`, `GozaAssemblySetTraction()`
@*/
PetscErrorCode GozaAssemblySetForce(GozaAssembly a, const PetscReal force[])
{
  PetscFunctionBegin;
  PetscCheck(a->nelem >= 0, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call GozaAssemblySetDM() or GozaAssemblySetElements() first");
  if (force) PetscCallCXX(a->force.assign(force, force + (std::size_t)a->nelem * a->bs));
  else a->force.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetTraction - Sets the force (or flux) on a unit area of faces: the Neumann boundary

  Logically Collective

  Input Parameters:
+ assembly - the object
. nfaces   - number of faces on this rank: all that touch one of its own nodes
. corners  - 3 (triangles) or 4 (quadrilaterals, their corners in turn around the face)
. faces    - their corners, as local numbers of nodes
- traction - nfaces * bs values

  Level: beginner

  Note:
  Faces without a traction have none: the natural boundary condition.

.seealso: `GozaAssemblyRHS()`, `GozaAssemblySetForce()`
@*/
PetscErrorCode GozaAssemblySetTraction(GozaAssembly a, PetscInt nfaces, PetscInt corners, const PetscInt faces[], const PetscReal traction[])
{
  PetscFunctionBegin;
  PetscCheck(a->nelem >= 0, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call GozaAssemblySetDM() or GozaAssemblySetElements() first");
  PetscCheck(corners == 3 || corners == 4, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "A face has 3 or 4 corners, not %" PetscInt_FMT, corners);
  PetscCallCXX(a->load.assign((std::size_t)a->nnodes * a->bs, 0));
  for (PetscInt f = 0; f < nfaces; f++) {
    PetscReal weight[4];

    for (PetscInt b = 0; b < corners; b++) {
      const PetscInt node = faces[(std::size_t)f * corners + b];

      PetscCheck(node >= 0 && node < a->nnodes, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Face %" PetscInt_FMT ": its corner %" PetscInt_FMT " is node %" PetscInt_FMT " of %" PetscInt_FMT, f, b, node, a->nnodes);
    }
    surface_weights(a->x.data(), corners, faces + (std::size_t)f * corners, weight);
    for (PetscInt b = 0; b < corners; b++) {
      for (PetscInt r = 0; r < a->bs; r++)
        a->load[(std::size_t)faces[(std::size_t)f * corners + b] * a->bs + r] += weight[b] * traction[(std::size_t)f * a->bs + r];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
