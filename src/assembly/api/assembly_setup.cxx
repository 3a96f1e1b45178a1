/* From what a GozaAssembly is given to a mesh and its maps. */
#include "assembly.hpp"
#include "assembly/mesh/materials.hpp"
#include "parallel/agree.hpp"

namespace goza::assembly {

PetscErrorCode AgreeOnFailure(MPI_Comm comm, PetscErrorCode here) { return FailTogether(comm, here, "set up its part of the assembly"); }

static PetscErrorCode CornerOutside(GozaAssembly a, PetscInt e)
{
  const PetscInt *c = a->conn.data() + (std::size_t)e * a->corners();

  PetscFunctionBegin;
  for (PetscInt b = 0; b < a->corners(); b++)
    PetscCheck(c[b] >= 0 && c[b] < a->nnodes, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Element %" PetscInt_FMT ": its corner %" PetscInt_FMT " is node %" PetscInt_FMT " of %" PetscInt_FMT, e, b, c[b], a->nnodes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which elements are needed here, and their nodes' numbers: owned ones in the order of the matrix, ghosts ascending. start: the first owned node */
static PetscErrorCode NumberNodes(GozaAssembly a, PetscInt start)
{
  const PetscInt n = a->corners(), end = start + a->nowned;
  PetscInt       mine = 0;

  PetscFunctionBegin;
  PetscCall(Guarded([&] { a->number.assign(a->nnodes, -1); }));
  for (PetscInt k = 0; k < a->nnodes; k++) {
    if (a->global[k] >= start && a->global[k] < end) {
      a->number[k] = a->global[k] - start;
      mine++;
    }
  }
  PetscCheck(mine == a->nowned, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "%" PetscInt_FMT " nodes are owned, but %" PetscInt_FMT " of the nodes given have their global numbers", a->nowned, mine);
  for (PetscInt e = 0; e < a->nelem; e++) {
    const PetscInt *c    = a->conn.data() + (std::size_t)e * n;
    bool            here = false;

    PetscCall(CornerOutside(a, e));
    for (PetscInt b = 0; b < n; b++) here = here || a->number[c[b]] >= 0;
    if (!here) continue;
    PetscCall(Guarded([&] { a->elements.push_back(e); }));
    for (PetscInt b = 0; b < n; b++)
      if (a->number[c[b]] < 0) PetscCall(Guarded([&] { a->ghosts.push_back(a->global[c[b]]); }));
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

/* The caller's numbers are the mesh's where all nodes are owned and in the order of the matrix. */
static bool IsPlain(GozaAssembly a, PetscInt start)
{
  bool plain = a->nnodes == a->nowned;

  for (PetscInt k = 0; plain && k < a->nnodes; k++) plain = a->global[k] == start + k;
  return plain;
}

static Array<PetscReal> MeshCoordinates(GozaAssembly a)
{
  if (a->plain) return Array<PetscReal>(a->space, a->x.data(), a->x.size());
  std::vector<PetscReal> x((std::size_t)3 * (a->nowned + a->ghosts.size()));

  for (PetscInt k = 0; k < a->nnodes; k++)
    if (a->number[k] >= 0) std::copy_n(a->x.data() + (std::size_t)3 * k, 3, x.data() + (std::size_t)3 * a->number[k]);
  return Array<PetscReal>(a->space, x.data(), x.size());
}

static Array<PetscInt> MeshCorners(GozaAssembly a)
{
  if (a->plain) return Array<PetscInt>(a->space, a->conn.data(), a->conn.size());
  const PetscInt        n = a->corners();
  std::vector<PetscInt> conn(a->elements.size() * n);

  for (std::size_t k = 0; k < a->elements.size(); k++)
    for (PetscInt b = 0; b < n; b++) conn[k * n + b] = a->number[a->conn[(std::size_t)a->elements[k] * n + b]];
  return Array<PetscInt>(a->space, conn.data(), conn.size());
}

static PetscErrorCode MakeMesh(GozaAssembly a, Mesh *mesh)
{
  PetscInt end;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&a->nowned, &end, 1, MPIU_INT, MPI_SUM, comm_of(a)));
  a->number.clear();
  a->elements.clear();
  a->ghosts.clear();
  a->plain = IsPlain(a, end - a->nowned);
  if (!a->plain) PetscCall(NumberNodes(a, end - a->nowned));
  PetscCall(Guarded([&] {
    mesh->kind  = a->type == GOZA_HEX8 ? ElementKind::Hex8 : ElementKind::Tet4;
    mesh->nelem = a->plain ? a->nelem : (PetscInt)a->elements.size();
    mesh->owned = a->nowned;
    mesh->nodes = a->nowned + (PetscInt)a->ghosts.size();
    mesh->conn  = MeshCorners(a);
    mesh->x     = MeshCoordinates(a);
  }));
  if (a->space == Space::Cuda) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(mesh->conn.bytes() + mesh->x.bytes())));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RefuseBadElements(GozaAssembly a, const Mesh &mesh)
{
  std::vector<PetscInt> bad;
  std::string           list;

  PetscFunctionBegin;
  PetscCall(Guarded([&] { bad = bad_elements(mesh).to_host(); }));
  if (bad.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  for (std::size_t k = 0; k < bad.size() && k < 5; k++) PetscCall(Guarded([&] { list += (k ? ", " : "") + std::to_string(a->given_as(bad[k])); }));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "%d element%s inverted or flat: number %s%s", (int)bad.size(), bad.size() > 1 ? "s are" : " is", list.c_str(),
          bad.size() > 5 ? ", ..." : "");
}

static PetscErrorCode SetUpMesh(GozaAssembly a)
{
  Mesh            mesh;
  AssemblyMap     map;
  Array<PetscInt> index;

  PetscFunctionBegin;
  PetscCheck(a->nelem >= 0, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call GozaAssemblySetDM() or GozaAssemblySetElements() first");
  PetscCall(MakeMesh(a, &mesh));
  if (a->plain) {
    std::vector<PetscInt> outside;

    PetscCall(Guarded([&] { outside = elements_outside(mesh).to_host(); }));
    if (!outside.empty()) PetscCall(CornerOutside(a, outside[0]));
  }
  PetscCall(RefuseBadElements(a, mesh));
  PetscCall(Guarded([&] {
    map   = make_assembly_map(a->problem(), mesh, Layout::Csr);
    index = Array<PetscInt>(a->space, a->elements.data(), a->elements.size());
  }));
  PetscCall(CheckMatrixSize(map.pairs(), a->bs));
  a->mesh            = std::move(mesh); // only now: a failure above leaves what was there
  a->map             = std::move(map);
  a->element_index   = std::move(index);
  a->grid_map        = AssemblyMap();
  a->grid_looked_for = false;
  a->tile_map        = AssemblyMap();
  a->host_ptr.clear();
  a->host_col.clear();
  a->offset.clear();
  a->mat_id = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpCoordinates(GozaAssembly a)
{
  Array<PetscReal> x;

  PetscFunctionBegin;
  PetscCall(Guarded([&] { x = MeshCoordinates(a); }));
  PetscCall(LogArrival(a, a->x.data(), x.bytes()));
  a->mesh.x.swap(x);
  const PetscErrorCode failed = RefuseBadElements(a, a->mesh);
  if (failed) a->mesh.x.swap(x);
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RefuseMaterial(GozaAssembly a, PetscInt e)
{
  PetscScalar given[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    given[0] = read_value(a->space, a->first.data() + e);
    if (a->equation == GOZA_ELASTICITY) given[1] = read_value(a->space, a->second.data() + e);
  }));
  PetscCheck(!PetscIsInfOrNanScalar(given[0]) && !PetscIsInfOrNanScalar(given[1]), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Element %" PetscInt_FMT ": its material is not a number", e);
  if (a->equation == GOZA_ELASTICITY) {
    const PetscReal E = PetscRealPart(given[0]), nu = PetscRealPart(given[1]);

    PetscCheck(E > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Element %" PetscInt_FMT ": Young's modulus %g is not positive", e, (double)E);
    PetscCheck(nu > -1 && nu < 0.5, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Element %" PetscInt_FMT
               ": Poisson's ratio %g is not between -1 and 0.5 (at 0.5 the material is incompressible, and displacements alone cannot describe it)",
               e, (double)nu);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpMaterial(GozaAssembly a)
{
  const Materials       given{a->problem().equation, a->mesh.nelem, a->plain ? nullptr : a->element_index.data(), a->first.data(), a->second.data()};
  std::vector<PetscInt> bad;

  PetscFunctionBegin;
  PetscCheck((PetscInt)a->first.size() == a->nelem, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call GozaAssemblySetMaterial() after the elements are set");
  PetscCheck(a->equation != GOZA_ELASTICITY || (PetscInt)a->second.size() == a->nelem, PETSC_COMM_SELF, PETSC_ERR_ORDER,
             "Elasticity needs Poisson's ratio of every element: call GozaAssemblySetMaterial() again");
  PetscCall(Guarded([&] { bad = bad_materials(a->space, given).to_host(); }));
  if (!bad.empty()) PetscCall(RefuseMaterial(a, a->given_as(bad[0])));
  PetscCall(Guarded([&] {
    Array<PetscScalar> m;

    if (a->mesh.material.size() == (std::size_t)2 * given.nelem) m.swap(a->mesh.material);
    else m = Array<PetscScalar>(a->space, (std::size_t)2 * given.nelem);
    convert_materials(a->space, given, m.data());
    a->mesh.material.swap(m);
  }));
  a->material_stale = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From an array [nnodes][bs] to one of the mesh's first n nodes, in `space`; of none there is none. */
static Array<PetscScalar> at_nodes(GozaAssembly a, const std::vector<PetscScalar> &given, PetscInt n)
{
  if (a->plain || given.empty()) return Array<PetscScalar>(a->space, given.data(), given.size());
  std::vector<PetscScalar> values((std::size_t)n * a->bs, 0);

  for (PetscInt k = 0; k < a->nnodes; k++) {
    const PetscInt i = a->number[k];

    if (i >= 0 && i < n) std::copy_n(given.data() + (std::size_t)k * a->bs, a->bs, values.data() + (std::size_t)i * a->bs);
  }
  return Array<PetscScalar>(a->space, values.data(), values.size());
}

static PetscErrorCode SetUpGiven(GozaAssembly a)
{
  Array<unsigned char> fixed;
  Array<PetscScalar>   values;

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    std::vector<unsigned char> bits(a->given.empty() ? 0 : a->mesh.nodes, 0);

    for (PetscInt k = 0; !bits.empty() && k < a->nnodes; k++) {
      const PetscInt i = a->number_of(k);

      for (PetscInt r = 0; i >= 0 && r < a->bs; r++) bits[i] |= (unsigned char)(a->given[(std::size_t)k * a->bs + r] << r);
    }
    fixed  = Array<unsigned char>(a->space, bits.data(), bits.size());
    values = bits.empty() ? Array<PetscScalar>(a->space) : at_nodes(a, a->value, a->mesh.nodes);
    a->mesh.give(std::move(fixed));
  }));
  PetscCall(LogArrival(a, a->given.data(), a->mesh.fixed.bytes() + values.bytes()));
  a->mesh_value.swap(values);
  a->given_stale = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpForces(GozaAssembly a)
{
  Array<PetscScalar> forces, loads;

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    std::vector<PetscScalar> force(a->plain || a->force.empty() ? 0 : (std::size_t)a->mesh.nelem * a->bs);

    for (PetscInt k = 0; !force.empty() && k < a->mesh.nelem; k++)
      std::copy_n(a->force.data() + (std::size_t)a->elements[k] * a->bs, a->bs, force.data() + (std::size_t)k * a->bs);
    forces = a->plain ? Array<PetscScalar>(a->space, a->force.data(), a->force.size()) : Array<PetscScalar>(a->space, force.data(), force.size());
    loads  = at_nodes(a, a->load, a->nowned);
  }));
  if (a->space == Space::Cuda) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(forces.bytes() + loads.bytes())));
  a->mesh_force.swap(forces);
  a->mesh_load.swap(loads);
  a->forces_stale = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's, whatever others have to do. */
static PetscErrorCode SetUpInputs(GozaAssembly a)
{
  PetscFunctionBegin;
  if (a->coordinates_stale) PetscCall(SetUpCoordinates(a));
  a->coordinates_stale = false;
  if (a->material_stale) PetscCall(SetUpMaterial(a));
  if (a->given_stale) PetscCall(SetUpGiven(a));
  if (a->forces_stale) PetscCall(SetUpForces(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}
} // namespace goza::assembly

using namespace goza;

/*@
  GozaAssemblySetUp - Does the symbolic phase: checks the elements, finds the pattern and where each value of an element matrix goes

  Collective

  Input Parameter:
. assembly - the object

  Options Database Key:
. -assembly_view - shows the object when a mesh has been set up

  Level: intermediate

  Notes:
  Called by the functions that need it; what has not changed is not done again: new materials, coordinates, forces or given values cost their conversion, and
  the symbolic phase is done once for a mesh. Errors name the elements that are inverted or flat and the materials that are out
  of range; the object then is as it was before. If device memory does not suffice, the error has the figures.

.seealso: `GozaAssemblyMatrix()`, `GozaAssemblyCreateMatrix()`
@*/
PetscErrorCode GozaAssemblySetUp(GozaAssembly a)
{
  PetscFunctionBegin;
  PetscCall(CheckAssembly(a));
  PetscMPIInt mine[2] = {a->mesh_stale, a->coordinates_stale || a->material_stale || a->given_stale || a->forces_stale}, any[2];
  PetscCallMPI(MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, comm_of(a)));
  if (!any[0] && !any[1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(use_petsc_stream());
  if (any[0]) {
    PetscCall(PetscLogEventBegin(events.symbolic, 0, 0, 0, 0));
    a->mesh_stale = true; // where it is one rank's alone, too, as long as it is not everyone's
    PetscCall(AgreeOnFailure(comm_of(a), SetUpMesh(a)));
    a->halo.reset();
    a->mesh_stale = a->coordinates_stale = false;
    a->material_stale = a->given_stale = a->forces_stale = true;
    PetscCall(PetscLogEventEnd(events.symbolic, 0, 0, 0, 0));
  }
  PetscCall(PetscLogEventBegin(events.inputs, 0, 0, 0, 0));
  PetscCall(AgreeOnFailure(comm_of(a), SetUpInputs(a)));
  PetscCall(PetscLogEventEnd(events.inputs, 0, 0, 0, 0));
  if (any[0]) PetscCall(PetscObjectViewFromOptions((PetscObject)a, NULL, "-assembly_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
