/* A GozaAssembly is an object of PETSc's: it counts references, has a prefix, options and a view, and what is none is an error. */
#include "../support/mat_case.hpp"
#include "../support/mesh_case.hpp"
#include "../support/names.hpp"

#include <functional>

using namespace goza_test;

namespace {

AssemblyHandle make()
{
  AssemblyHandle a;

  PETSC_OK(GozaAssemblyCreate(PETSC_COMM_WORLD, a.put()));
  return a;
}

std::string viewed(GozaAssembly a)
{
  return printed([a](PetscViewer viewer) { return GozaAssemblyView(a, viewer); });
}

/* A null pointer, a destroyed object and one of another class are errors of every function, not crashes. */
void refused(GozaAssembly none)
{
  GozaEquation equation;
  PetscInt     bs;
  DM           dm;
  Mat          A;
  const char  *prefix;

  for (const auto &call : std::vector<std::function<PetscErrorCode()>>{
         [&] { return GozaAssemblySetEquation(none, GOZA_MASS, 1); },
         [&] { return GozaAssemblyGetEquation(none, &equation, &bs); },
         [&] { return GozaAssemblySetDM(none, nullptr); },
         [&] { return GozaAssemblyGetDM(none, &dm); },
         [&] { return GozaAssemblySetElements(none, GOZA_HEX8, 0, nullptr, 0, nullptr, 0, nullptr); },
         [&] { return GozaAssemblyGetElements(none, nullptr, nullptr, nullptr, nullptr, nullptr); },
         [&] { return GozaAssemblySetMaterial(none, nullptr, nullptr); },
         [&] { return GozaAssemblySetMaterialVecs(none, nullptr, nullptr); },
         [&] { return GozaAssemblyCreateElementVec(none, nullptr); },
         [&] { return GozaAssemblySetCoordinates(none, nullptr); },
         [&] { return GozaAssemblySetDirichlet(none, nullptr, nullptr); },
         [&] { return GozaAssemblySetForce(none, nullptr); },
         [&] { return GozaAssemblySetTraction(none, 0, 0, nullptr, nullptr); },
         [&] { return GozaAssemblySetUp(none); },
         [&] { return GozaAssemblyCreateMatrix(none, MATAIJ, &A); },
         [&] { return GozaAssemblyMatrix(none, nullptr); },
         [&] { return GozaAssemblyRHS(none, nullptr); },
         [&] { return GozaAssemblyResidual(none, nullptr, nullptr); },
         [&] { return GozaAssemblyVonMises(none, nullptr, nullptr); },
         [&] { return GozaAssemblyElementVonMises(none, nullptr, nullptr); },
         [&] { return GozaAssemblyView(none, nullptr); },
         [&] { return GozaAssemblySetFromOptions(none); },
         [&] { return GozaAssemblySetOptionsPrefix(none, "a_"); },
         [&] { return GozaAssemblyGetOptionsPrefix(none, &prefix); },
       }) {
    const Outcome o = attempt(call);

    BOOST_TEST((o.failed && o.says("GozaAssembly")), o.message);
  }
}

void refusals()
{
  GozaAssembly gone = nullptr;
  KSP          other;

  PETSC_OK(GozaAssemblyDestroy(&gone)); // nothing to destroy is no error
  refused(nullptr);
  PETSC_OK(KSPCreate(PETSC_COMM_WORLD, &other));
  refused(reinterpret_cast<GozaAssembly>(other));
  PETSC_OK(KSPDestroy(&other));
}

/* It lives as long as somebody refers to it, and what is composed with it goes with it. */
void references()
{
  GozaAssembly a, b;
  PetscObject  kept;
  VecHandle    v;
  PetscInt     count;

  PETSC_OK(GozaAssemblyCreate(PETSC_COMM_WORLD, &a));
  b = a;
  PETSC_OK(PetscObjectReference((PetscObject)a));
  PETSC_OK(VecCreateMPI(PETSC_COMM_WORLD, 1, PETSC_DETERMINE, v.put()));
  PETSC_OK(PetscObjectCompose((PetscObject)a, "v", (PetscObject)(Vec)v));
  PETSC_OK(GozaAssemblyDestroy(&a));
  BOOST_TEST(!a);
  PETSC_OK(PetscObjectQuery((PetscObject)b, "v", &kept));
  BOOST_TEST(kept == (PetscObject)(Vec)v);
  PETSC_OK(PetscObjectDestroy((PetscObject *)&b));
  PETSC_OK(PetscObjectGetReference((PetscObject)(Vec)v, &count));
  BOOST_TEST(count == 1);
}

/* The option behind its prefix, what it sets, and the view that says so. */
void options_and_view(const MeshName &mesh)
{
  const AssemblyHandle a  = make();
  const DMHandle       dm = make_dm(mesh, {3, 4, 3}, 3, 0);
  GozaEquation         equation;
  PetscInt             bs;
  const char          *prefix;
  DM                   given;

  PETSC_OK(PetscOptionsSetValue(nullptr, "-solid_assembly_equation", "elasticity"));
  PETSC_OK(GozaAssemblySetFromOptions(a));
  PETSC_OK(GozaAssemblyGetEquation(a, &equation, &bs));
  BOOST_TEST((equation == GOZA_DIFFUSION && bs == 1));
  BOOST_TEST(viewed(a).find("no elements yet") != std::string::npos, viewed(a));
  PETSC_OK(GozaAssemblySetOptionsPrefix(a, "solid_"));
  PETSC_OK(GozaAssemblyGetOptionsPrefix(a, &prefix));
  BOOST_TEST(std::string(prefix) == "solid_");
  PETSC_OK(GozaAssemblySetFromOptions(a));
  PETSC_OK(GozaAssemblyGetEquation(a, &equation, nullptr));
  PETSC_OK(GozaAssemblyGetEquation(a, nullptr, &bs));
  BOOST_TEST((equation == GOZA_ELASTICITY && bs == 3));
  PETSC_OK(PetscOptionsClearValue(nullptr, "-solid_assembly_equation"));
  PETSC_OK(GozaAssemblyGetDM(a, &given));
  BOOST_TEST(!given);
  PETSC_OK(GozaAssemblySetDM(a, dm));
  PETSC_OK(GozaAssemblyGetDM(a, &given));
  BOOST_TEST(given == dm);
  const std::string text = viewed(a);

  for (const char *words : {"GozaAssembly Object: (solid_)", "elasticity, 3 unknowns", mesh.tets ? "of type tet4" : "of type hex8", "80 nodes"})
    BOOST_TEST(text.find(words) != std::string::npos, words << " in " << text);
  TemporaryFile file;
  const Option  view("-solid_assembly_view", std::string("ascii:") + file.name());
  VecHandle     material; // Young's modulus and Poisson's ratio

  PETSC_OK(GozaAssemblyCreateElementVec(a, material.put()));
  PETSC_OK(VecSet(material, 0.3));
  PETSC_OK(GozaAssemblySetMaterialVecs(a, material, material));
  PETSC_OK(GozaAssemblySetUp(a));
  BOOST_TEST(file.text() == viewed(a), file.text());
}

/* One cube, on the first rank alone: the others have no nodes. */
struct Cube {
  PetscInt               nelem = 0, nnodes = 0;
  std::vector<PetscInt>  corners, global;
  std::vector<PetscReal> x;

  Cube()
  {
    int rank;

    PETSC_OK(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    if (rank) return;
    nelem  = 1;
    nnodes = 8;
    for (PetscInt b = 0; b < 8; b++) {
      corners.push_back(b);
      global.push_back(b);
      for (int d = 0; d < 3; d++) x.push_back(b >> d & 1);
    }
  }
  PetscErrorCode give(GozaAssembly a, GozaElementType type = GOZA_HEX8) const
  {
    return GozaAssemblySetElements(a, type, nelem, corners.data(), nnodes, x.data(), nnodes, global.data());
  }
};

/* A rank without nodes has no arrays; what one rank alone gets wrong is an error on all. */
void empty_ranks()
{
  const Cube           cube;
  const AssemblyHandle a   = make();
  const PetscScalar    one = 1;
  MatHandle            A;
  PetscInt             rows;
  const Outcome        wrong = attempt([&] { return cube.give(a, cube.nelem ? (GozaElementType)7 : GOZA_HEX8); });

  BOOST_TEST((wrong.failed && wrong.says("Element type 7")), wrong.message);
  PETSC_OK(cube.give(a));
  PETSC_OK(GozaAssemblySetMaterial(a, cube.nelem ? &one : nullptr, nullptr));
  PETSC_OK(GozaAssemblyCreateMatrix(a, MATCDS, A.put()));
  PETSC_OK(GozaAssemblyMatrix(a, A));
  PETSC_OK(MatGetSize(A, &rows, nullptr));
  BOOST_TEST(rows == 8);
}

/* Arrays that are wanted and are not there, on every rank or on one, are errors on all. */
void null_arrays()
{
  const DMHandle       dm      = make_dm(mesh_names()[0], {3, 4, 3}, 1, 0);
  const AssemblyHandle a       = make();
  const PetscInt       face[4] = {0, 1, 2, 3};
  const PetscScalar    one     = 1;
  const PetscReal      x       = 0;

  PETSC_OK(GozaAssemblySetDM(a, dm));
  for (const auto &call : std::vector<std::function<PetscErrorCode()>>{
         [&] { return GozaAssemblySetMaterial(a, nullptr, nullptr); },
         [&] { return GozaAssemblySetMaterialVecs(a, nullptr, nullptr); },
         [&] { return GozaAssemblySetCoordinates(a, nullptr); },
         [&] { return GozaAssemblySetTraction(a, 1, 4, nullptr, &one); },
         [&] { return GozaAssemblySetTraction(a, 1, 4, face, nullptr); },
         [&] { return GozaAssemblySetElements(a, GOZA_HEX8, 1, nullptr, 1, &x, 1, face); },
         [&] { return GozaAssemblySetElements(a, GOZA_HEX8, 0, nullptr, 1, nullptr, 1, face); },
         [&] { return GozaAssemblySetDM(a, nullptr); },
         [&] { return GozaAssemblyCreateMatrix(a, MATAIJ, nullptr); },
         [&] { return GozaAssemblyMatrix(a, nullptr); },
         [&] { return GozaAssemblyRHS(a, nullptr); },
         [&] { return GozaAssemblyResidual(a, nullptr, nullptr); },
         [&] { return GozaAssemblyGetDM(a, nullptr); },
         [&] { return GozaAssemblyCreate(PETSC_COMM_WORLD, nullptr); },
       }) {
    const Outcome o = attempt(call);

    BOOST_TEST((o.failed && o.says("Null")), o.message);
  }
  BOOST_TEST(attempt([&] { return GozaAssemblySetTraction(a, -1, 4, nullptr, nullptr); }).says("-1 faces"));
}

/* A DM goes when elements that are not its own are given, and stays when they are its own, moved. */
void elements_after_dm()
{
  const DMHandle       dm = make_dm(mesh_names()[0], {3, 4, 3}, 1, 0);
  const AssemblyHandle a  = make();
  const Cube           cube;
  const PetscScalar    one = 1;
  MatHandle            A;
  DM                   given;

  PETSC_OK(GozaAssemblySetDM(a, dm));
  PETSC_OK(GozaAssemblySetDM(a, dm));
  PETSC_OK(cube.give(a));
  PETSC_OK(GozaAssemblyGetDM(a, &given));
  BOOST_TEST(!given);
  PETSC_OK(GozaAssemblySetMaterial(a, cube.nelem ? &one : nullptr, nullptr));
  PETSC_OK(GozaAssemblyCreateMatrix(a, nullptr, A.put()));
  PETSC_OK(MatGetDM(A, &given));
  BOOST_TEST(!given);
}

/* Sizes that a matrix leaves to PETSc are the mesh's; others are an error that has both. */
void sizes_left_open()
{
  const DMHandle           dm = make_dm(mesh_names()[0], {3, 4, 3}, 1, 0); /* 80 nodes */
  const AssemblyHandle     a  = make();
  std::vector<PetscScalar> k;
  VecHandle                v, w;
  PetscInt                 nelem, mine, rows;

  PETSC_OK(GozaAssemblySetDM(a, dm));
  PETSC_OK(GozaAssemblyGetElements(a, nullptr, &nelem, nullptr, nullptr, nullptr));
  k.assign(nelem, 1);
  PETSC_OK(GozaAssemblySetMaterial(a, k.data(), nullptr));
  PETSC_OK(DMCreateGlobalVector(dm, v.put()));
  PETSC_OK(VecDuplicate(v, w.put()));
  PETSC_OK(VecGetLocalSize(v, &mine));
  for (const char *type : {MATAIJ, MATCDS, MATSLICEDELL, MATBAIJ}) {
    MatHandle A, other;

    PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
    PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 80, 80));
    PETSC_OK(MatSetType(A, type));
    PETSC_OK(GozaAssemblyMatrix(a, A));
    PETSC_OK(MatGetLocalSize(A, &rows, nullptr));
    BOOST_TEST(rows == mine, type);
    PETSC_OK(MatMult(A, v, w));
    PETSC_OK(MatCreate(PETSC_COMM_WORLD, other.put()));
    PETSC_OK(MatSetSizes(other, PETSC_DECIDE, PETSC_DECIDE, 81, 81));
    PETSC_OK(MatSetType(other, type));
    const Outcome o = attempt([&] { return GozaAssemblyMatrix(a, other); });

    BOOST_TEST((o.failed && o.says("81 rows") && o.says("80 unknowns")), o.message);
  }
}

void add()
{
  add_test(suite_named(nullptr, "object"), "refusals", refusals);
  add_test(suite_named(nullptr, "object"), "references", references);
  add_test(suite_named(nullptr, "object"), "empty_ranks", empty_ranks);
  add_test(suite_named(nullptr, "object"), "null_arrays", null_arrays);
  add_test(suite_named(nullptr, "object"), "elements_after_dm", elements_after_dm);
  add_test(suite_named(nullptr, "object"), "sizes_left_open", sizes_left_open);
  for (const auto &mesh : mesh_names()) add_test(suite_named(nullptr, "options_and_view"), mesh.name, [=] { options_and_view(mesh); });
}
const AddTests tests(add);

} // namespace
