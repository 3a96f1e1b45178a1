/* Laws of the fused Krylov methods: each is PETSc's method of the same iteration, up to rounding, for every norm type, matrix type and preconditioner; and it is native where it can be. */
#include "support/mat_case.hpp"
#include "support/pc_case.hpp"

#include <petscgoza.h>

#include <cmath>
#include <fstream>
#include <map>

using namespace goza_test;

namespace
{

struct Method {
  std::string              ours, petscs;
  std::vector<std::string> norms;
};

const std::vector<Method> &methods()
{
  static const std::vector<Method> all{{KSPFUSEDCG, KSPCG, {"preconditioned", "unpreconditioned", "natural", "none"}}, {KSPFUSEDBCGS, KSPFBCGS, {"unpreconditioned", "none"}}};
  return all;
}

/* --- solves */

using Prepare = std::function<void(KSP)>;

struct System {
  MatHandle A;
  Prepare   prepare = [](KSP) {}; /* before KSPSetFromOptions() */
};

struct Run {
  KSPConvergedReason     reason;
  PetscInt               its;
  std::vector<PetscReal> history;
  VecHandle              x;
  std::string            view;
};

KSPHandle make_ksp(const System &s, const std::string &type)
{
  KSPHandle ksp;

  PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
  PETSC_OK(KSPSetOperators(ksp, s.A, s.A));
  PETSC_OK(KSPSetType(ksp, type.c_str()));
  PETSC_OK(KSPSetTolerances(ksp, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  s.prepare(ksp);
  PETSC_OK(KSPSetFromOptions(ksp));
  return ksp;
}

std::string viewed(KSP ksp)
{
  TemporaryFile file;
  ViewerHandle  viewer;

  PETSC_OK(PetscViewerASCIIOpen(PETSC_COMM_WORLD, file.name(), viewer.put()));
  PETSC_OK(KSPView(ksp, viewer));
  viewer.reset();
  return file.text();
}

Run solve_with(KSP ksp, Vec b, Vec guess)
{
  Run              run{};
  const PetscReal *a;
  PetscInt         n;

  PETSC_OK(VecDuplicate(b, run.x.put()));
  if (guess) PETSC_OK(VecCopy(guess, run.x));
  PETSC_OK(KSPSetInitialGuessNonzero(ksp, guess ? PETSC_TRUE : PETSC_FALSE));
  PETSC_OK(KSPSetResidualHistory(ksp, nullptr, 1000, PETSC_TRUE));
  PETSC_OK(KSPSolve(ksp, b, run.x));
  PETSC_OK(KSPGetConvergedReason(ksp, &run.reason));
  PETSC_OK(KSPGetIterationNumber(ksp, &run.its));
  PETSC_OK(KSPGetResidualHistory(ksp, &a, &n));
  run.history.assign(a, a + n);
  run.view = viewed(ksp);
  return run;
}

bool is_native(const Run &run)
{
  return run.view.find("vectors, product and") != std::string::npos;
}

/* Rounding grows with the iterations; where a residual has fallen far it is of what it began with. */
void same(const Run &ours, const Run &petscs, const std::string &what, PetscReal growth = 1e8)
{
  const PetscReal eps = growth * PETSC_MACHINE_EPSILON;

  all_ranks(ours.reason == petscs.reason, what + ": reason " + KSPConvergedReasons[ours.reason] + ", PETSc's " + KSPConvergedReasons[petscs.reason]);
  all_ranks(ours.its == petscs.its, what + ": " + std::to_string(ours.its) + " iterations, PETSc's " + std::to_string(petscs.its));
  all_ranks(ours.history.size() == petscs.history.size(),
            what + ": a history of " + std::to_string(ours.history.size()) + ", PETSc's " + std::to_string(petscs.history.size()));
  for (std::size_t k = 0; k < ours.history.size(); k++) {
    const PetscReal h = ours.history[k], p = petscs.history[k];

    BOOST_TEST((std::isnan(p) ? std::isnan(h) : std::abs(h - p) <= eps * (p + 1e-4 * petscs.history[0])), what << ": norm " << k << " is " << h << ", PETSc's " << p);
  }
  if (!all_finite(petscs.x)) {
    BOOST_TEST(!all_finite(ours.x), what);
    return;
  }
  VecHandle d;
  PETSC_OK(VecDuplicate(ours.x, d.put()));
  PETSC_OK(VecWAXPY(d, -1, ours.x, petscs.x));
  BOOST_TEST(norm(d) <= eps * norm(petscs.x), what << ": solutions differ by " << norm(d) << " of " << norm(petscs.x));
}

VecHandle vector_of(Mat A, PetscInt seed)
{
  return right_hand_side(A, seed);
}

/* The same system with both, with and without a guess, twice with each so that what is kept between solves counts. */
void agree(const Method &m, const System &s, const std::string &what, bool native, PetscReal growth = 1e8)
{
  KSPHandle ours = make_ksp(s, m.ours), petscs = make_ksp(s, m.petscs);
  VecHandle b = vector_of(s.A, 5), guess = vector_of(s.A, 6);

  for (Vec x0 : {(Vec) nullptr, (Vec)guess, (Vec) nullptr}) {
    const Run a = solve_with(ours, b, x0), c = solve_with(petscs, b, x0);

    same(a, c, what + (x0 ? ", from a guess" : ""), growth);
    BOOST_TEST(is_native(a) == native, what << ": " << a.view);
  }
}

/* --- the table */

struct PCName {
  std::string name;
  bool        native;
};

struct OfTable {
  const Method &method;
  std::string   norm, mat, pc, problem;
  bool          native;

  void operator()() const
  {
    Configured    few_levels({"chebyshev", "v", "double"});
    const bool    fixed = norm == "none";
    Option        n("-ksp_norm_type", norm), p("-pc_type", pc), most("-ksp_max_it", fixed ? "7" : "25");
    const Problem problem_ = ::goza_test::problem(problem);
    System        s{system_matrix(problem_, mat.c_str())};

    agree(method, s, method.ours + ", norm " + norm + ", " + mat + ", " + pc + ", " + problem, native);
  }
};

void add_table()
{
  const std::vector<PCName> pcs{{"saamg", true}, {"jacobi", true}, {"pbjacobi", true}, {"none", true}, {"bjacobi", false}};

  for (const Method &m : methods()) {
    auto *suite = suite_named(nullptr, m.ours);

    for (const std::string &norm : m.norms) {
      for (const PCName &pc : pcs) {
        for (const char *mat : {"aij", "cds", "slicedell"}) {
          for (const char *problem : {"poisson7", "neumann", "elasticity", "idle_ranks"}) {
            if (std::string(mat) == "slicedell" && (norm != m.norms.front() || pc.name == "bjacobi")) continue;
            add_test(suite, norm + "_" + mat + "_" + pc.name + "_" + problem, OfTable{m, norm, mat, pc.name, problem, pc.native && std::string(mat) != "aij"});
          }
        }
      }
    }
  }
}

const AddTests add(add_table);

} // namespace
