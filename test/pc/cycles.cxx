/* K-cycles: they contract at least as well as V-cycles, whatever the smoother, the precision and the number of ranks, and only flexible Krylov methods take them. */
#include "../support/league.hpp"
#include "../support/operators.hpp"
#include "../support/pc_case.hpp"

#include <petscgoza.h>

using namespace goza_test;

namespace
{

/* By flexible methods. */
Solve solved(Mat A, const char *ksp_type, const char *cycle, PetscReal rtol = 1e-7)
{
  Option    chosen("-pc_saamg_cycle", cycle), outside("-ksp_type", ksp_type);
  KSPHandle ksp = make_cg(A, rtol);

  return solve(ksp, A);
}

MatHandle league_matrix(const std::string &name)
{
  for (const LeagueProblem &p : league()) {
    if (p.name != name) continue;
    const auto A = std::make_shared<Sparse>(p.make(0).A);

    return assemble({name, A->rows, A->cols, square | symmetric,
                     [A](PetscInt i, Row &r) {
                       for (PetscInt k = A->ptr[i]; k < A->ptr[i + 1]; k++) r.add(A->col[k], PetscRealPart(A->val[k]));
                     }},
                    MATAIJ);
  }
  BOOST_FAIL("the league has no problem " << name);
  return {};
}

/* Piecewise constant interpolation, with which V-cycles stall the more, the more levels there are. */
struct Unsmoothed {
  Option interpolation{"-pc_saamg_interpolation", "unsmoothed"}, limit{"-pc_saamg_coarse_limit", "30"}, direct{"-pc_saamg_direct_limit", "30"};
};

const Entry still = stencil5(70, 60), wind = convection(48, 40, 1, 1e-2, Wind::rotating);

const AddTests add([] {
  auto *suite = suite_named(nullptr, "converges");

  for (const char *smoother : {"jacobi", "chebyshev", "mcgs", "l1jacobi"}) {
    for (const char *precision : {"double", "mixed", "single", "half"}) {
      add_test(suite, std::string(smoother) + "_" + precision, [=] {
        Unsmoothed unsmoothed;
        Configured options({smoother, "k", precision});

        for (const Entry &e : {still, wind}) {
          const MatHandle A = assemble(e, MATAIJ);

          if (e.rows == wind.rows && std::string(smoother) == "chebyshev") continue; /* diverges there with any cycle */
          const Solve k = solved(A, KSPFGMRES, "k"), v = solved(A, KSPFGMRES, "v");

          BOOST_TEST(k.reason > 0, KSPConvergedReasons[k.reason]);
          BOOST_TEST(k.iterations <= v.iterations, e.name << ": " << k.iterations << " iterations, V-cycles " << v.iterations);
          BOOST_TEST(k.true_residual < 10 * reached(1e-7));
        }
      });
    }
  }
});

} // namespace

BOOST_AUTO_TEST_CASE(where_v_cycles_stall)
{
  Unsmoothed      unsmoothed;
  const MatHandle A = assemble(stencil5(120, 120), MATAIJ);
  const Solve     v = solved(A, KSPFCG, "v"), w = solved(A, KSPFCG, "w"), k = solved(A, KSPFCG, "k");

  BOOST_TEST(k.reason > 0);
  BOOST_TEST(3 * k.iterations <= 2 * v.iterations, k.iterations << " iterations, V-cycles " << v.iterations);
  BOOST_TEST(k.iterations <= w.iterations, k.iterations << " iterations, W-cycles " << w.iterations);
}

BOOST_AUTO_TEST_CASE(on_slivers_and_jumps)
{
  for (const char *name : {"slivers", "slivers_jump", "channels_1e6", "weights_over_8_decades"}) {
    const MatHandle A = league_matrix(name);
    const Solve     v = solved(A, KSPFCG, "v"), k = solved(A, KSPFCG, "k");

    BOOST_TEST(k.reason > 0, name);
    BOOST_TEST(k.iterations <= v.iterations, name << ": " << k.iterations << " iterations, V-cycles " << v.iterations);
  }
}

BOOST_AUTO_TEST_CASE(as_one_rank_does)
{
  for (const char *smoother : {"chebyshev", "l1jacobi", "mcgs"}) {
    for (const Entry &e : {still, wind}) {
      Unsmoothed      unsmoothed;
      Configured      options({smoother, "k", "double"});
      const PetscReal off = off_one_rank(e);

      BOOST_TEST(off <= 1e6 * PETSC_MACHINE_EPSILON, e.name << " with " << smoother << ": " << off);
    }
  }
}

/* Of zeros zeros; of a singular matrix, whatever its right-hand side, something finite. */
BOOST_AUTO_TEST_CASE(of_nothing_and_of_singular_matrices)
{
  Unsmoothed unsmoothed;

  for (const char *precision : {"double", "mixed", "single", "half"}) {
    Configured options({"auto", "k", precision});

    for (const Entry &e : {still, wind, neumann5(40, 37), stretched7(12, 11, 10, 1.3)}) {
      const MatHandle A  = assemble(e, MATAIJ);
      const PCHandle  pc = make_pc(A);
      const VecHandle b = right_hand_side(A, 1), x = right_hand_side(A, 2);

      PETSC_OK(PCApply(pc, b, x));
      BOOST_TEST(all_finite(x), e.name << ", " << precision);
      BOOST_TEST(norm(x) > 0);
      PETSC_OK(VecSet(b, 1)); /* not in the range of a singular one */
      PETSC_OK(PCApply(pc, b, x));
      BOOST_TEST(all_finite(x), e.name << ", " << precision);
      PETSC_OK(VecZeroEntries(b));
      PETSC_OK(PCApply(pc, b, x));
      BOOST_TEST(norm(x) == 0, e.name << ", " << precision);
    }
  }
}

BOOST_AUTO_TEST_CASE(wants_a_flexible_method)
{
  Option          cycle("-pc_saamg_cycle", "k"), limit("-pc_saamg_coarse_limit", "30");
  const MatHandle A = assemble(still, MATAIJ);
  const VecHandle b = right_hand_side(A, 1), x = right_hand_side(A, 2);

  for (const char *type : {KSPCG, KSPGMRES, KSPBCGS, KSPFUSEDCG, KSPFGMRES, KSPFCG, KSPFBCGS, KSPGCR, KSPFUSEDGMRES, KSPFUSEDBCGS, KSPRICHARDSON}) {
    const std::string name = type;
    const bool        may  = name != KSPCG && name != KSPGMRES && name != KSPBCGS && name != KSPFUSEDCG;
    KSPHandle         ksp  = make_cg(A);

    PETSC_OK(KSPSetType(ksp, type));
    const Outcome done = attempt([&] { return KSPSolve(ksp, b, x); });
    BOOST_TEST(done.failed != may, name << ": " << done.message);
    BOOST_TEST((may || done.says("-pc_saamg_cycle k")), done.message);
  }
  BOOST_TEST(viewed(make_pc(A)).find("K-cycle") != std::string::npos);
  BOOST_TEST(viewed(make_pc(A)).find("two steps of flexible CG") != std::string::npos);
  BOOST_TEST(viewed(make_pc(assemble(wind, MATAIJ))).find("two steps of flexible GCR") != std::string::npos);
}
