/* The object GozaAssembly: what it is given, and the step from there to a mesh and its maps. */
#include "assembly.hpp"
#include "core/algorithm.hpp"
#include "goza.hpp"
#include "surface.hpp"
#include <algorithm>

namespace goza
{

PetscErrorCode AgreeOnFailure(MPI_Comm comm, PetscErrorCode here)
{
  PetscMPIInt mine = here != PETSC_SUCCESS, any;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm));
  PetscCall(here);
  PetscCheck(!any, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Another rank could not set up its part of the assembly");
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

/* Which elements are needed here, and their nodes' numbers: owned ones in the order of the matrix, ghosts ascending. */
PetscErrorCode NumberNodes(GozaAssembly a)
{
  const PetscInt n = a->corners();
  PetscInt       end, start;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&a->nowned, &end, 1, MPIU_INT, MPI_SUM, a->comm));
  start = end - a->nowned;
  PetscCallCXX(a->number.assign(a->nnodes, -1));
  PetscCallCXX(a->elements.clear());
  PetscCallCXX(a->ghosts.clear());
  PetscInt mine = 0;
  for (PetscInt k = 0; k < a->nnodes; k++) {
    if (a->global[k] >= start && a->global[k] < end) {
      a->number[k] = a->global[k] - start;
      mine++;
    }
  }
  PetscCheck(mine == a->nowned, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "%" PetscInt_FMT " nodes are owned, but %" PetscInt_FMT " of the nodes given have their global numbers", a->nowned, mine);
  for (PetscInt e = 0; e < a->nelem; e++) {
    const PetscInt *c    = a->conn.data() + (std::size_t)e * n;
    bool            here = false;

    for (PetscInt b = 0; b < n; b++) {
      PetscCheck(c[b] >= 0 && c[b] < a->nnodes, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Element %" PetscInt_FMT ": its corner %" PetscInt_FMT " is node %" PetscInt_FMT " of %" PetscInt_FMT, e, b, c[b], a->nnodes);
      here = here || (a->global[c[b]] >= start && a->global[c[b]] < end);
    }
    if (!here) continue;
    PetscCallCXX(a->elements.push_back(e));
    for (PetscInt b = 0; b < n; b++) {
      if (a->number[c[b]] < 0) PetscCallCXX(a->ghosts.push_back(a->global[c[b]]));
    }
  }
  std::sort(a->ghosts.begin(), a->ghosts.end());
  a->ghosts.erase(std::unique(a->ghosts.begin(), a->ghosts.end()), a->ghosts.end());
  for (PetscInt k = 0; k < a->nnodes; k++) {
    if (a->number[k] >= 0) continue;
    const auto at = std::lower_bound(a->ghosts.begin(), a->ghosts.end(), a->global[k]);

    if (at != a->ghosts.end() && *at == a->global[k]) a->number[k] = a->nowned + (PetscInt)(at - a->ghosts.begin());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeMesh(GozaAssembly a, Mesh *mesh)
{
  const PetscInt n = a->corners();

  PetscFunctionBegin;
  PetscCall(NumberNodes(a));
  PetscCall(Guarded([&] {
    std::vector<PetscInt>  conn(a->elements.size() * n);
    std::vector<PetscReal> x((std::size_t)3 * (a->nowned + a->ghosts.size()));

    for (std::size_t k = 0; k < a->elements.size(); k++) {
      for (PetscInt b = 0; b < n; b++) conn[k * n + b] = a->number[a->conn[(std::size_t)a->elements[k] * n + b]];
    }
    for (PetscInt k = 0; k < a->nnodes; k++) {
      if (a->number[k] >= 0) std::copy_n(a->x.data() + (std::size_t)3 * k, 3, x.data() + (std::size_t)3 * a->number[k]);
    }
    mesh->kind  = a->type == GOZA_HEX8 ? ElementKind::Hex8 : ElementKind::Tet4;
    mesh->nelem = (PetscInt)a->elements.size();
    mesh->owned = a->nowned;
    mesh->nodes = a->nowned + (PetscInt)a->ghosts.size();
    mesh->conn  = Array<PetscInt>(a->space, conn.data(), conn.size());
    mesh->x     = Array<PetscReal>(a->space, x.data(), x.size());
  }));
  if (a->space == Space::Cuda) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(mesh->conn.bytes() + mesh->x.bytes())));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RefuseBadElements(GozaAssembly a, const Mesh &mesh)
{
  std::vector<PetscInt> bad;
  std::string           list;

  PetscFunctionBegin;
  PetscCall(Guarded([&] { bad = bad_elements(mesh).to_host(); }));
  if (bad.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  for (std::size_t k = 0; k < bad.size() && k < 5; k++) PetscCallCXX(list += (k ? ", " : "") + std::to_string(a->elements[bad[k]]));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "%d element%s inverted or flat: number %s%s", (int)bad.size(), bad.size() > 1 ? "s are" : " is", list.c_str(), bad.size() > 5 ? ", ..." : "");
}

PetscErrorCode SetUpMesh(GozaAssembly a)
{
  Mesh        mesh;
  AssemblyMap map;

  PetscFunctionBegin;
  PetscCheck(a->nelem >= 0, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call GozaAssemblySetDM() or GozaAssemblySetElements() first");
  PetscCheck((PetscInt64)a->nelem * a->corners() < PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " elements of %d nodes are more than this PETSc's integers can count: use 64-bit indices or more ranks", a->nelem, a->corners());
  PetscCall(MakeMesh(a, &mesh));
  PetscCall(RefuseBadElements(a, mesh));
  PetscCall(Guarded([&] { map = make_assembly_map(a->problem(), mesh, Layout::Csr); }));
  PetscCheck((PetscInt64)map.pairs() * a->bs * a->bs < PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "A matrix of %" PetscInt64_FMT " nonzeros on one rank is more than this PETSc's integers can count: use 64-bit indices or more ranks",
             (PetscInt64)map.pairs() * a->bs * a->bs);
  a->mesh = std::move(mesh); // only now: a failure above leaves what was there
  a->map  = std::move(map);
  a->host_ptr.clear();
  a->host_col.clear();
  a->mat_id = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The engineer's constants into the equation's. */
PetscErrorCode SetUpMaterial(GozaAssembly a)
{
  std::vector<PetscReal> m;

  PetscFunctionBegin;
  PetscCheck((PetscInt)a->first.size() == a->nelem, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call GozaAssemblySetMaterial() after the elements are set");
  PetscCallCXX(m.resize(2 * a->elements.size()));
  for (std::size_t k = 0; k < a->elements.size(); k++) {
    const PetscInt  e = a->elements[k];
    const PetscReal E = a->first[e];

    if (a->equation == GOZA_ELASTICITY) {
      const PetscReal nu = a->second[e];

      PetscCheck(E > 0 && !PetscIsInfOrNanReal(E), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Element %" PetscInt_FMT ": Young's modulus %g is not positive", e, (double)E);
      PetscCheck(nu > -1 && nu < 0.5, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Element %" PetscInt_FMT ": Poisson's ratio %g is not between -1 and 0.5 (at 0.5 the material is incompressible, and displacements alone cannot describe it)", e, (double)nu);
      m[2 * k]     = E * nu / ((1 + nu) * (1 - 2 * nu));
      m[2 * k + 1] = E / (2 * (1 + nu));
    } else {
      PetscCheck(!PetscIsInfOrNanReal(E), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Element %" PetscInt_FMT ": its coefficient is not a number", e);
      m[2 * k] = m[2 * k + 1] = E;
    }
  }
  PetscCall(Guarded([&] { a->mesh.material = Array<PetscReal>(a->space, m.data(), m.size()); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetUpGiven(GozaAssembly a)
{
  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    std::vector<unsigned char> bits(a->given.empty() ? 0 : a->mesh.nodes, 0);

    for (PetscInt k = 0; !bits.empty() && k < a->nnodes; k++) {
      for (PetscInt r = 0; a->number[k] >= 0 && r < a->bs; r++) bits[a->number[k]] |= (unsigned char)(a->given[(std::size_t)k * a->bs + r] << r);
    }
    a->mesh.fixed = Array<unsigned char>(a->space, bits.data(), bits.size());
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace
} // namespace goza

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
  equal bits. The work is done where `-goza_device` says, if this PETSc has CUDA; else on the host.

  The problem and the steps are those of paper P4 (Nakajima 2016).

.seealso: `GozaAssemblySetDM()`, `GozaAssemblySetElements()`, `GozaAssemblySetEquation()`, `GozaAssemblyMatrix()`
@*/
PetscErrorCode GozaAssemblyCreate(MPI_Comm comm, GozaAssembly *assembly)
{
  GozaAssembly a;

  PetscFunctionBegin;
  PetscCall(GozaInitializePackage());
  PetscCallCXX(a = new _n_GozaAssembly);
  a->space = petsc_on_device() ? Space::Cuda : Space::Host;
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
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PetscInfo(NULL, "%" PetscInt_FMT " elements, %" PetscInt_FMT " nodes, %" PetscInt_FMT " of them owned\n", nelem, nnodes, nowned));
  PetscCallMPI(MPI_Comm_size(a->comm, &size));
  PetscCheck(type == GOZA_HEX8 || type == GOZA_TET4, a->comm, PETSC_ERR_SUP, "Element type %d is not known: GOZA_HEX8 (hexahedra) and GOZA_TET4 (tetrahedra) are", (int)type);
  PetscCheck(nelem >= 0 && nnodes >= 0 && nowned >= 0 && nowned <= nnodes, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " elements, %" PetscInt_FMT " nodes, %" PetscInt_FMT " of them owned", nelem, nnodes, nowned);
  PetscCheck(global || (size == 1 && nowned == nnodes), a->comm, PETSC_ERR_ARG_WRONG, "On several ranks the nodes' global numbers must be given");
  a->type   = type;
  a->nelem  = nelem;
  a->nnodes = nnodes;
  a->nowned = nowned;
  PetscCallCXX(a->conn.assign(conn, conn + (std::size_t)nelem * a->corners()));
  PetscCallCXX(a->x.assign(x, x + (std::size_t)3 * nnodes));
  PetscCallCXX(a->global.resize(nnodes));
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

/*@
  GozaAssemblySetUp - Does the symbolic phase: checks the elements, finds the pattern and where each value of an element matrix goes

  Collective

  Input Parameter:
. assembly - the object

  Level: intermediate

  Notes:
  Called by the functions that need it; what has not changed is not done again. Errors name the elements that are inverted or flat and the materials that are out
  of range; the object then is as it was before. If device memory does not suffice, the error has the figures.

.seealso: `GozaAssemblyMatrix()`, `GozaAssemblyCreateMatrix()`
@*/
PetscErrorCode GozaAssemblySetUp(GozaAssembly a)
{
  PetscMPIInt    mine[2] = {a->mesh_stale, a->material_stale || a->given_stale}, any[2];
  PetscErrorCode failed  = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, a->comm));
  if (!any[0] && !any[1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(events.symbolic, 0, 0, 0, 0));
  PetscCall(use_petsc_stream());
  if (any[0]) {
    failed = SetUpMesh(a);
    PetscCall(AgreeOnFailure(a->comm, failed));
    a->mesh_stale     = false;
    a->material_stale = a->given_stale = true;
  }
  if (a->material_stale) failed = SetUpMaterial(a);
  if (!failed && a->given_stale) failed = SetUpGiven(a);
  PetscCall(AgreeOnFailure(a->comm, failed));
  a->material_stale = a->given_stale = false;
  PetscCall(PetscLogEventEnd(events.symbolic, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
