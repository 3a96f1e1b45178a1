/* What an assembly is given for its elements and nodes: materials, coordinates, Dirichlet and Neumann boundaries, forces. */
#include "assembly.hpp"
#include "assembly/kernels/element.hpp"

namespace goza::assembly {

PetscErrorCode LogArrival(GozaAssembly a, const void *from, std::size_t bytes)
{
  PetscFunctionBegin;
  (void)bytes; // the log of a PETSc without devices counts nothing
  if (a->space == Space::Cuda && !device::is_device_pointer(from)) PetscCall(PetscLogCpuToGpu((PetscLogDouble)bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integrals of the shape functions over a face in space: its share for each corner. corners: 3, or 4 in turn around a bilinear face (2 x 2 Gauss points).
   x: [nodes][3] */
static void surface_weights(const PetscReal *x, PetscInt corners, const PetscInt *face, PetscReal weight[4])
{
  const auto at     = [&](PetscInt b, PetscInt d) { return x[3 * (std::size_t)face[b] + d]; };
  const auto length = [](const PetscReal *v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); };
  PetscReal  u[3], v[3], normal[3];

  if (corners == 3) {
    for (PetscInt d = 0; d < 3; d++) {
      u[d] = at(1, d) - at(0, d);
      v[d] = at(2, d) - at(0, d);
    }
    cross(u, v, normal);
    for (PetscInt b = 0; b < 3; b++) weight[b] = length(normal) / 6;
    return;
  }
  for (PetscInt b = 0; b < 4; b++) weight[b] = 0;
  for (int q = 0; q < 4; q++) {
    const PetscReal s1 = Hex8::linear<PetscReal>(q, 1), s0 = Hex8::linear<PetscReal>(q, 0), t1 = Hex8::linear<PetscReal>(q >> 1, 1),
                    t0       = Hex8::linear<PetscReal>(q >> 1, 0);
    const PetscReal shape[4] = {s0 * t0, s1 * t0, s1 * t1, s0 * t1};

    for (PetscInt d = 0; d < 3; d++) {
      u[d] = t0 * (at(1, d) - at(0, d)) + t1 * (at(2, d) - at(3, d));
      v[d] = s0 * (at(3, d) - at(0, d)) + s1 * (at(2, d) - at(1, d));
    }
    cross(u, v, normal);
    for (PetscInt b = 0; b < 4; b++) weight[b] += shape[b] * length(normal) / 4;
  }
}

static PetscErrorCode HaveElements(GozaAssembly a)
{
  PetscFunctionBegin;
  PetscCheck(a->nelem >= 0, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call GozaAssemblySetDM() or GozaAssemblySetElements() first");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An array of one value for each element, from either space: where there is no memory for it there is none. */
static PetscErrorCode TakeElements(GozaAssembly a, const PetscScalar *from, Array<PetscScalar> &to)
{
  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    Array<PetscScalar> old;

    if (to.size() == (std::size_t)a->nelem) to.swap(old);
    else old = Array<PetscScalar>(a->space, a->nelem);
    old.assign(from);
    to = std::move(old);
  }));
  PetscCall(LogArrival(a, from, to.bytes()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TakeMaterial(GozaAssembly a, const PetscScalar first[], const PetscScalar second[])
{
  PetscFunctionBegin;
  PetscCall(HaveElements(a));
  if (a->nelem) PetscCall(CheckPointer(first, 2));
  PetscCheck(a->equation != GOZA_ELASTICITY || second || !a->nelem, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "Elasticity needs Poisson's ratio of every element");
  PetscCall(use_petsc_stream());
  PetscCall(PetscLogEventBegin(events.inputs, 0, 0, 0, 0));
  a->material_stale = true;
  PetscCall(TakeElements(a, first, a->first));
  if (second) PetscCall(TakeElements(a, second, a->second));
  PetscCall(PetscLogEventEnd(events.inputs, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TakeMaterialVecs(GozaAssembly a, Vec first, Vec second)
{
  const PetscScalar *array[2] = {NULL, NULL};
  Vec                from[2]  = {first, second};
  PetscMemType       memtype;

  PetscFunctionBegin;
  PetscCall(HaveElements(a));
  for (int k = 0; k < 2; k++) {

    if (!from[k]) continue;
    PetscCall(CheckObject(from[k], VEC_CLASSID, "Vec", 2 + k));
    const PetscInt n = local_size(from[k]);
    PetscCheck(n == a->nelem, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "The vector has %" PetscInt_FMT " entries on this rank, which has %" PetscInt_FMT " elements: use GozaAssemblyCreateElementVec()", n, a->nelem);
  }
  for (int k = 0; k < 2; k++)
    if (from[k]) PetscCall(VecGetArrayReadAndMemType(from[k], &array[k], &memtype));
  const PetscErrorCode failed = TakeMaterial(a, array[0], array[1]);
  for (int k = 0; k < 2; k++)
    if (from[k]) PetscCall(VecRestoreArrayReadAndMemType(from[k], &array[k]));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TakeTraction(GozaAssembly a, PetscInt nfaces, PetscInt corners, const PetscInt faces[], const PetscScalar traction[])
{
  PetscFunctionBegin;
  PetscCall(HaveElements(a));
  PetscCheck(nfaces >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " faces", nfaces);
  if (nfaces) PetscCall(CheckPointer(faces, 4));
  if (nfaces) PetscCall(CheckPointer(traction, 5));
  PetscCheck(corners == 3 || corners == 4, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "A face has 3 or 4 corners, not %" PetscInt_FMT, corners);
  a->forces_stale = true;
  PetscCall(Guarded([&] { a->load.assign((std::size_t)a->nnodes * a->bs, 0); }));
  for (PetscInt f = 0; f < nfaces; f++) {
    PetscReal weight[4];

    for (PetscInt b = 0; b < corners; b++) {
      const PetscInt node = faces[(std::size_t)f * corners + b];

      PetscCheck(node >= 0 && node < a->nnodes, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
                 "Face %" PetscInt_FMT ": its corner %" PetscInt_FMT " is node %" PetscInt_FMT " of %" PetscInt_FMT, f, b, node, a->nnodes);
    }
    surface_weights(a->x.data(), corners, faces + (std::size_t)f * corners, weight);
    for (PetscInt b = 0; b < corners; b++) {
      for (PetscInt r = 0; r < a->bs; r++)
        a->load[(std::size_t)faces[(std::size_t)f * corners + b] * a->bs + r] += weight[b] * traction[(std::size_t)f * a->bs + r];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective: body() where there are elements, on all ranks or on none. */
template <class Body> static PetscErrorCode Take(GozaAssembly a, const Body &body)
{
  PetscFunctionBegin;
  PetscErrorCode failed = HaveElements(a);
  if (!failed) failed = Guarded(body);
  PetscCall(AgreeOnFailure(comm_of(a), failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}
} // namespace goza::assembly

using namespace goza;

/*@C
  GozaAssemblySetMaterial - Sets the material of every element

  Collective

  Input Parameters:
+ assembly - the object
. first    - nelem values: the coefficient k (diffusion), Young's modulus (elasticity; the caller's unit of stress) or the density (mass)
- second   - nelem values of Poisson's ratio, below 0.5; elasticity only, else `NULL`

  Level: beginner

  Note:
  May be called again: the next `GozaAssemblyMatrix()` then puts new values into the same pattern. The arrays are copied; they may be on the device.

  With complex scalars materials may be complex, as those with losses or damping are: the matrix then is symmetric and not Hermitian. The real part of Young's
  modulus is positive, that of Poisson's ratio between -1 and 0.5.

.seealso: `GozaAssemblyGetElements()`, `GozaAssemblyMatrix()`, `GozaAssemblySetMaterialVecs()`
@*/
PetscErrorCode GozaAssemblySetMaterial(GozaAssembly a, const PetscScalar first[], const PetscScalar second[])
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(AgreeOnFailure(comm_of(a), TakeMaterial(a, first, second)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetMaterialVecs - Sets the material of every element from vectors, which may be on the device

  Collective

  Input Parameters:
+ assembly - the object
. first    - as in `GozaAssemblySetMaterial()`, a vector of `GozaAssemblyCreateElementVec()`
- second   - the same, or `NULL`

  Level: intermediate

.seealso: `GozaAssemblySetMaterial()`, `GozaAssemblyCreateElementVec()`, `GozaAssemblyElementVonMises()`
@*/
PetscErrorCode GozaAssemblySetMaterialVecs(GozaAssembly a, Vec first, Vec second)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(AgreeOnFailure(comm_of(a), TakeMaterialVecs(a, first, second)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblyCreateElementVec - Creates a vector with an entry for every element of this rank, in the order of `GozaAssemblyGetElements()`

  Not Collective

  Input Parameter:
. assembly - the object

  Output Parameter:
. v - a vector of one rank, on the device where the assembly and this PETSc are

  Level: intermediate

.seealso: `GozaAssemblySetMaterialVecs()`, `GozaAssemblyElementVonMises()`
@*/
PetscErrorCode GozaAssemblyCreateElementVec(GozaAssembly a, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(CheckPointer(v, 2));
  PetscCall(HaveElements(a));
  PetscCall(VecCreate(PETSC_COMM_SELF, v));
  PetscCall(VecSetSizes(*v, a->nelem, a->nelem));
  PetscCall(VecSetType(*v, petsc_on_device() ? VECCUDA : VECSTANDARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetCoordinates - Moves the nodes

  Logically Collective

  Input Parameters:
+ assembly - the object
- x        - coordinates of the nodes of this rank, those of other ranks included, 3 * nnodes as `GozaAssemblyGetElements()` gives them

  Level: intermediate

  Notes:
  The next `GozaAssemblyMatrix()` puts new values into the same pattern. Loads on faces are integrated when they are set: set them again.

.seealso: `GozaAssemblySetElements()`, `GozaAssemblySetTraction()`
@*/
PetscErrorCode GozaAssemblySetCoordinates(GozaAssembly a, const PetscReal x[])
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(HaveElements(a));
  if (a->nnodes) PetscCall(CheckPointer(x, 2));
  if (x != a->x.data()) std::copy_n(x, a->x.size(), a->x.begin());
  a->coordinates_stale = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetDirichlet - Says which unknowns are given, and their values

  Collective

  Input Parameters:
+ assembly - the object
. given    - nnodes * bs flags, for the nodes of this rank, those of other ranks included; `NULL`: nothing is given
- value    - their values; `NULL`: zero

  Level: beginner

  Note:
  Rows and columns of a given unknown are zero in the matrix but for the diagonal entry, which keeps the size of its neighbours', so that the matrix stays
  symmetric positive definite; the right-hand side has what belongs to that. All ranks that hold a node must say the same of it.

.seealso: `GozaAssemblyMatrix()`, `GozaAssemblyRHS()`
@*/
PetscErrorCode GozaAssemblySetDirichlet(GozaAssembly a, const PetscBool given[], const PetscScalar value[])
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  const std::size_t n = (std::size_t)PetscMax(a->nnodes, 0) * a->bs;
  PetscCall(Take(a, [&] {
    a->given.assign(given ? n : 0, 0);
    a->value.assign(n, 0);
  }));
  for (std::size_t k = 0; given && k < n; k++) {
    a->given[k] = given[k] ? 1 : 0;
    if (given[k] && value) a->value[k] = value[k];
  }
  a->given_stale = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetForce - Sets the force (or source) in a unit volume of every element

  Collective

  Input Parameters:
+ assembly - the object
- force    - nelem * bs values, or `NULL` for none

  Level: beginner

.seealso: `GozaAssemblyRHS()`, `GozaAssemblySetTraction()`
@*/
PetscErrorCode GozaAssemblySetForce(GozaAssembly a, const PetscScalar force[])
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(Take(a, [&] {
    if (force) a->force.assign(force, force + (std::size_t)a->nelem * a->bs);
    else a->force.clear();
  }));
  a->forces_stale = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaAssemblySetTraction - Sets the force (or flux) on a unit area of faces: the Neumann boundary

  Collective

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
PetscErrorCode GozaAssemblySetTraction(GozaAssembly a, PetscInt nfaces, PetscInt corners, const PetscInt faces[], const PetscScalar traction[])
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscCall(AgreeOnFailure(comm_of(a), TakeTraction(a, nfaces, corners, faces, traction)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
