/* What assembled matrices must know of mechanics, and bad input: patch test, rigid-body modes, second order, the two kinds of element, refusals that name what
   is wrong. */
#include "assembly/api/assembly.hpp"
#include "core/device/device.hpp"
#include "core/device/properties.hpp"
#include "petsc/plugin.hpp"

#include "../support/mesh_case.hpp"

#include <petscdmda.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace goza_test;

namespace {

constexpr PetscReal rounding = 2000 * PETSC_MACHINE_EPSILON;

struct Solid {
  DMHandle       dm;
  AssemblyHandle assembly;

  Solid(const MeshName &mesh, PetscInt n, PetscReal wobble, bool one_material, GozaEquation equation = GOZA_ELASTICITY) :
    dm(make_dm(mesh, {n, n, n}, equation == GOZA_ELASTICITY ? 3 : 1, wobble))
  {
    PETSC_OK(GozaAssemblyCreate(PETSC_COMM_WORLD, assembly.put()));
    PETSC_OK(GozaAssemblySetEquation(assembly, equation, equation == GOZA_ELASTICITY ? 3 : 1));
    PETSC_OK(GozaAssemblySetDM(assembly, dm));
    const Elements           m(assembly);
    std::vector<PetscScalar> first(m.nelem), second(m.nelem);

    for (PetscInt e = 0; e < m.nelem; e++) {
      first[e]  = one_material || m.center(e)[0] < 0.5 ? 2 : 50;
      second[e] = one_material || m.center(e)[1] < 0.5 ? (PetscReal)0.3 : (PetscReal)0.2;
    }
    PETSC_OK(GozaAssemblySetMaterial(assembly, first.data(), second.data()));
  }

  /* u(x) at all nodes, as a global vector */
  template <class Function> VecHandle field(const Function &u) const
  {
    const Elements m(assembly);
    VecHandle      global, local;
    PetscScalar   *array;
    PetscInt       bs;

    PETSC_OK(DMCreateGlobalVector(dm, global.put()));
    PETSC_OK(DMCreateLocalVector(dm, local.put()));
    PETSC_OK(VecGetLocalSize(local, &bs));
    bs /= m.nnodes;
    PETSC_OK(VecGetArray(local, &array));
    for (PetscInt k = 0; k < m.nnodes; k++) u(&m.x[3 * k], array + bs * k);
    PETSC_OK(VecRestoreArray(local, &array));
    PETSC_OK(DMLocalToGlobal(dm, local, INSERT_VALUES, global));
    return global;
  }

  template <class Function> void give_boundary(const Function &u) const
  {
    const Elements           m(assembly);
    Flags                    given(3 * m.nnodes);
    std::vector<PetscScalar> value(3 * m.nnodes, 0);

    for (PetscInt k = 0; k < m.nnodes; k++) {
      bool boundary = false;

      for (int d = 0; d < 3; d++) boundary = boundary || m.x[3 * k + d] < 1e-6 || m.x[3 * k + d] > 1 - 1e-6;
      for (int d = 0; d < 3; d++) given[3 * k + d] = (PetscBool)boundary;
      u(&m.x[3 * k], &value[3 * k]);
    }
    PETSC_OK(GozaAssemblySetDirichlet(assembly, given.data(), value.data()));
  }

  VecHandle solve() const
  {
    MatHandle A;
    VecHandle b, x;
    KSPHandle ksp;
    PC        pc;

    PETSC_OK(GozaAssemblyCreateMatrix(assembly, MATAIJ, A.put()));
    PETSC_OK(GozaAssemblyMatrix(assembly, A));
    PETSC_OK(MatCreateVecs(A, x.put(), b.put()));
    PETSC_OK(GozaAssemblyRHS(assembly, b));
    PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
    PETSC_OK(KSPSetOperators(ksp, A, A));
    PETSC_OK(KSPSetType(ksp, KSPCG));
    PETSC_OK(KSPGetPC(ksp, &pc));
    PETSC_OK(PCSetType(pc, PCPBJACOBI));
    PETSC_OK(KSPSetTolerances(ksp, 100 * PETSC_MACHINE_EPSILON, PETSC_DEFAULT, PETSC_DEFAULT, 5000));
    PETSC_OK(KSPSolve(ksp, b, x));
    return x;
  }
};

PetscReal largest(Vec v)
{
  PetscReal norm;
  PETSC_OK(VecNorm(v, NORM_INFINITY, &norm));
  return norm;
}

PetscReal gap(Vec v, Vec w)
{
  VecHandle d;
  PETSC_OK(VecDuplicate(v, d.put()));
  PETSC_OK(VecWAXPY(d, -1, v, w));
  return largest(d);
}

const auto linear = [](const PetscReal *x, PetscScalar *u) {
  u[0] = 1 + 2 * x[0] - x[1];
  u[1] = x[2] + 3 * x[1] / 2;
  u[2] = x[0] - x[1] + x[2];
};

/* A linear displacement given on the boundary is the solution inside, whatever the elements' shapes; its stress is the same everywhere. */
void patch_test(const MeshName &mesh)
{
  const Solid solid(mesh, 4, (PetscReal)0.3, true);

  solid.give_boundary(linear);
  VecHandle x = solid.solve(), exact = solid.field(linear);
  BOOST_TEST(gap(x, exact) <= 1000 * rounding * largest(exact));

  VecHandle stress;
  PetscInt  n;
  PetscReal low, high;
  PETSC_OK(VecGetLocalSize(x, &n));
  PETSC_OK(VecCreate(PETSC_COMM_WORLD, stress.put()));
  PETSC_OK(VecSetSizes(stress, n / 3, PETSC_DETERMINE));
  PETSC_OK(VecSetFromOptions(stress));
  PETSC_OK(GozaAssemblyVonMises(solid.assembly, x, stress));
  PETSC_OK(VecMin(stress, nullptr, &low));
  PETSC_OK(VecMax(stress, nullptr, &high));
  /* by hand: mu = 2/2.6; strain 2, 3/2, 1 on the diagonal, -1/2, 0, 1/2 beside it */
  const PetscReal mu = 2 / (PetscReal)2.6, J2 = (PetscReal)(((2 - 1.5) * (2 - 1.5) + (1.5 - 1) * (1.5 - 1) + (1 - 2.) * (1 - 2.)) / 6 + 0.25 + 0 + 0.25);
  BOOST_TEST(PetscAbsReal(low - 2 * mu * PetscSqrtReal(3 * J2)) <= 1e4 * rounding);
  BOOST_TEST(PetscAbsReal(high - 2 * mu * PetscSqrtReal(3 * J2)) <= 1e4 * rounding);
}

/* The six rigid-body motions need no force; a seventh, a stretch, does. */
void rigid_body(const MeshName &mesh)
{
  const Solid solid(mesh, 4, (PetscReal)0.2, false);
  MatHandle   A;

  PETSC_OK(GozaAssemblyCreateMatrix(solid.assembly, MATAIJ, A.put()));
  PETSC_OK(GozaAssemblyMatrix(solid.assembly, A));
  PetscReal norm;
  PETSC_OK(MatNorm(A, NORM_INFINITY, &norm));
  for (int mode = 0; mode < 7; mode++) {
    VecHandle u = solid.field([&](const PetscReal *x, PetscScalar *v) {
      for (int d = 0; d < 3; d++) v[d] = mode == d;
      if (mode >= 3 && mode < 6) {
        v[(mode + 1) % 3] = -x[(mode + 2) % 3];
        v[(mode + 2) % 3] = x[(mode + 1) % 3];
      }
      if (mode == 6) v[0] = x[0];
    });
    VecHandle f;

    PETSC_OK(VecDuplicate(u, f.put()));
    PETSC_OK(MatMult(A, u, f));
    if (mode < 6) BOOST_TEST(largest(f) <= rounding * norm);
    else BOOST_TEST(largest(f) > 1e-3 * norm);
  }
}

/* u = (sin(x) y, z^2 x, x y z): the error falls by four with half the size, and hexahedra and tetrahedra come to the same. */
void second_order(const MeshName &mesh)
{
  const auto exact = [](const PetscReal *x, PetscScalar *u) {
    u[0] = PetscSinReal(x[0]) * x[1];
    u[1] = x[2] * x[2] * x[0];
    u[2] = x[0] * x[1] * x[2];
  };
  PetscReal error[2];

  for (int k = 0; k < 2; k++) {
    const Solid              solid(mesh, k ? 8 : 4, 0, true);
    const Elements           m(solid.assembly);
    std::vector<PetscScalar> f(3 * m.nelem);
    const PetscReal          lambda = (PetscReal)(2 * 0.3 / (1.3 * 0.4)), mu = (PetscReal)(2 / 2.6);

    for (PetscInt e = 0; e < m.nelem; e++) {
      const auto c = m.center(e);

      f[3 * e]     = mu * PetscSinReal(c[0]) * c[1] - (lambda + mu) * (c[1] - PetscSinReal(c[0]) * c[1]);
      f[3 * e + 1] = -mu * 2 * c[0] - (lambda + mu) * (PetscCosReal(c[0]) + c[0]);
      f[3 * e + 2] = 0;
    }
    PETSC_OK(GozaAssemblySetForce(solid.assembly, f.data()));
    solid.give_boundary(exact);
    VecHandle x = solid.solve(), u = solid.field(exact);
    error[k] = gap(x, u);
  }
  BOOST_TEST(error[0] < 2e-3);
  BOOST_TEST(error[0] > (PetscReal)3 * error[1]);
}

/* A bar pulled at its end: the Neumann boundary in sum and in displacement, on either kind of element and of face. */
void pulled_bar(const MeshName &mesh)
{
  const Solid      solid(mesh, 3, (PetscReal)0.2, true);
  const Elements   m(solid.assembly);
  static const int hex[6][4]     = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}},
                   tet[4][3]     = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const int                sides = m.corners == 8 ? 6 : 4, k = m.corners == 8 ? 4 : 3;
  std::vector<PetscInt>    faces;
  std::vector<PetscScalar> traction;
  Flags                    given(3 * m.nnodes);

  for (PetscInt e = 0; e < m.nelem; e++) {
    for (int s = 0; s < sides; s++) {
      std::vector<PetscInt> face;

      for (int b = 0; b < k; b++) {
        const PetscInt node = m.conn[e * m.corners + (k == 4 ? hex[s][b] : tet[s][b])];
        if (m.x[3 * node] > 1 - 1e-6) face.push_back(node);
      }
      if ((int)face.size() < k) continue;
      faces.insert(faces.end(), face.begin(), face.end());
      traction.insert(traction.end(), {(PetscReal)0.5, 0, 0});
    }
  }
  for (PetscInt n = 0; n < m.nnodes; n++) {
    for (int d = 0; d < 3; d++) given[3 * n + d] = (PetscBool)(m.x[3 * n + d] < 1e-6); /* rollers on three faces */
  }
  PETSC_OK(GozaAssemblySetTraction(solid.assembly, (PetscInt)faces.size() / k, k, faces.data(), traction.data()));

  VecHandle b, along;
  PetscReal total;
  PETSC_OK(DMCreateGlobalVector(solid.dm, b.put()));
  PETSC_OK(GozaAssemblyRHS(solid.assembly, b));
  along = solid.field([](const PetscReal *, PetscScalar *v) {
    v[0] = 1;
    v[1] = v[2] = 0;
  });
  PetscScalar dot;
  PETSC_OK(VecDot(b, along, &dot));
  total = PetscRealPart(dot);
  BOOST_TEST(PetscAbsReal(total - (PetscReal)0.5) <= rounding); /* on an area of 1 */

  PETSC_OK(GozaAssemblySetDirichlet(solid.assembly, given.data(), nullptr));
  VecHandle x = solid.solve(), exact = solid.field([](const PetscReal *p, PetscScalar *v) {
    v[0] = p[0] / 4; /* sigma / E = 0.5 / 2 */
    v[1] = (PetscReal)-0.3 * p[1] / 4;
    v[2] = (PetscReal)-0.3 * p[2] / 4;
  });
  BOOST_TEST(gap(x, exact) <= 1000 * rounding);
}

/* --- refusals */

std::vector<PetscReal> cube_nodes()
{
  std::vector<PetscReal> x;
  for (int k = 0; k < 12; k++) x.insert(x.end(), {(PetscReal)(k % 2), (PetscReal)(k / 2 % 2), (PetscReal)(k / 4)});
  return x;
}

Outcome set_up(GozaElementType type, const std::vector<PetscInt> &conn, const std::vector<PetscReal> &x, PetscReal E = 1, PetscReal nu = (PetscReal)0.3)
{
  AssemblyHandle                 a;
  const PetscInt                 nelem = (PetscInt)conn.size() / (type == GOZA_HEX8 ? 8 : 4), nnodes = (PetscInt)x.size() / 3;
  const std::vector<PetscScalar> first(nelem, E), second(nelem, nu);

  PETSC_OK(GozaAssemblyCreate(PETSC_COMM_SELF, a.put()));
  PETSC_OK(GozaAssemblySetEquation(a, GOZA_ELASTICITY, 3));
  PETSC_OK(GozaAssemblySetElements(a, type, nelem, conn.data(), nnodes, x.data(), nnodes, nullptr));
  PETSC_OK(GozaAssemblySetMaterial(a, first.data(), second.data()));
  return attempt([&] { return GozaAssemblySetUp(a); });
}

const std::vector<PetscInt> two_cubes = {0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 10, 11};

void bad_input()
{
  BOOST_TEST(!set_up(GOZA_HEX8, two_cubes, cube_nodes()).failed);

  auto inverted = two_cubes; /* the second cube upside down */
  std::swap_ranges(inverted.begin() + 8, inverted.begin() + 12, inverted.begin() + 12);
  Outcome o = set_up(GOZA_HEX8, inverted, cube_nodes());
  BOOST_TEST((o.failed && o.says("number 1") && o.says("inverted")), o.message);

  auto flat = cube_nodes(); /* the first cube without height */
  for (int k = 0; k < 4; k++) flat[3 * k + 2] = 1;
  o = set_up(GOZA_HEX8, two_cubes, flat);
  BOOST_TEST((o.failed && o.says("number 0") && o.says("flat")), o.message);

  o = set_up(GOZA_TET4, {0, 1, 2, 4, 1, 3, 2, 5, 0, 1, 2, 3}, cube_nodes()); /* the last one has four corners of a square */
  BOOST_TEST((o.failed && o.says("number 2")), o.message);

  auto nan = cube_nodes();
  nan[5]   = std::numeric_limits<PetscReal>::quiet_NaN();
  o        = set_up(GOZA_HEX8, two_cubes, nan);
  BOOST_TEST((o.failed && o.says("number 0")), o.message);

  auto outside = two_cubes;
  outside[9]   = 12;
  o            = set_up(GOZA_HEX8, outside, cube_nodes());
  BOOST_TEST((o.failed && o.says("Element 1") && o.says("node 12 of 12")), o.message);

  o = set_up(GOZA_HEX8, two_cubes, cube_nodes(), 1, (PetscReal)0.5);
  BOOST_TEST((o.failed && o.says("Element 0") && o.says("0.5")), o.message);
  o = set_up(GOZA_HEX8, two_cubes, cube_nodes(), -1);
  BOOST_TEST((o.failed && o.says("Young")), o.message);

  AssemblyHandle a;
  PETSC_OK(GozaAssemblyCreate(PETSC_COMM_SELF, a.put()));
  o = attempt([&] { return GozaAssemblySetUp(a); });
  BOOST_TEST((o.failed && o.says("GozaAssemblySetDM")), o.message);
  o = attempt([&] { return GozaAssemblySetEquation(a, GOZA_ELASTICITY, 1); });
  BOOST_TEST((o.failed && o.says("elasticity 3")), o.message);
  o = attempt([&] { return GozaAssemblySetElements(a, (GozaElementType)7, 0, nullptr, 0, nullptr, 0, nullptr); });
  BOOST_TEST((o.failed && o.says("Element type 7")), o.message);

  DMHandle flatland; /* two dimensions */
  PETSC_OK(DMDACreate2d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, 3, 3, 1, 1, 1, 1, nullptr, nullptr, flatland.put()));
  PETSC_OK(DMSetUp(flatland));
  o = attempt([&] { return GozaAssemblySetDM(a, flatland); });
  BOOST_TEST((o.failed && o.says("2 dimensions")), o.message);
}

/* A failed set-up leaves what was there: the next one with good input works, and so does a matrix that has too small a pattern refuse. */
void recovers()
{
  AssemblyHandle a;
  MatHandle      A, small;
  const auto     x    = cube_nodes();
  auto           bad  = x;
  PetscScalar    E[2] = {1, 2}, nu[2] = {0, 0};
  PetscReal      norm, again;

  PETSC_OK(GozaAssemblyCreate(PETSC_COMM_SELF, a.put()));
  PETSC_OK(GozaAssemblySetEquation(a, GOZA_ELASTICITY, 3));
  PETSC_OK(GozaAssemblySetElements(a, GOZA_HEX8, 2, two_cubes.data(), 12, x.data(), 12, nullptr));
  PETSC_OK(GozaAssemblySetMaterial(a, E, nu));
  PETSC_OK(GozaAssemblyCreateMatrix(a, MATAIJ, A.put()));
  PETSC_OK(GozaAssemblyMatrix(a, A));
  PETSC_OK(MatNorm(A, NORM_FROBENIUS, &norm));
  E[1] = -1;
  PETSC_OK(GozaAssemblySetMaterial(a, E, nu));
  BOOST_TEST(attempt([&] { return GozaAssemblyMatrix(a, A); }).failed);
  PETSC_OK(MatNorm(A, NORM_FROBENIUS, &again));
  BOOST_TEST(norm == again); /* nothing half-written */
  E[1] = 2;
  PETSC_OK(GozaAssemblySetMaterial(a, E, nu));
  PETSC_OK(GozaAssemblyMatrix(a, A));
  PETSC_OK(MatNorm(A, NORM_FROBENIUS, &again));
  BOOST_TEST(norm == again);

  PETSC_OK(MatCreateSeqAIJ(PETSC_COMM_SELF, 36, 36, 1, nullptr, small.put()));
  for (PetscInt i = 0; i < 36; i++) PETSC_OK(MatSetValue(small, i, i, 1, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(small, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(small, MAT_FINAL_ASSEMBLY));
  const Outcome o = attempt([&] { return GozaAssemblyMatrix(a, small); });
  BOOST_TEST((o.failed && o.says("no place for the 3 x 3 block of nodes 0 and 0")), o.message);
}

/* What this PETSc's integers cannot count is refused before an array is looked at (here there are none), and the object keeps what it had. */
void too_large()
{
  AssemblyHandle  a;
  const auto      x = cube_nodes();
  const PetscInt *conn;
  PetscInt        nelem;
  const auto      refused = [](const Outcome &o, const char *figure) { BOOST_TEST((o.code == PETSC_ERR_ARG_OUTOFRANGE && o.says(figure)), o.message); };

  const PetscInt64 most = PETSC_MAX_INT;
  BOOST_TEST(!attempt([&] { return goza::CheckMeshSize(most / 8, 8, most / 3, 3); }).failed);
  refused(attempt([&] { return goza::CheckMeshSize(most / 8 + 1, 8, 8, 3); }), "corners of elements");
  refused(attempt([&] { return goza::CheckMeshSize(1, 8, most / 3 + 1, 3); }), "unknowns");
  BOOST_TEST(!attempt([&] { return goza::CheckMatrixSize(most / 9, 3); }).failed);
  refused(attempt([&] { return goza::CheckMatrixSize(most / 9 + 1, 3); }), "nonzeros");
  if (sizeof(PetscInt) > 4) return;

  PETSC_OK(GozaAssemblyCreate(PETSC_COMM_SELF, a.put()));
  PETSC_OK(GozaAssemblySetEquation(a, GOZA_ELASTICITY, 3));
  PETSC_OK(GozaAssemblySetElements(a, GOZA_HEX8, 2, two_cubes.data(), 12, x.data(), 12, nullptr));
  refused(attempt([&] { return GozaAssemblySetElements(a, GOZA_HEX8, 300000000, nullptr, 0, nullptr, 0, nullptr); }), "2400000000 corners");
  refused(attempt([&] { return GozaAssemblySetElements(a, GOZA_TET4, 600000000, nullptr, 0, nullptr, 0, nullptr); }), "2400000000 corners");
  refused(attempt([&] { return GozaAssemblySetElements(a, GOZA_HEX8, 0, nullptr, 800000000, nullptr, 800000000, nullptr); }), "2400000000 unknowns");
  PETSC_OK(GozaAssemblyGetElements(a, nullptr, &nelem, &conn, nullptr, nullptr));
  BOOST_TEST((nelem == 2 && std::equal(two_cubes.begin(), two_cubes.end(), conn)));
}

/* Wherever device memory runs out: an error with the figures, nothing half-written, and with more of it the same object goes on. */
void too_little_memory()
{
  using namespace goza;
  if (!device::available() || default_space() != Space::Cuda) return;
  const Solid       solid({"hex", false, false}, 8, 0, true);
  const std::size_t before = device::bytes_in_use();
  MatHandle         A;

  for (std::size_t share : {0, 1, 2, 3}) {
    device::set_memory_limit(before + 1 + share * 20000);
    const Outcome o = attempt([&] { return GozaAssemblySetUp(solid.assembly); });
    device::set_memory_limit(0);
    BOOST_TEST(o.code == PETSC_ERR_MEM);
    BOOST_TEST((o.says("asked for") && o.says("free of")), o.message);
    BOOST_TEST(device::bytes_in_use() == before);
  }
  PETSC_OK(GozaAssemblyCreateMatrix(solid.assembly, MATAIJ, A.put()));
  PETSC_OK(GozaAssemblyMatrix(solid.assembly, A));

  PetscReal                      norm, again; /* new materials find no room: the values stay */
  const Elements                 m(solid.assembly);
  const std::vector<PetscScalar> first(m.nelem, 7), second(m.nelem, (PetscReal)0.1);
  PETSC_OK(MatNorm(A, NORM_FROBENIUS, &norm));
  PETSC_OK(GozaAssemblySetMaterial(solid.assembly, first.data(), second.data()));
  device::set_memory_limit(device::bytes_in_use() + 1);
  const Outcome o = attempt([&] { return GozaAssemblyMatrix(solid.assembly, A); });
  device::set_memory_limit(0);
  BOOST_TEST(o.code == PETSC_ERR_MEM);
  BOOST_TEST((o.says("asked for") && o.says("free of")), o.message);
  PETSC_OK(MatNorm(A, NORM_FROBENIUS, &again));
  BOOST_TEST(norm == again);
  PETSC_OK(GozaAssemblyMatrix(solid.assembly, A));
  PETSC_OK(MatNorm(A, NORM_FROBENIUS, &again));
  BOOST_TEST(norm != again);
}

void add()
{
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (const auto &mesh : mesh_names()) {
    add_test(suite_named(nullptr, "patch_test"), mesh.name, [=] { patch_test(mesh); });
    add_test(suite_named(nullptr, "rigid_body"), mesh.name, [=] { rigid_body(mesh); });
    add_test(suite_named(nullptr, "second_order"), mesh.name, [=] { second_order(mesh); });
    add_test(suite_named(nullptr, "pulled_bar"), mesh.name, [=] { pulled_bar(mesh); });
  }
  if (size > 1) return;
  add_test(suite_named(nullptr, "refusals"), "bad_input", bad_input);
  add_test(suite_named(nullptr, "refusals"), "recovers", recovers);
  add_test(suite_named(nullptr, "refusals"), "too_large", too_large);
  add_test(suite_named(nullptr, "refusals"), "too_little_memory", too_little_memory);
}
const AddTests tests(add);

} // namespace
