/* Nothing that an assembly was given may be stale, and nothing that stays is done again: after every change its matrices and vectors are, to the bit, those of
   a new object that was given all of it at once, and the symbolic phase is done once for a mesh. */
#include "../support/mesh_case.hpp"
#include "../support/names.hpp"

#include <petscdmda.h>

#include <cmath>
#include <set>

#if PetscDefined(HAVE_CUDA)
  #include "petsc/plugin.hpp"
#endif

using namespace goza_test;

namespace {

constexpr PetscReal rounding = 2000 * PETSC_MACHINE_EPSILON;

/* All that can be given for a mesh, made of one number. */
struct Given {
  std::vector<PetscReal>   x;
  std::vector<PetscScalar> first, second, force, value;
  Flags                    flags;

  Given(const Elements &m, PetscInt bs, int seed) :
    x(m.x), first(m.nelem), second(m.nelem), force((std::size_t)m.nelem * bs), value((std::size_t)m.nnodes * bs), flags((std::size_t)m.nnodes * bs)
  {
    for (PetscInt k = 0; k < m.nnodes; k++) { /* by place, so that all ranks say the same */
      const PetscReal *p = &m.x[3 * k];

      x[3 * k + 2] = p[2] + (PetscReal)0.02 * seed * p[0] * p[1];
      for (PetscInt r = 0; r < bs; r++) {
        flags[k * bs + r] = (PetscBool)(p[seed % 3] < 1e-6 || (r == 1 && p[0] > 1 - 1e-6));
        value[k * bs + r] = seed + r + p[1];
      }
    }
    for (PetscInt e = 0; e < m.nelem; e++) {
      const auto c = m.center(e);

      first[e]  = lossy(seed + (c[0] > 0.5 ? 10 : c[1]), (PetscReal)0.1);
      second[e] = (PetscReal)0.1 * (1 + seed % 3);
      for (PetscInt r = 0; r < bs; r++) force[e * bs + r] = seed + r + c[2];
    }
  }
};

struct Results {
  MatHandle A;
  VecHandle b, r;
};

Results results(const MeshCase &c, GozaAssembly a, const std::string &type)
{
  Results   s;
  VecHandle u;

  PETSC_OK(GozaAssemblyCreateMatrix(a, type.c_str(), s.A.put()));
  PETSC_OK(GozaAssemblyMatrix(a, s.A));
  PETSC_OK(DMCreateGlobalVector(c.dm, u.put()));
  PETSC_OK(VecDuplicate(u, s.b.put()));
  PETSC_OK(VecDuplicate(u, s.r.put()));
  PETSC_OK(VecSetRandom(u, nullptr));
  PETSC_OK(GozaAssemblyRHS(a, s.b));
  PETSC_OK(GozaAssemblyResidual(a, u, s.r));

  VecHandle product; /* r = A u - b, whatever u has in given unknowns */
  PetscReal norm, gap;
  PETSC_OK(VecDuplicate(u, product.put()));
  PETSC_OK(MatMult(s.A, u, product));
  PETSC_OK(VecNorm(product, NORM_2, &norm));
  PETSC_OK(VecAXPY(product, -1, s.b));
  PETSC_OK(VecAXPY(product, -1, s.r));
  PETSC_OK(VecNorm(product, NORM_2, &gap));
  BOOST_TEST(gap <= rounding * (norm + 1));
  return s;
}

/* The same random u in both: PETSc's generator begins anew in every vector. */
void are_equal(const Results &s, const Results &t)
{
  BOOST_TEST(relative_difference(s.A, t.A) == 0);
  BOOST_TEST(largest_gap(s.b, t.b) == 0);
  BOOST_TEST(largest_gap(s.r, t.r) == 0);
}

void give(GozaAssembly a, const Given &g, bool forces = true)
{
  PETSC_OK(GozaAssemblySetMaterial(a, g.first.data(), g.second.data()));
  PETSC_OK(GozaAssemblySetDirichlet(a, g.flags.data(), g.value.data()));
  PETSC_OK(GozaAssemblySetForce(a, forces ? g.force.data() : nullptr));
}

/* A new object on the same DM: another DMPLEX of the same mesh may be distributed otherwise. */
AssemblyHandle on(const MeshCase &c, const EquationName &eq)
{
  AssemblyHandle a;

  PETSC_OK(GozaAssemblyCreate(PETSC_COMM_WORLD, a.put()));
  PETSC_OK(GozaAssemblySetEquation(a, eq.equation, eq.bs));
  PETSC_OK(GozaAssemblySetDM(a, c.dm));
  return a;
}

Results anew(const MeshCase &c, const EquationName &eq, const Given &g, const std::string &type, bool forces = true)
{
  const AssemblyHandle a = on(c, eq);

  PETSC_OK(GozaAssemblySetCoordinates(a, g.x.data()));
  give(a, g, forces);
  return results(c, a, type);
}

/* One input after the other changes in one object, which has been used before; the symbolic phase is never done again. */
void follows(const MeshName &mesh, const EquationName &eq, const std::string &type)
{
  MeshCase       c(mesh, eq, {3, 4, 3}, (PetscReal)0.1);
  const Elements m(c.assembly);
  Given          now(m, eq.bs, 1);
  const Given    other(m, eq.bs, 2);

  PETSC_OK(GozaAssemblySetCoordinates(c.assembly, now.x.data()));
  give(c.assembly, now);
  are_equal(results(c, c.assembly, type), anew(c, eq, now, type));
  const int  symbolic = event_count("GozaFEMSymbolic");
  Results    kept     = results(c, c.assembly, type); /* and the old matrix, into which all goes that follows */
  const auto check    = [&] {
    PETSC_OK(GozaAssemblyMatrix(c.assembly, kept.A));
    const int count = event_count("GozaFEMSymbolic");
    Results   used  = results(c, c.assembly, type);
    BOOST_TEST(event_count("GozaFEMSymbolic") == count);
    Results fresh = anew(c, eq, now, type);
    are_equal(used, fresh);
    BOOST_TEST(relative_difference(kept.A, fresh.A) == 0);
  };

  BOOST_TEST(event_count("GozaFEMSymbolic") == symbolic);
  now.first = other.first;
  PETSC_OK(GozaAssemblySetMaterial(c.assembly, now.first.data(), now.second.data()));
  check();
  now.x = other.x;
  PETSC_OK(GozaAssemblySetCoordinates(c.assembly, now.x.data()));
  check();
  now.value = other.value;
  PETSC_OK(GozaAssemblySetDirichlet(c.assembly, now.flags.data(), now.value.data()));
  check();
  for (std::size_t k = 0; k < now.flags.size(); k++) now.flags[k] = other.flags[k];
  PETSC_OK(GozaAssemblySetDirichlet(c.assembly, now.flags.data(), now.value.data()));
  check();
  now.force = other.force;
  PETSC_OK(GozaAssemblySetForce(c.assembly, now.force.data()));
  check();
  PETSC_OK(GozaAssemblySetForce(c.assembly, nullptr));
  are_equal(results(c, c.assembly, type), anew(c, eq, now, type, false));
}

/* The DM's own coordinates move, and it is given again. */
void moved_dm(const MeshName &mesh, const EquationName &eq)
{
  MeshCase     c(mesh, eq, {3, 3, 4}, (PetscReal)0.1);
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n;
  MatHandle    A, old;

  PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, MATAIJ, A.put()));
  PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, old.put()));
  PETSC_OK(DMGetCoordinatesLocal(c.dm, &coordinates));
  PETSC_OK(VecGetLocalSize(coordinates, &n));
  PETSC_OK(VecGetArray(coordinates, &x));
  for (PetscInt k = 0; k < n; k++) x[k] *= 2;
  PETSC_OK(VecRestoreArray(coordinates, &x));
  const int symbolic = event_count("GozaFEMSymbolic");
  PETSC_OK(GozaAssemblySetDM(c.assembly, c.dm));
  const std::vector<PetscScalar> first(c.first.size(), 1), second(c.second.size(), (PetscReal)0.2); /* those of before are forgotten */
  PETSC_OK(GozaAssemblySetMaterial(c.assembly, first.data(), second.data()));
  PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
  BOOST_TEST(event_count("GozaFEMSymbolic") == symbolic);

  const AssemblyHandle a = on(c, eq);
  MatHandle            B;
  PETSC_OK(GozaAssemblySetMaterial(a, first.data(), second.data()));
  PETSC_OK(GozaAssemblyCreateMatrix(a, MATAIJ, B.put()));
  PETSC_OK(GozaAssemblyMatrix(a, B));
  BOOST_TEST(relative_difference(A, B) == 0);
  BOOST_TEST(relative_difference(A, old) > 0.1);
}

/* Another mesh: new pattern, new exchange. The matrix of the first one is refused, and the object goes back to it. */
void other_mesh(const MeshName &mesh, const EquationName &eq)
{
  MeshCase c(mesh, eq, {3, 3, 4}, (PetscReal)0.1), d(mesh, eq, {4, 3, 5}, (PetscReal)0.1);
  Results  first = results(c, c.assembly, MATAIJ), second = results(d, d.assembly, MATAIJ);

  PETSC_OK(GozaAssemblySetDM(c.assembly, d.dm));
  PETSC_OK(GozaAssemblySetMaterial(c.assembly, d.first.data(), d.second.data()));
  BOOST_TEST(attempt([&] { return GozaAssemblyMatrix(c.assembly, first.A); }).failed);
  are_equal(results(d, c.assembly, MATAIJ), second);
  PETSC_OK(GozaAssemblySetDM(c.assembly, c.dm));
  PETSC_OK(GozaAssemblySetMaterial(c.assembly, c.first.data(), c.second.data()));
  are_equal(results(c, c.assembly, MATAIJ), first);
}

/* Matrices of several types in turn, made by the object and by the DM, each with the values of its time. */
void in_turn(const MeshName &mesh, const EquationName &eq)
{
  MeshCase                 c(mesh, eq, {3, 4, 3}, (PetscReal)0.2);
  std::vector<MatHandle>   matrices;
  std::vector<std::string> types{MATAIJ, MATCDS, MATSLICEDELL, MATFOLD, MATBAIJ};
  std::vector<PetscScalar> scaled(c.first);

  for (const auto &type : types) {
    matrices.emplace_back();
    PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, type.c_str(), matrices.back().put()));
    matrices.emplace_back();
    PETSC_OK(DMSetMatType(c.dm, type.c_str()));
    PETSC_OK(DMCreateMatrix(c.dm, matrices.back().put()));
  }
  for (int again = 0; again < 2; again++) {
    PetscReal factor = 1;

    for (auto &A : matrices) {
      factor *= 2;
      for (std::size_t e = 0; e < scaled.size(); e++) scaled[e] = factor * c.first[e];
      PETSC_OK(GozaAssemblySetMaterial(c.assembly, scaled.data(), c.second.data()));
      PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
    }
    MatHandle B = textbook_assembly(c.dm, Elements(c.assembly), eq.equation, eq.bs, c.first, c.second);

    for (auto &A : matrices) {
      MatHandle copy;

      PETSC_OK(MatScale(B, 2));
      BOOST_TEST(products_differ(A, B) <= rounding);
      PETSC_OK(MatDuplicate(B, MAT_COPY_VALUES, copy.put())); /* which is changed */
      BOOST_TEST(relative_difference(A, copy) <= rounding);
    }
  }
}

/* How far neighbours are apart, in unknowns, among this rank's columns. */
std::set<PetscInt> offsets_of(Mat A, PetscInt bs)
{
  std::set<PetscInt> offsets;
  PetscInt           first, end, ncols;
  const PetscInt    *cols;

  PETSC_OK(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt i = first; i < end; i++) {
    PETSC_OK(MatGetRow(A, i, &ncols, &cols, nullptr));
    for (PetscInt k = 0; k < ncols; k++) {
      if (cols[k] >= i && cols[k] < end && (cols[k] - i) % bs == 0) offsets.insert(cols[k] - i);
    }
    PETSC_OK(MatRestoreRow(A, i, &ncols, &cols, nullptr));
  }
  return offsets;
}

/* Values that somebody has set, also where the mesh has no pair of nodes, are gone afterwards. */
void over_other_values(const MeshName &mesh, const EquationName &eq)
{
  for (PetscInt across : {1, 2, 3}) { /* where a line has two nodes, neighbours in several directions are on one diagonal */
    MeshCase  c(mesh, eq, {across, 4, 3}, (PetscReal)0.2);
    MatHandle A, B;
    PetscInt  first, end;
    PetscBool whole;

    for (MatHandle *M : {&A, &B}) {
      PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, MATCDS, M->put()));
      PETSC_OK(GozaAssemblyMatrix(c.assembly, *M));
    }
    PETSC_OK(PetscObjectTypeCompare((PetscObject)(Mat)A, MATOWNCDS, &whole));
    if (!whole) return; /* other types have no such places */
    PETSC_OK(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt o : offsets_of(B, eq.bs)) {
      for (PetscInt i = first; i + o < end; i++) {
        PETSC_OK(MatSetValue(A, i, i + o, 700, INSERT_VALUES));
        PETSC_OK(MatSetValue(A, i + o, i, 700, INSERT_VALUES));
      }
    }
    PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    BOOST_TEST(relative_difference(A, B) > 0.1);
    PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
    BOOST_TEST(relative_difference(A, B) == 0);
  }
}

/* Another equation on the mesh that was set: the maps are made for it. */
void other_equation(const MeshName &mesh)
{
  const EquationName solid{"elasticity", GOZA_ELASTICITY, 3}, mass{"mass3", GOZA_MASS, 3};
  MeshCase           c(mesh, solid, {3, 4, 3}, (PetscReal)0.1);
  Results            stiff = results(c, c.assembly, MATAIJ);

  PETSC_OK(GozaAssemblySetEquation(c.assembly, GOZA_MASS, 3));
  const AssemblyHandle a = on(c, mass);
  PETSC_OK(GozaAssemblySetMaterial(a, c.first.data(), nullptr));
  are_equal(results(c, c.assembly, MATAIJ), results(c, a, MATAIJ));
  PETSC_OK(GozaAssemblySetEquation(c.assembly, GOZA_ELASTICITY, 3));
  are_equal(results(c, c.assembly, MATAIJ), stiff);
}

/* Materials and stresses of elements as vectors: those that arrays give, the stress of a linear displacement the same everywhere, and refusals. */
void element_vectors(const MeshName &mesh)
{
  const EquationName eq{"elasticity", GOZA_ELASTICITY, 3};
  MeshCase           c(mesh, eq, {3, 4, 3}, (PetscReal)0.1);
  const Elements     m(c.assembly);
  VecHandle          first, second, stress, u, nodal, local;
  PetscScalar       *array;
  PetscReal          low, high;
  PetscInt           n;

  PETSC_OK(GozaAssemblyCreateElementVec(c.assembly, first.put()));
  PETSC_OK(VecDuplicate(first, second.put()));
  PETSC_OK(VecDuplicate(first, stress.put()));
  Results by_arrays = results(c, c.assembly, MATAIJ);
  PETSC_OK(VecSet(first, 2));
  PETSC_OK(VecSet(second, (PetscReal)0.3));
  PETSC_OK(GozaAssemblySetMaterialVecs(c.assembly, first, second));
  PETSC_OK(GozaAssemblyMatrix(c.assembly, by_arrays.A));
  const std::vector<PetscScalar> young(m.nelem, 2), ratio(m.nelem, (PetscReal)0.3);
  MatHandle                      B = textbook_assembly(c.dm, m, eq.equation, 3, young, ratio);
  BOOST_TEST(relative_difference(by_arrays.A, B) <= rounding);

  PETSC_OK(DMCreateGlobalVector(c.dm, u.put()));
  PETSC_OK(DMCreateLocalVector(c.dm, local.put()));
  PETSC_OK(VecGetArray(local, &array));
  for (PetscInt k = 0; k < m.nnodes; k++) {
    array[3 * k]     = 2 * m.x[3 * k] - m.x[3 * k + 1];
    array[3 * k + 1] = 1;
    array[3 * k + 2] = m.x[3 * k];
  }
  PETSC_OK(VecRestoreArray(local, &array));
  PETSC_OK(DMLocalToGlobal(c.dm, local, INSERT_VALUES, u));
  PETSC_OK(GozaAssemblyElementVonMises(c.assembly, u, stress));
  PETSC_OK(VecGetLocalSize(u, &n));
  PETSC_OK(VecCreate(PETSC_COMM_WORLD, nodal.put()));
  PETSC_OK(VecSetSizes(nodal, n / 3, PETSC_DETERMINE));
  PETSC_OK(VecSetFromOptions(nodal));
  PETSC_OK(GozaAssemblyVonMises(c.assembly, u, nodal));
  /* by hand: mu = 2/2.6; strain 2, 0, 0 on the diagonal, -1/2, 1/2, 0 beside it */
  const PetscReal exact = 2 * (2 / (PetscReal)2.6) * PetscSqrtReal(3 * (PetscReal)((4. + 0 + 4.) / 6 + 0.25 + 0.25));
  PETSC_OK(VecMin(nodal, nullptr, &low));
  PETSC_OK(VecMax(nodal, nullptr, &high));
  BOOST_TEST(PetscAbsReal(low - exact) <= rounding * exact);
  BOOST_TEST(PetscAbsReal(high - exact) <= rounding * exact);
  PetscReal   wrong = 0;
  PetscInt    zeros = 0;
  PetscMPIInt size;
  PETSC_OK(VecGetArray(stress, &array));
  for (PetscInt e = 0; e < m.nelem; e++) {
    if (array[e] == 0.) zeros++; /* of an element that touches no node of this rank */
    else wrong = PetscMax(wrong, PetscAbsScalar(array[e] - exact));
  }
  PETSC_OK(VecRestoreArray(stress, &array));
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  BOOST_TEST(max_over_ranks(wrong) <= rounding * exact);
  BOOST_TEST(max_over_ranks(size == 1 ? (PetscReal)zeros : 0) == 0);

  if (size > 1) return;
  const Outcome o = attempt([&] { return GozaAssemblySetMaterialVecs(c.assembly, u, u); });
  BOOST_TEST((o.failed && o.says("GozaAssemblyCreateElementVec")), o.message);
  BOOST_TEST(attempt([&] { return GozaAssemblyResidual(c.assembly, u, u); }).failed);
  PETSC_OK(VecSet(first, -1));
  PETSC_OK(GozaAssemblySetMaterialVecs(c.assembly, first, second));
  const Outcome bad = attempt([&] { return GozaAssemblyMatrix(c.assembly, by_arrays.A); });
  BOOST_TEST((bad.failed && bad.says("Element 0") && bad.says("Young")), bad.message);
}

#if PetscDefined(HAVE_CUDA) && PetscDefined(USE_LOG)
/* With vectors on the device a step copies nothing between it and the host. (Products of several ranks with PETSc's own matrices do where its halo passes
   through the host.) */
void copies_nothing(const MeshName &mesh, const std::string &type)
{
  const EquationName eq{"elasticity", GOZA_ELASTICITY, 3};
  MeshCase           c(mesh, eq, {6, 5, 5}, (PetscReal)0.1);
  MatHandle          A;
  VecHandle          u, r, s, young, ratio;
  Given              g(Elements(c.assembly), 3, 1);
  PetscMPIInt        ranks;

  if (!goza::petsc_on_device()) return;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  give(c.assembly, g);
  PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, type.c_str(), A.put()));
  PETSC_OK(MatCreateVecs(A, u.put(), r.put()));
  PETSC_OK(GozaAssemblyCreateElementVec(c.assembly, young.put()));
  PETSC_OK(VecDuplicate(young, ratio.put()));
  PETSC_OK(VecDuplicate(young, s.put()));
  PETSC_OK(VecSet(u, 1));
  PETSC_OK(VecSet(ratio, (PetscReal)0.3));
  for (int step = 0; step < 3; step++) {
    const PetscLogDouble before = petsc_ctog_ct + petsc_gtoc_ct;

    PETSC_OK(GozaAssemblyElementVonMises(c.assembly, u, s));
    PETSC_OK(VecSet(young, 1 + step));
    PETSC_OK(GozaAssemblySetMaterialVecs(c.assembly, young, ratio));
    PETSC_OK(GozaAssemblyResidual(c.assembly, u, r));
    PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
    if (ranks == 1 || type != MATAIJCUSPARSE) PETSC_OK(MatMult(A, r, u));
    if (step) BOOST_TEST(petsc_ctog_ct + petsc_gtoc_ct == before);
  }
}
#endif

void add()
{
  for (const auto &mesh : mesh_names()) {
    for (const auto &eq : equation_names()) {
      add_test(suite_named(suite_named(nullptr, "moved_dm"), mesh.name), eq.name, [=] { moved_dm(mesh, eq); });
      add_test(suite_named(suite_named(nullptr, "other_mesh"), mesh.name), eq.name, [=] { other_mesh(mesh, eq); });
      add_test(suite_named(suite_named(nullptr, "in_turn"), mesh.name), eq.name, [=] { in_turn(mesh, eq); });
      add_test(suite_named(suite_named(nullptr, "over_other_values"), mesh.name), eq.name, [=] { over_other_values(mesh, eq); });
      for (const char *type : {MATAIJ, MATCDS})
        add_test(suite_named(suite_named(suite_named(nullptr, "follows"), mesh.name), eq.name), type, [=] { follows(mesh, eq, type); });
    }
    add_test(suite_named(nullptr, "other_equation"), mesh.name, [=] { other_equation(mesh); });
    add_test(suite_named(nullptr, "element_vectors"), mesh.name, [=] { element_vectors(mesh); });
#if PetscDefined(HAVE_CUDA) && PetscDefined(USE_LOG)
    for (const char *type : {MATAIJCUSPARSE, MATCDS, MATSLICEDELL})
      add_test(suite_named(suite_named(nullptr, "copies_nothing"), mesh.name), type, [=] { copies_nothing(mesh, type); });
#endif
  }
}
const AddTests tests(add);

} // namespace
