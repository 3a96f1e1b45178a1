/* The object GozaAssembly and what it is given. */
#include "assembly.hpp"

const char *const GozaElementTypes[] = {"hex8", "tet4", "GozaElementType", "GOZA_", NULL};
const char *const GozaEquations[]    = {"diffusion", "elasticity", "mass", "GozaEquation", "GOZA_", NULL};

namespace goza::assembly {

/* each times n: compared without their product, which 64 bits may not hold */
static PetscErrorCode CheckCount(PetscInt64 n, PetscInt64 each, const char *what)
{
  PetscFunctionBegin;
  PetscCheck(n <= (PETSC_MAX_INT - 1) / each, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%.0f %s on one rank are more than this PETSc's integers can count: use 64-bit indices or more ranks", (double)n * (double)each, what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckMeshSize(PetscInt64 elements, PetscInt64 corners, PetscInt64 nodes, PetscInt64 bs)
{
  PetscFunctionBegin;
  PetscCall(CheckCount(elements, corners, "corners of elements"));
  PetscCall(CheckCount(nodes, bs, "unknowns"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckMatrixSize(PetscInt64 pairs, PetscInt64 bs) { return CheckCount(pairs, bs * bs, "nonzeros"); }

/* Of one rank, in the order of GozaAssemblySetElements() */
static PetscErrorCode CheckElements(GozaAssembly a, GozaElementType type, PetscInt nelem, const PetscInt *conn, PetscInt nnodes, const PetscReal *x,
                                    PetscInt nowned, const PetscInt *global)
{
  PetscFunctionBegin;
  PetscCheck(type == GOZA_HEX8 || type == GOZA_TET4, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Element type %d is not known: GOZA_HEX8 (hexahedra) and GOZA_TET4 (tetrahedra) are", (int)type);
  PetscCheck(nelem >= 0 && nnodes >= 0 && nowned >= 0 && nowned <= nnodes, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " elements, %" PetscInt_FMT " nodes, %" PetscInt_FMT " of them owned", nelem, nnodes, nowned);
  PetscCall(CheckMeshSize(nelem, type == GOZA_HEX8 ? 8 : 4, nnodes, a->bs));
  if (nelem) PetscCall(CheckPointer(conn, 4));
  if (nnodes) PetscCall(CheckPointer(x, 6));
  PetscCheck(global || !nnodes || (ranks_of(a) == 1 && nowned == nnodes), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "On several ranks the nodes' global numbers must be given");
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
  The pattern of the mesh (who neighbours whom, and where each value goes) is found once, by `GozaAssemblySetUp()`; `GozaAssemblyMatrix()` then computes values
  only, and so it does after new materials, coordinates, forces or given values. Every value of the matrix is written exactly once, by the owner of its row: no
  element matrices are kept in memory, and nothing is added atomically, so that equal input gives equal bits. The work is done where `-goza_device` says; with a
  PETSc without CUDA the values are then copied to its matrix on the host.

  The problem and the steps are those of paper P4 (Nakajima 2016).

.seealso: `GozaAssemblySetDM()`, `GozaAssemblySetElements()`, `GozaAssemblySetEquation()`, `GozaAssemblyMatrix()`
@*/
PetscErrorCode GozaAssemblyCreate(MPI_Comm comm, GozaAssembly *assembly)
{
  GozaAssembly   a = NULL;
  MPI_Comm       inner;
  PetscErrorCode here, failed;

  PetscFunctionBegin;
  PetscCall(CheckPointer(assembly, 2));
  PetscCall(GozaInitializePackage());
  PetscCall(PetscCommDuplicate(comm, &inner, NULL)); // so that nothing of what follows is collective, and all can be told of one rank's failure
  here   = PetscHeaderCreate(a, GOZA_ASSEMBLY_CLASSID, "GozaAssembly", "Assembly of finite elements", "Mat", inner, GozaAssemblyDestroy, GozaAssemblyView);
  failed = AgreeOnFailure(inner, here);
  PetscCall(PetscCommDestroy(&inner));
  if (failed && !here) PetscCall(PetscHeaderDestroy(&a));
  PetscCall(failed);
  static_assert(std::is_nothrow_default_constructible_v<AssemblyState>);
  new (static_cast<AssemblyState *>(a)) AssemblyState; // PETSc's memory has seen no constructor
  a->space  = default_space();
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
  PetscCall(CheckPointer(assembly, 1));
  GozaAssembly a = *assembly;
  *assembly      = NULL;
  if (!a) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckAssembly(a));
  if (--((PetscObject)a)->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDestroy(&a->dm));
  static_cast<AssemblyState *>(a)->~AssemblyState(); // while the halo's communicator is there
  PetscCall(PetscHeaderDestroy(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyView - Shows what is assembled, on which mesh and where

  Collective

  Input Parameters:
+ assembly - the object
- viewer   - an ASCII viewer; others show nothing

  Options Database Key:
. -assembly_view - shows the object when a mesh has been set up

  Level: intermediate

.seealso: `GozaAssemblySetUp()`, `PetscObjectViewFromOptions()`
@*/
PetscErrorCode GozaAssemblyView(GozaAssembly a, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(comm_of(a), &viewer));
  PetscCall(CheckObject(viewer, PETSC_VIEWER_CLASSID, "PetscViewer", 2));
  if (!is_type(viewer, PETSCVIEWERASCII)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscInt64 mine[2] = {a->nelem, a->nowned}, all[2];
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_INT64, MPI_SUM, comm_of(a)));
  PetscCall(PetscObjectPrintClassNamePrefixType((PetscObject)a, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  equation: %s, %" PetscInt_FMT " unknowns a node, on the %s\n", GozaEquations[a->equation], a->bs,
                                   a->space == Space::Cuda ? "device" : "host"));
  if (a->nelem < 0) PetscCall(PetscViewerASCIIPrintf(viewer, "  no elements yet\n"));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  mesh: %" PetscInt64_FMT " nodes, %" PetscInt64_FMT " elements of type %s, those of several ranks counted on each\n",
                                     all[1], all[0], GozaElementTypes[a->type]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetOptionsPrefix - Sets what stands before the names of the object's options

  Logically Collective

  Input Parameters:
+ assembly - the object
- prefix   - the prefix, without a hyphen

  Level: advanced

.seealso: `GozaAssemblyGetOptionsPrefix()`, `GozaAssemblySetFromOptions()`
@*/
PetscErrorCode GozaAssemblySetOptionsPrefix(GozaAssembly a, const char prefix[])
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)a, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  GozaAssemblyGetOptionsPrefix - Gets what `GozaAssemblySetOptionsPrefix()` sets

  Not Collective

  Level: advanced
@*/
PetscErrorCode GozaAssemblyGetOptionsPrefix(GozaAssembly a, const char *prefix[])
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(CheckPointer(prefix, 2));
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)a, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetFromOptions - Takes from the options what they say of the object

  Collective

  Input Parameter:
. assembly - the object

  Options Database Key:
. -assembly_equation (diffusion|elasticity|mass) - what is assembled; of mass, as many unknowns a node as there were

  Level: beginner

  Note:
  Before `GozaAssemblySetDM()` or `GozaAssemblySetElements()`, as `GozaAssemblySetEquation()`.

.seealso: `GozaAssemblySetEquation()`, `GozaAssemblySetOptionsPrefix()`, `GozaAssemblyView()`
@*/
PetscErrorCode GozaAssemblySetFromOptions(GozaAssembly a)
{
  PetscInt  which = 0;
  PetscBool given = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscObjectOptionsBegin((PetscObject)a);
  PetscCall(PetscOptionsEList("-assembly_equation", "What is assembled", "GozaAssemblySetEquation", GozaEquations, GOZA_MASS + 1, GozaEquations[a->equation],
                              &which, &given));
  PetscOptionsEnd();
  if (given) PetscCall(GozaAssemblySetEquation(a, static_cast<GozaEquation>(which), which == GOZA_MASS ? a->bs : which == GOZA_ELASTICITY ? 3 : 1));
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

.seealso: `GozaAssemblyCreate()`, `GozaAssemblyGetEquation()`, `GozaAssemblySetFromOptions()`, `GozaAssemblySetMaterial()`
@*/
PetscErrorCode GozaAssemblySetEquation(GozaAssembly a, GozaEquation equation, PetscInt bs)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscValidLogicalCollectiveEnum(a, equation, 2);
  PetscValidLogicalCollectiveInt(a, bs, 3);
  PetscCheck(equation >= GOZA_DIFFUSION && equation <= GOZA_MASS, comm_of(a), PETSC_ERR_ARG_OUTOFRANGE,
             "GozaEquation %d is not GOZA_DIFFUSION, GOZA_ELASTICITY or GOZA_MASS", (int)equation);
  PetscCheck(equation == GOZA_MASS ? bs == 1 || bs == 3 : bs == (equation == GOZA_ELASTICITY ? 3 : 1), comm_of(a), PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " unknowns a node do not go with this equation: diffusion has 1, elasticity 3, mass 1 or 3", bs);
  PetscCheck(a->nelem < 0 || bs == a->bs, comm_of(a), PETSC_ERR_ORDER,
             "Set the equation before the elements: they were set for %" PetscInt_FMT " unknowns a node", a->bs);
  a->mesh_stale     = a->mesh_stale || equation != a->equation; // the maps are made for an equation
  a->equation       = equation;
  a->bs             = bs;
  a->material_stale = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyGetEquation - Gets what `GozaAssemblySetEquation()` sets; what is not wanted may be NULL

  Not Collective

  Level: intermediate
@*/
PetscErrorCode GozaAssemblyGetEquation(GozaAssembly a, GozaEquation *equation, PetscInt *bs)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  if (equation) *equation = a->equation;
  if (bs) *bs = a->bs;
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
  The arrays are copied. The matrix's rows are in the order of the global numbers. An inverted or flat element is an error of `GozaAssemblySetUp()` that names
  it.

  A `DM` that the mesh was taken from is given back, unless elements and numbers are the same.

  Materials, forces and given unknowns have to be set (again) after it. Where elements and numbers are those that were there before, and coordinates alone have
  changed, the symbolic phase is not done again.

.seealso: `GozaAssemblySetDM()`, `GozaAssemblyGetElements()`
@*/
PetscErrorCode GozaAssemblySetElements(GozaAssembly a, GozaElementType type, PetscInt nelem, const PetscInt conn[], PetscInt nnodes, const PetscReal x[],
                                       PetscInt nowned, const PetscInt global[])
{
  std::vector<PetscInt>  corners, numbers;
  std::vector<PetscReal> coordinates;

  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(PetscInfo(a, "%" PetscInt_FMT " elements, %" PetscInt_FMT " nodes, %" PetscInt_FMT " of them owned\n", nelem, nnodes, nowned));
  PetscCall(AgreeOnFailure(comm_of(a), CheckElements(a, type, nelem, conn, nnodes, x, nowned, global)));
  PetscCall(AgreeOnFailure(comm_of(a), Guarded([&] {
                             corners.assign(conn, conn + (std::size_t)nelem * (type == GOZA_HEX8 ? 8 : 4));
                             coordinates.assign(x, x + (std::size_t)3 * nnodes);
                             numbers.resize(nnodes);
                             for (PetscInt k = 0; k < nnodes; k++) numbers[k] = global ? global[k] : k;
                           })));
  /* the same elements and nodes once more: what was found of them stays */
  const bool same = a->nelem == nelem && a->type == type && a->nnodes == nnodes && a->nowned == nowned && a->conn == corners && a->global == numbers;
  if (a->dm) { // on all ranks, or on none
    PetscMPIInt other = !same;

    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &other, 1, MPI_INT, MPI_MAX, comm_of(a)));
    if (other) PetscCall(DMDestroy(&a->dm));
  }
  a->type   = type;
  a->nelem  = nelem;
  a->nnodes = nnodes;
  a->nowned = nowned;
  a->conn.swap(corners);
  a->x.swap(coordinates);
  a->global.swap(numbers);
  a->first  = Array<PetscScalar>(a->space);
  a->second = Array<PetscScalar>(a->space);
  a->force.clear();
  a->load.clear();
  a->given.clear();
  a->mesh_stale        = a->mesh_stale || !same;
  a->coordinates_stale = a->material_stale = a->given_stale = a->forces_stale = true;
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
  PetscCall(CheckAssembly(a));
  PetscCheck(a->nelem >= 0, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call GozaAssemblySetDM() or GozaAssemblySetElements() first");
  if (type) *type = a->type;
  if (nelem) *nelem = a->nelem;
  if (conn) *conn = a->conn.data();
  if (nnodes) *nnodes = a->nnodes;
  if (x) *x = a->x.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}
