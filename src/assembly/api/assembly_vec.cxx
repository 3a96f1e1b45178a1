/* Right-hand side, residual and stress: PETSc's vectors in and out. */
#include "assembly.hpp"
#include "core/util/algorithm.hpp"
#include "petsc/plugin.hpp"
#include "petsc/vec_access.hpp"
#include <algorithm>
#include <petscsf.h>
#include <petsc/private/vecimpl.h>

namespace goza::assembly
{

namespace
{

PetscErrorCode CheckSize(GozaAssembly a, Vec v, PetscInt bs)
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCheck(n == a->nowned * bs, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The vector has %" PetscInt_FMT " entries on this rank, the mesh %" PetscInt_FMT " nodes of %" PetscInt_FMT " unknowns", n, a->nowned, bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The owned entries, and room for the ghosts behind them. */
PetscErrorCode OwnEntries(GozaAssembly a, Vec u, std::vector<PetscScalar> &all)
{
  const PetscScalar *own;
  const PetscInt     n = a->nowned * a->bs;

  PetscFunctionBegin;
  PetscCall(CheckSize(a, u, a->bs));
  PetscCall(Guarded([&] { all.resize((std::size_t)a->mesh.nodes * a->bs); }));
  PetscCall(VecGetArrayRead(u, &own));
  std::copy_n(own, n, all.begin());
  PetscCall(VecRestoreArrayRead(u, &own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. A vector over the mesh's nodes, ghosts included, in the space of the mesh; insert_given: given unknowns have their values. */
PetscErrorCode WithGhosts(GozaAssembly a, Vec u, bool insert_given, Array<PetscScalar> &local)
{
  std::vector<PetscScalar> all;
  const PetscInt           n = a->nowned * a->bs;
  PetscMPIInt              size;

  PetscFunctionBegin;
  PetscCall(AgreeOnFailure(a->comm, OwnEntries(a, u, all)));
  PetscCallMPI(MPI_Comm_size(a->comm, &size));
  if (size > 1) {
    PetscSF      sf;
    PetscLayout  layout;
    MPI_Datatype node;

    PetscCall(PetscLayoutCreate(a->comm, &layout));
    PetscCall(PetscLayoutSetLocalSize(layout, a->nowned));
    PetscCall(PetscLayoutSetUp(layout));
    PetscCall(PetscSFCreate(a->comm, &sf));
    PetscCall(PetscSFSetGraphLayout(sf, layout, (PetscInt)a->ghosts.size(), NULL, PETSC_COPY_VALUES, a->ghosts.data()));
    PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)a->bs, MPIU_SCALAR, &node));
    PetscCallMPI(MPI_Type_commit(&node));
    PetscCall(PetscSFBcastBegin(sf, node, all.data(), all.data() + n, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf, node, all.data(), all.data() + n, MPI_REPLACE));
    PetscCallMPI(MPI_Type_free(&node));
    PetscCall(PetscSFDestroy(&sf));
    PetscCall(PetscLayoutDestroy(&layout));
  }
  for (PetscInt k = 0; insert_given && !a->given.empty() && k < a->nnodes; k++) {
    for (PetscInt r = 0; a->number[k] >= 0 && r < a->bs; r++) {
      if (a->given[(std::size_t)k * a->bs + r]) all[(std::size_t)a->number[k] * a->bs + r] = a->value[(std::size_t)k * a->bs + r];
    }
  }
  PetscCall(AgreeOnFailure(a->comm, Guarded([&] { local = Array<PetscScalar>(a->space, all.data(), all.size()); })));
  if (a->space == Space::Cuda) PetscCall(PetscLogCpuToGpu((PetscLogDouble)local.bytes()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = scale * (forces - K u), u with the values of given unknowns, for which y = scale * K_ii (value_i - now_i); now: the owned part of a vector, or NULL for 0. */
PetscErrorCode Balance(GozaAssembly a, const Array<PetscScalar> &u, const PetscScalar *now, PetscScalar scale, Vec y)
{
  const PetscInt           n = a->nowned * a->bs;
  std::vector<PetscScalar> sum, diagonal;
  PetscScalar             *out;

  PetscFunctionBegin;
  PetscCall(CheckSize(a, y, a->bs));
  PetscCall(Guarded([&] {
    std::vector<PetscReal> f(a->force.empty() ? 0 : a->elements.size() * a->bs);
    Array<PetscReal>       force;
    Array<PetscScalar>     work(a->space, n);

    for (std::size_t k = 0; !f.empty() && k < a->elements.size(); k++)
      std::copy_n(a->force.data() + (std::size_t)a->elements[k] * a->bs, a->bs, f.data() + k * a->bs);
    force = Array<PetscReal>(a->space, f.data(), f.size());
    assemble_vector(a->problem(), a->mesh, a->map, force.size() ? force.data() : nullptr, u.size() ? u.data() : nullptr, false, work.data());
    sum = work.to_host();
    if (!a->given.empty()) {
      assemble_vector(a->problem(), a->mesh, a->map, nullptr, nullptr, true, work.data());
      diagonal = work.to_host();
    }
  }));
  for (PetscInt k = 0; k < a->nnodes; k++) {
    const PetscInt i = a->number[k];

    if (i < 0 || i >= a->nowned) continue;
    for (PetscInt r = 0; r < a->bs; r++) {
      const std::size_t at = (std::size_t)k * a->bs + r, row = (std::size_t)i * a->bs + r;

      if (!a->load.empty()) sum[row] += a->load[at];
      if (!a->given.empty() && a->given[at]) sum[row] = diagonal[row] * (a->value[at] - (now ? now[row] : PetscScalar(0)));
    }
  }
  PetscCall(VecGetArrayWrite(y, &out));
  for (PetscInt k = 0; k < n; k++) out[k] = scale * sum[k];
  PetscCall(VecRestoreArrayWrite(y, &out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace
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
  Array<PetscScalar> u;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, VEC_CLASSID, 2);
  PetscCall(GozaAssemblySetUp(a));
  PetscCall(use_petsc_stream());
  PetscCall(PetscLogEventBegin(events.vector, b, 0, 0, 0));
  PetscErrorCode failed = Guarded([&] {
    std::vector<PetscScalar> lift(a->given.empty() ? 0 : (std::size_t)a->mesh.nodes * a->bs, 0);

    for (PetscInt k = 0; !lift.empty() && k < a->nnodes; k++) {
      if (a->number[k] >= 0) std::copy_n(a->value.data() + (std::size_t)k * a->bs, a->bs, lift.data() + (std::size_t)a->number[k] * a->bs);
    }
    u = Array<PetscScalar>(a->space, lift.data(), lift.size());
  });
  if (!failed) failed = Balance(a, u, NULL, 1, b);
  PetscCall(PetscLogEventEnd(events.vector, b, 0, 0, 0));
  PetscCall(AgreeOnFailure(a->comm, failed));
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
  Array<PetscScalar> local;
  const PetscScalar *now;

  PetscFunctionBegin;
  PetscCall(GozaAssemblySetUp(a));
  PetscCall(use_petsc_stream());
  PetscCall(PetscLogEventBegin(events.vector, r, 0, 0, 0));
  PetscCall(WithGhosts(a, u, true, local));
  PetscCall(VecGetArrayRead(u, &now));
  const PetscErrorCode failed = Balance(a, local, now, -1, r);
  PetscCall(VecRestoreArrayRead(u, &now));
  PetscCall(PetscLogEventEnd(events.vector, r, 0, 0, 0));
  PetscCall(AgreeOnFailure(a->comm, failed));
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

.seealso: `GozaAssemblySetMaterial()`
@*/
PetscErrorCode GozaAssemblyVonMises(GozaAssembly a, Vec u, Vec s)
{
  Array<PetscScalar> local;
  Stage              stage;
  VecWrite           out;

  PetscFunctionBegin;
  PetscCheck(a->equation == GOZA_ELASTICITY, a->comm, PETSC_ERR_ARG_WRONGSTATE, "Stresses are elasticity's");
  PetscCall(GozaAssemblySetUp(a));
  PetscCall(AgreeOnFailure(a->comm, CheckSize(a, s, 1)));
  PetscCall(use_petsc_stream());
  PetscCall(WithGhosts(a, u, false, local));
  PetscCall(AgreeOnFailure(a->comm, out.get(s, a->space, stage)));
  const PetscErrorCode failed = Guarded([&] { von_mises(a->mesh, a->map, local.data(), out.data()); });
  PetscCall(out.restore());
  PetscCall(AgreeOnFailure(a->comm, failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}
