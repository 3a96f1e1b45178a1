/* -pc_saamg_precision auto: low precision behind Krylov methods that bear it, where a trial and the solves so far say that it does no harm. On the host, where
   by itself it is double, the test says what is to be tried. */
#include "pc/saamg/api/pcsaamg.hpp"
#include "pc/saamg/api/saamg_data.hpp"
#include "petsc/plugin.hpp"
#include "../support/league.hpp"
#include "../support/operators.hpp"
#include "../support/pc_case.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <petsc/private/pcimpl.h>

using namespace goza_test;

namespace {

goza::saamg::SAAMG &data(PC pc) { return *static_cast<goza::saamg::SAAMG *>(pc->data); }

/* A solver of A by saamg, set up from the options set now. */
KSPHandle solver(Mat A, KSPType type, PCSAAMGPrecision low = PC_SAAMG_HALF)
{
  KSPHandle ksp = make_solver(A, type, 1e-7, 300);

  for (PCSAAMGPrecision &p : data(pc_of(ksp)).automatic.low) p = low;
  goza::saamg::AutoPrecision::least_rows = 0; /* as of a matrix that is large enough */
  return ksp;
}

/* Of the leader's cycle, where ranks share a GPU. */
PCSAAMGPrecision taken(KSP ksp)
{
  goza::saamg::GroupPC *const group = goza::saamg::group_of(pc_of(ksp));
  PCSAAMGPrecision            now;

  if (!group || group->there()) now = data(group ? group->there() : pc_of(ksp)).cycle_precision;
  if (group) PETSC_OK(MPI_Bcast(&now, sizeof(now), MPI_BYTE, 0, group->rows().group().members()));
  return now;
}

} // namespace

BOOST_AUTO_TEST_CASE(behind_methods_that_bear_it)
{
  const MatHandle A = assemble(stencil27(14, 13, 12), MATCDS);

  for (KSPType type : {KSPFUSEDCG, KSPFUSEDBCGS, KSPFUSEDGMRES}) {
    KSPHandle ksp = solver(A, type);

    BOOST_TEST(solve(ksp, A).reason > 0);
    BOOST_TEST(taken(ksp) == PC_SAAMG_HALF, type);
  }
  for (KSPType type : {KSPCG, KSPFGMRES, KSPGMRES, KSPBCGS}) {
    const bool  bears = std::string(type) == KSPCG || std::string(type) == KSPFGMRES;
    KSPHandle   ksp   = solver(A, type);
    const Solve first = solve(ksp, A);

    BOOST_TEST(taken(ksp) == PC_SAAMG_DOUBLE, type);
    const Solve second = solve(ksp, A);
    BOOST_TEST(taken(ksp) == (bears ? PC_SAAMG_HALF : PC_SAAMG_DOUBLE), type);
    BOOST_TEST(second.iterations == first.iterations, type);
    BOOST_TEST(second.true_residual <= 1.5 * first.true_residual + 1e-6, type);
  }
}

/* The preconditioner is set up before anybody says what for: its first solve takes it as it is. */
BOOST_AUTO_TEST_CASE(set_up_before_the_method)
{
  const MatHandle A = assemble(stencil27(14, 13, 12), MATCDS);

  for (KSPType type : {KSPFUSEDCG, KSPFUSEDBCGS, KSPFUSEDGMRES}) {
    KSPHandle ksp = solver(A, type);

    PETSC_OK(PCSetUp(pc_of(ksp)));
    BOOST_TEST(taken(ksp) == PC_SAAMG_DOUBLE, type);
    for (PCSAAMGPrecision expected : {PC_SAAMG_DOUBLE, PC_SAAMG_HALF}) {
      BOOST_TEST(solve(ksp, A).reason > 0);
      BOOST_TEST(taken(ksp) == expected, type);
    }
  }
}

/* The method may change, and with it what the cycle has to be. */
BOOST_AUTO_TEST_CASE(behind_one_and_then_another)
{
  const MatHandle A   = assemble(stencil7(12, 11, 10), MATSLICEDELL);
  KSPHandle       ksp = solver(A, KSPFUSEDCG);

  BOOST_TEST(solve(ksp, A).reason > 0);
  BOOST_TEST(taken(ksp) == PC_SAAMG_HALF);
  PETSC_OK(KSPSetType(ksp, KSPGMRES));
  BOOST_TEST(solve(ksp, A).reason > 0);
  BOOST_TEST(taken(ksp) == PC_SAAMG_DOUBLE);
  BOOST_TEST(viewed(pc_of(ksp)).find("residuals of this Krylov method would not stay true") != std::string::npos);
  PETSC_OK(KSPSetType(ksp, KSPFUSEDCG));
  PETSC_OK(PCSAAMGSetPrecision(pc_of(ksp), PC_SAAMG_SINGLE)); /* what is set is what is taken, in the next set-up */
  PETSC_OK(PetscObjectStateIncrease((PetscObject)(Mat)A));
  BOOST_TEST(solve(ksp, A).reason > 0);
  BOOST_TEST(taken(ksp) == PC_SAAMG_SINGLE);
}

/* Where a low precision is set, a method that stops by preconditioned residuals may leave a true one that is far from what was asked for: the view says so,
   until another solve does better. */
BOOST_AUTO_TEST_CASE(true_residual_left_behind)
{
  const MatHandle A         = assemble(stencil5(100, 90), MATAIJ);
  const auto      says      = [](KSP ksp) { return viewed(pc_of(ksp)).find("the last solve left a true residual") != std::string::npos; };
  KSPHandle       in_double = solver(A, KSPGMRES);
  Option          precision("-pc_saamg_precision", "half");
  KSPHandle       ksp = solver(A, KSPGMRES), fused = solver(A, KSPFUSEDGMRES);

  PETSC_OK(KSPSetTolerances(ksp, 1e-12, 1e-300, PETSC_DEFAULT, 300));
  PETSC_OK(KSPSetTolerances(in_double, 1e-12, 1e-300, PETSC_DEFAULT, 300));
  BOOST_TEST(solve(in_double, A).true_residual < 1e-10);
  BOOST_TEST(!says(in_double));
  const Solve left = solve(ksp, A);
  BOOST_TEST(left.reason > 0);
  BOOST_TEST(left.true_residual > 1e-9);
  BOOST_TEST(says(ksp));
  PETSC_OK(KSPSetTolerances(ksp, 1e-3, PETSC_DEFAULT, PETSC_DEFAULT, 300));
  BOOST_TEST(solve(ksp, A).reason > 0);
  BOOST_TEST(!says(ksp));
  BOOST_TEST(solve(fused, A).reason > 0);
  BOOST_TEST(!says(fused));
}

/* Coarse operators of a nearly singular matrix lose in half precision what keeps them regular. */
BOOST_AUTO_TEST_CASE(refused_by_a_trial)
{
  for (PetscReal shift : {1e-2, 1e-6, 1e-8}) {
    MatHandle A = assemble(stencil5(100, 90), MATAIJ);
    VecHandle d;

    PETSC_OK(MatCreateVecs(A, d.put(), nullptr));
    PETSC_OK(MatGetRowSum(A, d));
    PETSC_OK(VecScale(d, -1));
    PETSC_OK(VecShift(d, shift));
    PETSC_OK(MatDiagonalSet(A, d, ADD_VALUES)); /* rows of Neumann's problem, and the shift */
    KSPHandle   ksp = solver(A, KSPFUSEDCG), in_double = solver(A, KSPFUSEDCG, PC_SAAMG_DOUBLE);
    const Solve s = solve(ksp, A), exact = solve(in_double, A);
    const bool  refused = viewed(pc_of(ksp)).find("a trial cycle in half leaves") != std::string::npos;

    BOOST_TEST(s.reason > 0);
    BOOST_TEST(taken(ksp) == (refused ? PC_SAAMG_DOUBLE : PC_SAAMG_HALF), shift);
    if (shift > 1e-4) BOOST_TEST(!refused);
    if (shift < 1e-7) BOOST_TEST(refused);
    if (refused) BOOST_TEST(s.iterations == exact.iterations, shift);
    else /* which is what half precision saves; between the two it depends on the levels that the space keeps in single */
      BOOST_TEST(s.iterations <= exact.iterations + exact.iterations / 2, shift);
  }
}

#if !PetscDefined(USE_COMPLEX) && !PetscDefined(USE_REAL_SINGLE) && !PetscDefined(USE_64BIT_INDICES)
/* Where a cycle leaves much of an error in either precision, the one that stands stays: that in double is but lent the levels' rows. */
BOOST_AUTO_TEST_CASE(kept_by_a_trial)
{
  const Option tune("-pc_saamg_tune", "none");
  LeagueMatrix m = std::find_if(league().begin(), league().end(), [](const LeagueProblem &l) { return l.name == "triangles_p2"; })->make(1);
  MatHandle    A;
  PetscMPIInt  size;

  PETSC_OK(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) return;
  PETSC_OK(as_mat(m.A, A.put()));
  PETSC_OK(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  KSPHandle ksp = solver(A, KSPFUSEDCG);

  BOOST_TEST(solve(ksp, A).reason > 0);
  const PCSAAMGPrecision stands = taken(ksp);
  const std::uint64_t    before = data(pc_of(ksp)).cycle->version();

  BOOST_TEST(stands != PC_SAAMG_DOUBLE);

  data(pc_of(ksp)).automatic.forget_trial();
  PETSC_OK(PetscObjectStateIncrease((PetscObject)(Mat)A));
  BOOST_TEST(solve(ksp, A).reason > 0);
  BOOST_TEST(taken(ksp) == stands);
  BOOST_TEST(data(pc_of(ksp)).automatic.contraction > 0.4);
  BOOST_TEST(data(pc_of(ksp)).cycle->version() <= before + 2); /* let go and set up, and not once more after the other */
}
#endif

/* On a device a product makes the rows of an interpolation from boxes itself, with new values, too, and leaves them in half precision; where that does not keep
   its entries, they are made as rows. The cycle is that of an interpolation which stays. */
BOOST_AUTO_TEST_CASE(interpolations_made_by_products)
{
  const Option half("-pc_saamg_precision", "half"), threshold("-pc_saamg_threshold", "0");

  for (PetscReal decades : {0, 7}) {
    Entry e = stencil27(13, 12, 14);

    e.row = [decades, row = e.row](PetscInt i, Row &out) {
      Row links;

      row(i, links);
      PetscReal diagonal = 0.01;
      for (PetscInt j : links.col) {
        const PetscReal k = PetscPowReal(10, -decades * uniform(std::min(i, j), std::max(i, j), 5));

        if (j != i) diagonal += k, out.add(j, -k);
      }
      out.add(i, diagonal);
    };
    VecHandle y[2];
    for (int k = 0; k < 2; k++) {
      const Option    reuse("-pc_saamg_reuse", k ? "interpolation" : "pattern");
      const MatHandle A   = assemble(e, MATCDS);
      KSPHandle       ksp = make_solver(A, KSPFUSEDCG, 1e-7, 300);
      VecHandle       b   = right_hand_side(A, 1);

      for (int setups = 0; setups < 3; setups++) {
        PETSC_OK(PCSetUp(pc_of(ksp)));
        PETSC_OK(MatScale(A, 3));
      }
      PETSC_OK(VecDuplicate(b, y[k].put()));
      PETSC_OK(PCSetUp(pc_of(ksp)));
      PETSC_OK(PCApply(pc_of(ksp), b, y[k]));
    }
    const PetscReal size = norm(y[1]);
    PETSC_OK(VecAXPY(y[0], -1, y[1]));
    BOOST_TEST(norm(y[0]) <= 1e-3 * size, decades << " decades: off by " << norm(y[0]) << " of " << size);
  }
}

#if !PetscDefined(USE_COMPLEX) && !PetscDefined(USE_REAL_SINGLE) && !PetscDefined(USE_64BIT_INDICES)
/* On slivers, where cycles are long and many, a host's first solve is in single precision behind a method that bears it. */
BOOST_AUTO_TEST_CASE(slivers_on_a_host)
{
  LeagueMatrix m = std::find_if(league().begin(), league().end(), [](const LeagueProblem &l) { return l.name == "slivers"; })->make(0);
  MatHandle    A;
  PetscMPIInt  size;

  PETSC_OK(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1 || goza::default_space() != goza::Space::Host) return;
  PETSC_OK(as_mat(m.A, A.put()));
  const auto solved = [&](KSPType type, PCSAAMGPrecision precision, PCSAAMGPrecision expected) {
    KSPHandle ksp = make_solver(A, type, 1e-7, 300);

    PETSC_OK(PCSAAMGSetPrecision(pc_of(ksp), precision));
    const Solve result = solve(ksp, A);

    BOOST_TEST(result.reason > 0, type);
    BOOST_TEST(taken(ksp) == expected, type);
    return result.iterations;
  };
  const PetscInt by_itself = solved(KSPCG, PC_SAAMG_AUTO, PC_SAAMG_SINGLE), in_double = solved(KSPCG, PC_SAAMG_DOUBLE, PC_SAAMG_DOUBLE);

  BOOST_TEST(std::abs(by_itself - in_double) <= 1);
  solved(KSPGMRES, PC_SAAMG_AUTO, PC_SAAMG_DOUBLE);
}
#endif

BOOST_AUTO_TEST_CASE(refused_by_a_solve)
{
  const MatHandle A   = assemble(stencil5(40, 30), MATCDS);
  KSPHandle       ksp = solver(A, KSPFUSEDCG);

  PETSC_OK(KSPSetTolerances(ksp, 1e-7, PETSC_DEFAULT, PETSC_DEFAULT, 2));
  BOOST_TEST(solve(ksp, A).reason == KSP_DIVERGED_ITS);
  BOOST_TEST(taken(ksp) == PC_SAAMG_HALF);
  PETSC_OK(KSPSetTolerances(ksp, 1e-7, PETSC_DEFAULT, PETSC_DEFAULT, 100));
  BOOST_TEST(solve(ksp, A).reason > 0);
  BOOST_TEST(taken(ksp) == PC_SAAMG_DOUBLE);
  BOOST_TEST(viewed(pc_of(ksp)).find("a solve with the cycle in half ended with DIVERGED_ITS") != std::string::npos);
  PETSC_OK(PetscObjectStateIncrease((PetscObject)(Mat)A));
  BOOST_TEST(solve(ksp, A).reason > 0); /* new values in the same pattern do not change that */
  BOOST_TEST(taken(ksp) == PC_SAAMG_DOUBLE);
}

/* Nothing is decided against what the user sets, and by itself the host stays with double but on slivers. */
BOOST_AUTO_TEST_CASE(by_itself)
{
  const MatHandle  A   = assemble(stencil5(40, 30), MATCDS);
  KSPHandle        ksp = solver(A, KSPFUSEDCG);
  PCSAAMGPrecision p;

  PETSC_OK(PCSAAMGGetPrecision(pc_of(ksp), &p));
  BOOST_TEST(p == PC_SAAMG_AUTO);
  PETSC_OK(PCSAAMGSetPrecision(pc_of(ksp), PC_SAAMG_DOUBLE));
  BOOST_TEST(solve(ksp, A).reason > 0);
  BOOST_TEST(taken(ksp) == PC_SAAMG_DOUBLE);
  const goza::saamg::SAAMG fresh;
  BOOST_TEST(fresh.automatic.low[(int)goza::Space::Host] == PC_SAAMG_DOUBLE);
  BOOST_TEST(fresh.automatic.low[(int)goza::Space::Cuda] == PC_SAAMG_HALF);
}

/* M r of a matrix times 2^exponent, times that. */
static VecHandle applied(PC pc, Mat A, Mat original, Vec r, int exponent)
{
  VecHandle x    = vector_like(A, false, VECSTANDARD, 0);
  const int half = exponent / 2; /* the whole may be no number */

  PETSC_OK(MatCopy(original, A, SAME_NONZERO_PATTERN));
  for (const int step : {half, exponent - half}) PETSC_OK(MatScale(A, std::ldexp(static_cast<PetscReal>(1), step)));
  PETSC_OK(PCSetOperators(pc, A, A));
  PETSC_OK(PCSetUp(pc));
  PETSC_OK(PCApply(pc, r, x));
  for (const int step : {half, exponent - half}) PETSC_OK(VecScale(x, std::ldexp(static_cast<PetscReal>(1), step)));
  return x;
}

/* Entries whose squares overflow or vanish, and such as a cycle in single precision has no numbers for. */
BOOST_AUTO_TEST_CASE(any_scale)
{
  constexpr int most = std::numeric_limits<PetscReal>::max_exponent;

  for (const char *precision : {"double", "single", "half"}) {
    const Option    set("-pc_saamg_precision", precision);
    const PetscReal close = std::string(precision) == "double" ? reached(1e-12) : static_cast<PetscReal>(1e-2);

    for (const char *name : {"poisson5", "elasticity"}) {
      const MatHandle original = system_matrix(problem(name), "slicedell"), A = system_matrix(problem(name), "slicedell");
      const VecHandle r  = vector_like(A, true, VECSTANDARD, 3);
      const PCHandle  pc = make_pc(A);
      const VecHandle x  = applied(pc, A, original, r, 0);

      for (const int exponent : {most - 20, most / 2 + 5, most / 8, 0, -most / 8, -most / 2, 20 - most}) {
        const VecHandle y = applied(pc, A, original, r, exponent);

        PETSC_OK(VecAXPY(y, -1, x));
        BOOST_TEST(norm(y) <= close * norm(x), precision << " " << name << " 2^" << exponent);
      }
    }
  }
}

/* A fused method works with the cycle's arrays: not with those of the last values, when these are taken by a PC of their own. */
BOOST_AUTO_TEST_CASE(another_scale_in_a_fused_method)
{
  const MatHandle A = assemble(stencil5(40, 37), "slicedell");
  const VecHandle b = vector_like(A, true, VECSTANDARD, 3), x = vector_like(A, false, VECSTANDARD, 0), r = vector_like(A, true, VECSTANDARD, 0);
  KSPHandle       ksp = make_solver(A, KSPFUSEDCG);
  PetscInt        before, after;

  PETSC_OK(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PETSC_OK(KSPSolve(ksp, b, x));
  PETSC_OK(KSPGetIterationNumber(ksp, &before));
  PETSC_OK(MatScale(A, std::ldexp(static_cast<PetscReal>(1), std::numeric_limits<PetscReal>::max_exponent / 2 + 5)));
  PETSC_OK(KSPSolve(ksp, b, x));
  PETSC_OK(KSPGetIterationNumber(ksp, &after));
  BOOST_TEST(after == before);
  PETSC_OK(MatResidual(A, b, x, r));
  BOOST_TEST(norm(r) <= reached(1e-6) * norm(b));
}

/* Right-hand sides that single precision has no numbers for are solved as others are, by the cycle of it and of its transpose. */
BOOST_AUTO_TEST_CASE(right_hand_sides_of_any_scale)
{
  constexpr int   most = std::numeric_limits<PetscReal>::max_exponent, exponents[] = {0, most / 4, 130 * most / 1024 + 5, -130 * most / 1024 - 5, -most / 4};
  const MatHandle A = assemble(stencil5(40, 37), MATCDS);

  for (const char *precision : {"mixed", "single", "half"})
    for (KSPType type : {KSPCG, KSPFUSEDCG, KSPFUSEDBCGS, KSPRICHARDSON}) {
      const Option    set("-pc_saamg_precision", precision);
      const KSPHandle ksp = make_solver(A, type, reached(1e-9), 100);
      VecHandle       x = vector_like(A, false, VECSTANDARD, 0), r = vector_like(A, true, VECSTANDARD, 0);
      PetscInt        before = 0, n;

      PETSC_OK(KSPSetTolerances(ksp, PETSC_DEFAULT, std::numeric_limits<PetscReal>::min(), PETSC_DEFAULT, PETSC_DEFAULT));
      for (const int exponent : exponents) {
        const VecHandle    b = vector_like(A, true, VECSTANDARD, 3);
        const std::string  what(std::string(precision) + " " + type + " 2^" + std::to_string(exponent));
        KSPConvergedReason reason;

        PETSC_OK(VecScale(b, std::ldexp(static_cast<PetscReal>(1), exponent)));
        PETSC_OK(KSPSolve(ksp, b, x));
        PETSC_OK(KSPGetIterationNumber(ksp, &n));
        PETSC_OK(KSPGetConvergedReason(ksp, &reason));
        PETSC_OK(MatResidual(A, b, x, r));
        if (!exponent) before = n;
        BOOST_TEST(reason == KSP_CONVERGED_RTOL, what);
        BOOST_TEST(std::abs(n - before) <= 1, what);
        BOOST_TEST(norm(r) <= reached(1e-6) * norm(b), what);
        PETSC_OK(PCApplyTranspose(pc_of(ksp), b, x));
        BOOST_TEST(norm(x) >= norm(b) / 100, what);
      }
    }
}
