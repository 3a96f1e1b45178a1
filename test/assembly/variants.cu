/* What bench-assembly times beside ours, paper P4's variants and PETSc's COO, on the host and on the device: each gives the matrix that PETSc's MatSetValues()
   makes of the textbook's element matrices. */
#include "../bench/assembly_peers.hpp"
#include "petsc/plugin.hpp"
#include "../support/mesh_case.hpp"

using namespace goza_test;

namespace {

using goza::Space;

constexpr PetscReal rounding = 2000 * PETSC_MACHINE_EPSILON;

/* Meshes of elasticity, in one space. */
struct Case : MeshCase {
  Elements   elements;
  goza::Mesh mesh;

  Case(Space space, const MeshName &name) : MeshCase(name, equation_names()[1], {3, 4, 5}, static_cast<PetscReal>(0.2)), elements(assembly)
  {
    std::vector<PetscReal> material;

    for (PetscInt e = 0; e < elements.nelem; e++) {
      const PetscReal E = first[e], nu = second[e];

      material.insert(material.end(), {E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))});
    }
    mesh.kind  = elements.corners == 8 ? goza::ElementKind::Hex8 : goza::ElementKind::Tet4;
    mesh.nelem = elements.nelem;
    mesh.nodes = mesh.owned = elements.nnodes;
    mesh.conn               = goza::Array<PetscInt>(space, elements.conn.data(), elements.conn.size());
    mesh.x                  = goza::Array<PetscReal>(space, elements.x.data(), elements.x.size());
    mesh.material           = goza::Array<PetscReal>(space, material.data(), material.size());
  }

  MatHandle textbook() const { return textbook_assembly(dm, elements, GOZA_ELASTICITY, 3, first, second); }
};

/* The paper's blocks in PETSc's matrix. */
MatHandle matrix_of(const goza::AssemblyMap &map, const goza::Array<PetscScalar> &val)
{
  const std::vector<PetscInt>    ptr = map.ptr.to_host(), col = map.col.to_host();
  const std::vector<PetscScalar> blocks = val.to_host();
  const PetscInt                 n      = static_cast<PetscInt>(ptr.size()) - 1;
  MatHandle                      A;

  PETSC_OK(MatCreateSeqAIJ(PETSC_COMM_SELF, 3 * n, 3 * n, 3 * map.longest, nullptr, A.put()));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) {
      const PetscInt rows[3] = {3 * i, 3 * i + 1, 3 * i + 2}, cols[3] = {3 * col[k], 3 * col[k] + 1, 3 * col[k] + 2};

      PETSC_OK(MatSetValues(A, 3, rows, 3, cols, blocks.data() + static_cast<std::size_t>(9) * k, INSERT_VALUES));
    }
  }
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

template <class Element> void variant(Space space, const MeshName &name, goza_bench::Way way, bool atomic)
{
  const Case              c(space, name);
  const goza::AssemblyMap map = goza::make_assembly_map(c.mesh);
  const goza_bench::Order order(space, c.mesh, atomic);
  goza_bench::Bench       bench;

  bench.space = space;
  for (const PetscInt blksiz : {1, 7, 60, 8192}) { /* one element, parts of the mesh with a rest, exactly the hexahedra, more than there are */
    goza_bench::Between<Element> between(space, way, blksiz);
    goza::Array<PetscScalar>     val(space, static_cast<std::size_t>(map.pairs()) * 9);
    MatHandle                    B = c.textbook();

    val.zero();
    PETSC_OK(goza_bench::RunBlocks<Element>(bench, way, between.block(c.mesh, map, order, val.data()), order.parts, blksiz));
    MatHandle A = matrix_of(map, val);
    BOOST_TEST(relative_difference(A, B) <= rounding);

    double steps[4] = {};

    val.zero();
    PETSC_OK(goza_bench::RunBlocks<Element>(bench, way, between.block(c.mesh, map, order, val.data()), order.parts, blksiz, steps));
    MatHandle timed = matrix_of(map, val); /* the parts of a kernel that are timed before it leave nothing behind */
    BOOST_TEST(relative_difference(timed, B) <= rounding);
    for (const double seconds : steps) BOOST_TEST(seconds >= 0);
  }
}

void coo(Space space, const MeshName &name)
{
  const Case            c(space, name);
  goza_bench::Bench     bench;
  goza_bench::COOValues values(space, c.mesh);
  MatHandle             A, B = c.textbook();
  PetscLogDouble        symbolic;

  bench.space = space;
  PETSC_OK(goza_bench::PreallocateCOO(bench, c.mesh, A.put(), &symbolic));
  for (int again = 0; again < 2; again++) PETSC_OK(values.set(A));
  BOOST_TEST(relative_difference(A, B) <= rounding);
}

void add()
{
  std::vector<Space> spaces{Space::Host};

  if (goza::default_space() == Space::Cuda) spaces.push_back(Space::Cuda);
  for (const Space space : spaces) {
    auto *in_space = suite_named(nullptr, goza::space_name(space));

    for (const auto &name : mesh_names()) {
      auto *suite = suite_named(in_space, name.name);

      for (const goza_bench::NamedWay &way : goza_bench::paper_ways) {
        for (const bool atomic : {true, false}) {
          add_test(suite, std::string(way.name) + (atomic ? "_atomic" : "_colour"), [=] {
            if (name.tets) variant<goza::Tet4>(space, name, way.way, atomic);
            else variant<goza::Hex8>(space, name, way.way, atomic);
          });
        }
      }
      /* PETSc's COO takes arrays of the device with a CUDA PETSc alone */
      if (!name.tets && (space == Space::Host || goza::petsc_on_device())) add_test(suite, "coo", [=] { coo(space, name); });
    }
  }
}
const AddTests tests(add);

} // namespace
