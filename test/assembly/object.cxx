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

void add()
{
  add_test(suite_named(nullptr, "object"), "refusals", refusals);
  add_test(suite_named(nullptr, "object"), "references", references);
  for (const auto &mesh : mesh_names()) add_test(suite_named(nullptr, "options_and_view"), mesh.name, [=] { options_and_view(mesh); });
}
const AddTests tests(add);

} // namespace
