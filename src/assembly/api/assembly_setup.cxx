/* From what a GozaAssembly is given to a mesh and its maps. */
#include "assembly.hpp"
#include "core/util/algorithm.hpp"
#include "petsc/plugin.hpp"
#include "parallel/agree.hpp"
#include <algorithm>

namespace goza::assembly
{

PetscErrorCode AgreeOnFailure(MPI_Comm comm, PetscErrorCode here)
{
  PetscFunctionBegin;
  PetscCall(FailTogether(comm, here, "set up its part of the assembly"));
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
  PetscCall(MakeMesh(a, &mesh));
  PetscCall(RefuseBadElements(a, mesh));
  PetscCall(Guarded([&] { map = make_assembly_map(a->problem(), mesh, Layout::Csr); }));
  PetscCall(CheckMatrixSize(map.pairs(), a->bs));
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
} // namespace goza::assembly

using namespace goza;

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
