/* Laws of the fused Krylov methods: each is PETSc's method of the same iteration, up to rounding, for every norm type, matrix type and preconditioner; and it
   is native where it can be. */
#include "../support/alloc_failure.hpp"
#include "../support/ksp_case.hpp"

using namespace goza_test;

namespace {

/* The same system with both, with and without a guess, twice with each so that what is kept between solves counts. */
void agree(const Method &m, const System &s, const std::string &what, bool native, PetscReal growth = 1e8)
{
  KSPHandle ours = make_ksp(s, m.ours), petscs = make_ksp(s, m.petscs);
  VecHandle b = vector_of(s.A, 5), guess = vector_of(s.A, 6);

  for (Vec x0 : {(Vec) nullptr, (Vec)guess, (Vec) nullptr}) {
    const Run a = solve_with(ours, b, x0);
    Run       c = solve_with(petscs, b, x0);

    if (m.petscs == KSPFGMRES) forget_repeated(c.history);
    same(a, c, what + (x0 ? ", from a guess" : ""), growth);
    BOOST_TEST(is_native(a) == native, what << ": " << a.view);
  }
}

/* A monitor that preconditions a vector of its own. */
PetscErrorCode precondition_another(KSP ksp, PetscInt it, PetscReal, void *)
{
  PC        pc;
  Mat       A;
  VecHandle x, z;

  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(PCGetOperators(pc, &A, nullptr));
  x = vector_of(A, 7 + it);
  PETSC_OK(VecDuplicate(x, z.put()));
  PETSC_OK(PCApply(pc, x, z));
  BOOST_TEST(all_finite(z));
  return PETSC_SUCCESS;
}

/* A cycle in low precision, whose rounding may cost an iteration: a test of convergence that applies it to b, as PETSc's does where there is a guess, leaves
   nothing behind, nor does a monitor that applies it. */
struct InLowPrecision {
  const Method &method;
  std::string   precision;

  void operator()() const
  {
    Option    pc("-pc_type", "saamg"), low("-pc_saamg_precision", precision);
    System    s    = poisson(MATCDS);
    KSPHandle ours = make_ksp(s, method.ours), petscs = make_ksp(s, method.petscs);
    VecHandle b = vector_of(s.A, 5), guess = vector_of(s.A, 6);

    for (Vec x0 : {(Vec) nullptr, (Vec)guess, (Vec) nullptr}) {
      const Run a = solve_with(ours, b, x0), c = solve_with(petscs, b, x0);

      all_ranks(a.reason == c.reason, std::string("reason ") + KSPConvergedReasons[a.reason] + ", PETSc's " + KSPConvergedReasons[c.reason]);
      all_ranks(std::abs(a.its - c.its) <= 1, std::to_string(a.its) + " iterations, PETSc's " + std::to_string(c.its));
      BOOST_TEST(is_native(a), a.view);

      KSPHandle watched = make_ksp(s, method.ours);
      PETSC_OK(KSPMonitorSet(watched, precondition_another, nullptr, nullptr));
      const Run w = solve_with(watched, b, x0);
      all_ranks(w.reason == a.reason && std::abs(w.its - a.its) <= 1,
                std::to_string(w.its) + " iterations with a monitor that preconditions, " + std::to_string(a.its) + " without");
    }
  }
};

/* On several ranks the norm of a new direction is a difference, of which little is left behind a strong preconditioner: what one makes of it does not add up
   from direction to direction. */
BOOST_AUTO_TEST_CASE(long_basis)
{
  Option pc("-pc_type", "saamg"), restart("-ksp_gmres_restart", "12"), most("-ksp_max_it", "12");

  agree(methods().back(), poisson(), "a long basis", true, 1e6);
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
    Configured few_levels({"chebyshev", "v", "double"});
    const bool fixed = norm == "none";
    Option     n("-ksp_norm_type", norm), p("-pc_type", pc), restart("-ksp_gmres_restart", "8"),
      most("-ksp_max_it", std::to_string(fixed ? std::min<PetscInt>(7, method.its) : method.its));
    const Problem problem_ = ::goza_test::problem(problem);
    System        s{system_matrix(problem_, mat.c_str())};

    agree(method, s, method.ours + ", norm " + norm + ", " + mat + ", " + pc + ", " + problem, native);
  }
};

/* On one rank z of a cycle in a lower precision than PETSc's stays there: a solve holds a vector less. */
void holds_no_z()
{
  long        requests[2];
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (size > 1) return;
  for (int half : {0, 1}) {
    Option    pc("-pc_type", "saamg"), precision("-pc_saamg_precision", half ? "half" : "double");
    System    s   = poisson(MATCDS);
    KSPHandle ksp = make_ksp(s, KSPFUSEDCG);
    VecHandle b   = vector_of(s.A, 5), x;
    PetscInt  n;

    PETSC_OK(VecDuplicate(b, x.put()));
    PETSC_OK(VecGetLocalSize(b, &n));
    PETSC_OK(KSPSetUp(ksp));
    const AllocFailure counted({-1, false, n * sizeof(PetscScalar)});
    PETSC_OK(KSPSolve(ksp, b, x));
    requests[half] = AllocFailure::count();
  }
  BOOST_TEST(requests[1] == requests[0] - (PetscDefined(USE_REAL_SINGLE) ? 0 : 1));
}

/* Every norm type with every preconditioner on one problem; and, with the first norm type, null spaces, blocks, ranks that have no rows, and other matrix
   types. */
void add_table()
{
  const std::vector<PCName> pcs{{"saamg", true}, {"jacobi", true}, {"pbjacobi", true}, {"none", true}, {"bjacobi", false}};

  for (const Method &m : methods()) {
    auto      *suite = suite_named(nullptr, m.ours);
    const auto add   = [&](const std::string &norm, const std::string &mat, const PCName &pc, const std::string &problem) {
      add_test(suite, norm + "_" + mat + "_" + pc.name + "_" + problem, OfTable{m, norm, mat, pc.name, problem, pc.native && mat != MATAIJ});
    };

    for (const PCName &pc : pcs) {
      for (const std::string &norm : m.norms) add(norm, MATCDS, pc, "poisson7");
      for (const char *problem : {"neumann", "elasticity", "idle_ranks"}) add(m.norms.front(), MATCDS, pc, problem);
#if PetscDefined(USE_COMPLEX)
      for (const std::string &norm : m.norms) add(norm, MATCDS, pc, "hermitian5");
#endif
      for (const char *mat : {MATAIJ, MATSLICEDELL}) add(m.norms.front(), mat, pc, "elasticity");
    }
    add("none", MATCDS, pcs.front(), "neumann");
    add(m.norms.front(), MATAIJ, pcs.front(), "neumann");
    if (std::string(m.ours) == KSPFUSEDCG) add_test(suite, "holds_no_z", holds_no_z);
    for (const char *precision : {"single", "half"}) add_test(suite, std::string("in_") + precision, InLowPrecision{m, precision});
  }
}

const AddTests add(add_table);

} // namespace
