/* Right-hand side, residual and stress: PETSc's vectors in and out, in place where they are on the side of the mesh. */
#include "assembly.hpp"
#include "assembly/kernels/vectors.hpp"

namespace goza::assembly {

static PetscErrorCode CheckSize(Vec v, PetscInt points, PetscInt bs)
{
  PetscFunctionBegin;
  const PetscInt n = local_size(v);
  PetscCheck(n == points * bs, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The vector has %" PetscInt_FMT " entries on this rank, the mesh %" PetscInt_FMT " nodes or elements of %" PetscInt_FMT " unknowns", n, points,
             bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. u has what the mesh's nodes have, v so much at so many points. */
static PetscErrorCode CheckSizes(GozaAssembly a, Vec u, Vec v, PetscInt points, PetscInt bs)
{
  PetscErrorCode failed;

  PetscFunctionBegin;
  failed = CheckSize(u, a->nowned, a->bs);
  if (!failed) failed = CheckSize(v, points, bs);
  PetscCall(AgreeOnFailure(comm_of(a), failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. The exchange of a vector's ghosts, made once for a mesh. */
static PetscErrorCode NeedHalo(GozaAssembly a)
{
  PetscLayout           columns;
  std::vector<PetscInt> wanted;

  PetscFunctionBegin;
  const PetscMPIInt size = ranks_of(a);
  if (size == 1 || a->halo) PetscFunctionReturn(PETSC_SUCCESS);
  std::unique_ptr<Halo<PetscScalar>> halo;
  PetscErrorCode                     failed = Guarded([&] {
    halo = std::make_unique<Halo<PetscScalar>>();
    wanted.reserve(a->ghosts.size() * a->bs);
    for (PetscInt node : a->ghosts)
      for (PetscInt r = 0; r < a->bs; r++) wanted.push_back(node * a->bs + r);
  });
  PetscCall(AgreeOnFailure(comm_of(a), failed));
  PetscCall(PetscLayoutCreate(comm_of(a), &columns));
  PetscCall(PetscLayoutSetLocalSize(columns, a->nowned * a->bs));
  PetscCall(PetscLayoutSetUp(columns));
  failed = halo->setup(comm_of(a), columns, (PetscInt)wanted.size(), wanted.data(), a->space);
  PetscCall(PetscLayoutDestroy(&columns));
  PetscCall(failed);
  a->halo = std::move(halo);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. a->local: a vector over the mesh's nodes, ghosts included; insert_given: given unknowns have their values. own: the owned entries, in the space
   of the mesh */
static PetscErrorCode WithGhosts(GozaAssembly a, const PetscScalar *own, bool insert_given)
{
  PetscFunctionBegin;
  PetscCall(NeedHalo(a));
  PetscCall(AgreeOnFailure(comm_of(a), Guarded([&] {
                             const std::size_t n = (std::size_t)a->mesh.nodes * a->bs;

                             if (a->local.size() != n) a->local = Array<PetscScalar>(a->space, n);
                           })));
  PetscErrorCode failed = a->halo ? a->halo->begin(own) : PETSC_SUCCESS;
  if (a->halo && !failed) failed = a->halo->end();
  if (!failed)
    failed = Guarded([&] {
      fill_local(a->mesh, (int)a->bs, own, a->halo ? a->halo->ghost() : nullptr, insert_given && a->mesh_value.size() ? a->mesh_value.data() : nullptr,
                 a->local.data());
    });
  PetscCall(AgreeOnFailure(comm_of(a), failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = scale * (forces - K u), u with the values of given unknowns (or null), for which y = scale * K_ii (value_i - now_i); now: the owned part of a vector, or
   null for 0. */
static void balance(GozaAssembly a, const PetscScalar *u, const PetscScalar *now, PetscScalar scale, PetscScalar *y)
{
  const VectorTerms terms{a->mesh_force.size() ? a->mesh_force.data() : nullptr, a->mesh_load.size() ? a->mesh_load.data() : nullptr, u, scale};

  assemble_vector(a->problem(), a->mesh, a->map, terms, y);
  if (const Array<PetscInt> &given = a->mesh.given; given.size())
    assemble_given_rows(a->problem(), a->mesh, a->map, {given.data(), (PetscInt)given.size(), a->mesh_value.data(), now, scale}, y);
}

/* Of the mesh's elements: those that were given, in their order; 0 for those that touch no owned node. */
static void element_stress_as_given(GozaAssembly a, PetscScalar *stress)
{
  if (a->plain) {
    element_stress(a->mesh, a->local.data(), stress, nullptr);
    return;
  }
  Array<PetscScalar> of_mesh(a->space, a->mesh.nelem);

  element_stress(a->mesh, a->local.data(), of_mesh.data(), nullptr);
  if (a->space == Space::Cuda) device::fill_zero(stress, a->nelem * sizeof(PetscScalar));
  else std::fill_n(stress, a->nelem, PetscScalar(0));
  scatter_values(a->space, a->mesh.nelem, a->element_index.data(), of_mesh.data(), stress);
}

/* Collective. y = body(local u, own u), of whose arrays body gets the pointers in the space of the mesh. u: NULL for none */
template <class Body> static PetscErrorCode IntoVector(GozaAssembly a, Vec u, bool insert_given, Vec y, const Body &body)
{
  VecRead        in;
  VecWrite       out;
  PetscErrorCode failed = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(use_petsc_stream());
  PetscCall(PetscLogEventBegin(events.vector, y, 0, 0, 0));
  if (u) {
    PetscCall(AgreeOnFailure(comm_of(a), in.get(u, a->space, a->staged_in)));
    failed = WithGhosts(a, in.data(), insert_given);
  }
  if (!failed) {
    failed = out.get(y, a->space, a->staged_out);
    if (!failed) {
      if (a->space == Space::Cuda) PetscCall(PetscLogGpuTimeBegin());
      failed = Guarded([&] { body(in.data(), out.data()); });
      if (a->space == Space::Cuda) PetscCall(PetscLogGpuTimeEnd());
      PetscCall(out.restore());
    }
  }
  if (u) PetscCall(in.restore());
  PetscCall(PetscLogEventEnd(events.vector, y, 0, 0, 0));
  PetscCall(AgreeOnFailure(comm_of(a), failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One number for each of this rank's nodes, or elements. */
template <class Compute> static PetscErrorCode StressesInto(GozaAssembly a, Vec u, Vec s, bool of_elements, const Compute &compute)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(CheckObject(u, VEC_CLASSID, "Vec", 2));
  PetscCall(CheckObject(s, VEC_CLASSID, "Vec", 3));
  PetscCheck(a->equation == GOZA_ELASTICITY, comm_of(a), PETSC_ERR_ARG_WRONGSTATE, "Stresses are elasticity's");
  PetscCall(GozaAssemblySetUp(a));
  PetscCall(CheckSizes(a, u, s, of_elements ? a->nelem : a->nowned, 1));
  PetscCall(IntoVector(a, u, false, s, compute));
  PetscFunctionReturn(PETSC_SUCCESS);
}
} // namespace goza::assembly

using namespace goza;

/*@
  GozaAssemblyRHS - Computes the right-hand side: forces, tractions, and what given unknowns bring

  Collective

  Input Parameter:
. assembly - the object

  Output Parameter:
. b - the right-hand side that goes with the matrix of `GozaAssemblyMatrix()`

  Level: beginner

.seealso: `GozaAssemblySetForce()`, `GozaAssemblySetTraction()`, `GozaAssemblySetDirichlet()`
@*/
PetscErrorCode GozaAssemblyRHS(GozaAssembly a, Vec b)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(CheckObject(b, VEC_CLASSID, "Vec", 2));
  PetscCall(GozaAssemblySetUp(a));
  PetscCall(AgreeOnFailure(comm_of(a), CheckSize(b, a->nowned, a->bs)));
  PetscCall(IntoVector(a, NULL, true, b,
                       [a](const PetscScalar *, PetscScalar *y) { balance(a, a->mesh_value.size() ? a->mesh_value.data() : nullptr, nullptr, 1, y); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyResidual - Computes r = K u - f with given unknowns at their values, and K_ii (u_i - value_i) in their rows: what a `SNES` wants

  Collective

  Input Parameters:
+ assembly - the object
- u        - displacements, or whatever is unknown

  Output Parameter:
. r - the residual; with the matrix of `GozaAssemblyMatrix()` as Jacobian

  Level: intermediate

.seealso: `GozaAssemblyMatrix()`, `SNESSetFunction()`
@*/
PetscErrorCode GozaAssemblyResidual(GozaAssembly a, Vec u, Vec r)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(CheckObject(u, VEC_CLASSID, "Vec", 2));
  PetscCall(CheckObject(r, VEC_CLASSID, "Vec", 3));
  PetscCheck(u != r, comm_of(a), PETSC_ERR_ARG_IDN, "The residual cannot be put into the vector that it is of");
  PetscCall(GozaAssemblySetUp(a));
  PetscCall(CheckSizes(a, u, r, a->nowned, a->bs));
  PetscCall(IntoVector(a, u, true, r, [a](const PetscScalar *now, PetscScalar *y) { balance(a, a->local.data(), now, -1, y); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyVonMises - Computes the von Mises stress at the nodes, the mean over a node's elements

  Collective

  Input Parameters:
+ assembly - the object, of `GOZA_ELASTICITY`
- u        - displacements

  Output Parameter:
. s - one entry a node, in the unit of Young's modulus

  Level: intermediate

  Note:
  With complex scalars it is of the moduli of the stress's components.

.seealso: `GozaAssemblySetMaterial()`
@*/
PetscErrorCode GozaAssemblyVonMises(GozaAssembly a, Vec u, Vec s)
{
  return StressesInto(a, u, s, false, [a](const PetscScalar *, PetscScalar *stress) { von_mises(a->mesh, a->map, a->local.data(), stress); });
}

/*@
  GozaAssemblyElementVonMises - Computes the von Mises stress of every element of this rank

  Collective

  Input Parameters:
+ assembly - the object, of `GOZA_ELASTICITY`
- u        - displacements

  Output Parameter:
. s - a vector of `GozaAssemblyCreateElementVec()`, in the unit of Young's modulus: of the element's mean strain; 0 for elements that touch no node of this rank

  Level: intermediate

  Note:
  An element that several ranks have gets the same value on each of them. With complex scalars it is of the moduli of the stress's components.

.seealso: `GozaAssemblyVonMises()`, `GozaAssemblySetMaterialVecs()`
@*/
PetscErrorCode GozaAssemblyElementVonMises(GozaAssembly a, Vec u, Vec s)
{
  return StressesInto(a, u, s, true, [a](const PetscScalar *, PetscScalar *stress) { element_stress_as_given(a, stress); });
}
