/* -pc_saamg_tune: which of the tried cycles is the fastest is the clock's to say; that it is a preconditioner of its kind, the same on all ranks and the one
   that the view names is not. */
#include "pc/saamg/api/pcsaamg.hpp"
#include "pc/saamg/api/saamg_data.hpp"
#include "petsc/plugin.hpp"
#include "../support/operators.hpp"
#include "../support/pc_case.hpp"

#include <petsc/private/pcimpl.h>
#include <sstream>

using namespace goza_test;

namespace {

const char *const lowered = "precision single (auto): in this pattern's second set-up";

/* Where quick does anything. */
bool lowers() { return !PetscDefined(USE_REAL_SINGLE) && goza::default_space() == goza::Space::Host; }

KSPHandle solver(Mat A, KSPType type = KSPFUSEDCG) { return make_solver(A, type, 1e-7, 300); }

/* Of the leader, where ranks share a GPU; null where another rank leads. */
goza::saamg::SAAMG *data(KSP ksp)
{
  goza::saamg::GroupPC *const group = goza::saamg::group_of(pc_of(ksp));
  const PC                    there = group ? group->there() : pc_of(ksp);
  return there ? static_cast<goza::saamg::SAAMG *>(there->data) : nullptr;
}

void set_up_again(KSP ksp, Mat A)
{
  PETSC_OK(PetscObjectStateIncrease((PetscObject)A));
  PETSC_OK(KSPSetOperators(ksp, A, A));
  PETSC_OK(KSPSetUp(ksp));
  PETSC_OK(PCSetUp(pc_of(ksp)));
}

/* " -a 1 -b c" as options, for as long as they live. */
std::vector<std::unique_ptr<Option>> options_of(const std::string &text)
{
  std::vector<std::unique_ptr<Option>> options;
  std::istringstream                   words(text);
  std::string                          name, value;

  while (words >> name >> value) options.push_back(std::make_unique<Option>(name.c_str(), value.c_str()));
  return options;
}

/* Behind "with" in the view. */
std::string options_in_view(KSP ksp)
{
  const std::string text = viewed(pc_of(ksp)), before = " trials, with";
  const std::size_t at = text.find(before);

  if (at == std::string::npos) return "";
  return text.substr(at + before.size(), text.find('\n', at) - at - before.size());
}

void check_same_as_typed(KSP tuned, Mat A, KSPType type)
{
  const auto typed = options_of(options_in_view(tuned));
  Option     none("-pc_saamg_tune", "none");
  KSPHandle  other = solver(A, type);

  (void)solve(other, A); /* on a device KSPCG's first one with a new PC is in double */
  const Solve mine = solve(tuned, A), theirs = solve(other, A);

  BOOST_TEST(!says(pc_of(other), "tuned:"));
  BOOST_TEST(mine.reason > 0);
  BOOST_TEST(mine.iterations == theirs.iterations, options_in_view(tuned));
  BOOST_TEST(mine.true_residual == theirs.true_residual, boost::test_tools::tolerance(PetscReal(1e-6)));
}

struct Case {
  Entry       entry;
  const char *type;
  KSPType     ksp;
  bool        symmetric;
};

/* Upwind convection to the right. */
Entry upwind(PetscInt n)
{
  return {"upwind", n * n, n * n, square | full_diagonal | nonempty, [n](PetscInt i, Row &r) {
            r.add(i, 4.5);
            if (i % n) r.add(i - 1, -1.5);
            if (i % n < n - 1) r.add(i + 1, -1);
            if (i >= n) r.add(i - n, -1);
            if (i < n * (n - 1)) r.add(i + n, -1);
          }};
}

std::vector<Case> cases()
{
  return {{stencil7(12, 11, 10), MATCDS, KSPFUSEDCG, true},
          {stencil27(9, 8, 10), MATSLICEDELL, KSPCG, true},
          {stencil5(40, 30, 1e-2), MATAIJ, KSPFUSEDCG, true},
          {upwind(32), MATAIJ, KSPFUSEDBCGS, false}};
}

} // namespace

BOOST_AUTO_TEST_CASE(when)
{
  const MatHandle A = assemble(stencil7(12, 11, 10), MATCDS);
  PCSAAMGTune     tune;

  for (const char *word : {"", "none", "quick", "full"}) {
    std::unique_ptr<Option> option;

    if (*word) option = std::make_unique<Option>("-pc_saamg_tune", word);
    KSPHandle ksp = solver(A);

    PETSC_OK(PCSAAMGGetTune(pc_of(ksp), &tune));
    BOOST_TEST(tune == (*word == 'n' ? PC_SAAMG_TUNE_NONE : *word == 'f' ? PC_SAAMG_TUNE_FULL : PC_SAAMG_TUNE_QUICK));
    for (int set_up = 0; set_up < 3; set_up++) {
      for (int k = 0; k < 4; k++) BOOST_TEST(solve(ksp, A).reason > 0); /* without another set-up */
      BOOST_TEST(says(pc_of(ksp), "tuned:") == (*word == 'f'), word);
      BOOST_TEST(says(pc_of(ksp), lowered) == (lowers() && set_up && *word != 'n' && *word != 'f'), word << ", " << set_up);
      set_up_again(ksp, A);
    }
    const std::string found = viewed(pc_of(ksp));

    set_up_again(ksp, A); /* it is kept */
    BOOST_TEST(viewed(pc_of(ksp)) == found);
  }
}

/* Where solves between set-ups are short, or their method takes the cycle for linear to the last bit, a cycle in single precision does not pay. */
BOOST_AUTO_TEST_CASE(quick_where_it_pays)
{
  const MatHandle A = assemble(stencil7(12, 11, 10), MATCDS), B = assemble(stencil27(12, 11, 10), MATCDS);
  KSPHandle       seldom = solver(A), left = solver(A, KSPGMRES), often = solver(A);

  BOOST_TEST(solve(seldom, A).iterations < 16);
  set_up_again(seldom, A);
  BOOST_TEST(!says(pc_of(seldom), lowered));
  for (KSP ksp : {KSP(left), KSP(often)}) {
    for (int k = 0; k < 4; k++) BOOST_TEST(solve(ksp, A).reason > 0);
    set_up_again(ksp, A);
  }
  BOOST_TEST(!says(pc_of(left), lowered));
  BOOST_TEST(says(pc_of(often), lowered) == lowers());
  {
    Option      single("-pc_saamg_precision", "single"), none("-pc_saamg_tune", "none");
    KSPHandle   other = solver(A);
    const Solve mine = solve(often, A), theirs = solve(other, A);

    BOOST_TEST(mine.reason > 0);
    if (lowers()) BOOST_TEST(mine.iterations == theirs.iterations);
  }
  set_up_again(often, B);
  BOOST_TEST(!says(pc_of(often), lowered));
  BOOST_TEST(solve(often, B).reason > 0);
}

/* A solve that gains clearly less an iteration than the last one in double is the last in single. */
BOOST_AUTO_TEST_CASE(quick_watches)
{
  const MatHandle A   = assemble(stencil7(12, 11, 10), MATCDS);
  KSPHandle       ksp = solver(A);

  for (int k = 0; k < 4; k++) BOOST_TEST(solve(ksp, A).reason > 0);
  set_up_again(ksp, A);
  BOOST_TEST(solve(ksp, A).reason > 0);
  BOOST_TEST(says(pc_of(ksp), lowered) == lowers());
  if (goza::saamg::SAAMG *mg = data(ksp)) mg->automatic.digits = 100;
  BOOST_TEST(solve(ksp, A).reason > 0);
  for (int set_up = 0; set_up < 2; set_up++) {
    BOOST_TEST(solve(ksp, A).reason > 0);
    BOOST_TEST(!says(pc_of(ksp), lowered));
    BOOST_TEST(says(pc_of(ksp), "precision double (auto): an iteration with the cycle in single gained") == lowers());
    set_up_again(ksp, A);
  }
}

BOOST_AUTO_TEST_CASE(kept_with_pattern_and_settings)
{
  const MatHandle A = assemble(stencil7(12, 11, 10), MATCDS), B = assemble(stencil27(12, 11, 10), MATCDS);
  Option          full("-pc_saamg_tune", "full");
  KSPHandle       ksp = solver(A);

  set_up_again(ksp, A);
  BOOST_TEST(says(pc_of(ksp), "tuned:"));
  PETSC_OK(PCSAAMGSetSweeps(pc_of(ksp), PC_SAAMG_FINEST, 2));
  PETSC_OK(PCSAAMGSetTune(pc_of(ksp), PC_SAAMG_TUNE_NONE));
  set_up_again(ksp, A);
  BOOST_TEST(!says(pc_of(ksp), "tuned:"));
  PETSC_OK(PCSAAMGSetTune(pc_of(ksp), PC_SAAMG_TUNE_FULL));
  set_up_again(ksp, A);
  BOOST_TEST(says(pc_of(ksp), "tuned:"));
  BOOST_TEST(says(pc_of(ksp), "-pc_saamg_finest_sweeps 2"));
  PETSC_OK(PCSAAMGSetTune(pc_of(ksp), PC_SAAMG_TUNE_NONE));
  set_up_again(ksp, B);
  BOOST_TEST(!says(pc_of(ksp), "tuned:"));
  PETSC_OK(PCSAAMGSetTune(pc_of(ksp), PC_SAAMG_TUNE_FULL));
  set_up_again(ksp, B);
  BOOST_TEST(says(pc_of(ksp), "tuned:"));
  BOOST_TEST(solve(ksp, B).reason > 0);
}

/* What was found is what a set-up takes: of a polynomial that the defaults are not. */
BOOST_AUTO_TEST_CASE(taken_where_found)
{
  const MatHandle A = assemble(stencil7(12, 11, 10), MATAIJ);
  Option          full("-pc_saamg_tune", "full");
  KSPHandle       ksp = solver(A);

  set_up_again(ksp, A);
  if (goza::saamg::SAAMG *mg = data(ksp)) {
    mg->tuned.options = mg->cycle_options;
    for (int l : {0, 1}) mg->tuned.options.smoothers[l].options.chebyshev_fourth = true;
    mg->tuned.options.smoothers[0].options.chebyshev_degree = 5;
    mg->tuned.precision                                     = PC_SAAMG_SINGLE;
    mg->tuned
      .found = " -pc_saamg_precision single -pc_saamg_finest_chebyshev_degree 5 -pc_saamg_finest_chebyshev_kind 4 -pc_saamg_intermediate_chebyshev_kind 4";
  }
  set_up_again(ksp, A);
  BOOST_TEST(says(pc_of(ksp), "chebyshev of the fourth kind, 1 sweep(s) of degree 5"));
  BOOST_TEST((PetscDefined(USE_REAL_SINGLE) || says(pc_of(ksp), "single precision")));
  check_same_as_typed(ksp, A, KSPFUSEDCG);
}

/* The same on all ranks, not slower by its own measure, and what the view names. */
BOOST_AUTO_TEST_CASE(found)
{
  for (const Case &c : cases()) {
    const MatHandle A = assemble(c.entry, c.type);

    Option    option("-pc_saamg_tune", "full");
    KSPHandle ksp = solver(A, c.ksp);

    BOOST_TEST(solve(ksp, A).reason > 0);
    set_up_again(ksp, A);
    BOOST_TEST(says(pc_of(ksp), "tuned:"), c.entry.name);
    if (const goza::saamg::SAAMG *mg = data(ksp)) {
      char      first[512] = "";
      PetscReal shares[2]  = {mg->tuned.share, -mg->tuned.share};

      BOOST_TEST(mg->tuned.trials > 1);
      BOOST_TEST((mg->tuned.found.empty() ? mg->tuned.share == 1 : mg->tuned.share < 0.95), c.entry.name);
      PETSC_OK(PetscStrncpy(first, mg->tuned.found.c_str(), sizeof(first)));
      const MPI_Comm comm = mg->hierarchy.grids()[0].level->columns->comm();

      PETSC_OK(MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, comm));
      PETSC_OK(MPI_Allreduce(MPI_IN_PLACE, shares, 2, MPIU_REAL, MPIU_MAX, comm));
      BOOST_TEST(first == mg->tuned.found);
      BOOST_TEST(shares[0] == -shares[1]);
    }
    check_same_as_typed(ksp, A, c.ksp);
  }
}

BOOST_AUTO_TEST_CASE(linear_and_symmetric)
{
  for (const Case &c : cases()) {
    const MatHandle A = assemble(c.entry, c.type);
    Option          full("-pc_saamg_tune", "full");
    KSPHandle       ksp = solver(A, KSPGMRES); /* which leaves the precision alone */
    VecHandle       x[2], y[3], sum;
    PetscScalar     xy, yx;

    set_up_again(ksp, A);
    PETSC_OK(MatCreateVecs(A, sum.put(), nullptr));
    for (int k = 0; k < 2; k++) x[k] = right_hand_side(A, 3 + k);
    for (VecHandle &v : y) PETSC_OK(VecDuplicate(sum, v.put()));
    for (int k = 0; k < 2; k++) PETSC_OK(PCApply(pc_of(ksp), x[k], y[k]));
    PETSC_OK(VecWAXPY(sum, -2.5, x[1], x[0]));
    PETSC_OK(PCApply(pc_of(ksp), sum, y[2]));
    if (c.symmetric) {
      PETSC_OK(VecDot(y[0], x[1], &xy));
      PETSC_OK(VecDot(x[0], y[1], &yx));
      BOOST_TEST(PetscAbsScalar(xy - yx) <= 1e5 * PETSC_MACHINE_EPSILON * norm(y[0]) * norm(x[1]), c.entry.name);
    }
    PETSC_OK(VecAXPY(y[2], -1, y[0]));
    PETSC_OK(VecAXPY(y[2], 2.5, y[1]));
    BOOST_TEST(norm(y[2]) <= 1e4 * PETSC_MACHINE_EPSILON * (norm(y[0]) + norm(y[1])), c.entry.name);
  }
}

/* Nothing of what is set is changed; of one level there is nothing to try. */
BOOST_AUTO_TEST_CASE(what_is_open)
{
  const MatHandle A = assemble(stencil7(12, 11, 10), MATCDS);
  Option          full("-pc_saamg_tune", "full"), degree("-pc_saamg_chebyshev_degree", "2"), kind("-pc_saamg_chebyshev_kind", "4"),
    smoother("-pc_saamg_smoother", "chebyshev"), cycle("-pc_saamg_cycle", "w"), precision("-pc_saamg_precision", "single");
  KSPHandle ksp = solver(A);

  BOOST_TEST(solve(ksp, A).reason > 0);
  BOOST_TEST(says(pc_of(ksp), "tuned: in 1 trials no candidate was faster"));
  Option    one("-pc_saamg_max_levels", "1");
  KSPHandle level = solver(A);

  BOOST_TEST(solve(level, A).reason > 0);
  BOOST_TEST(!says(pc_of(level), "tuned:"));
}

/* Bits of a cycle that nobody tunes do not move. */
BOOST_AUTO_TEST_CASE(none_changes_nothing)
{
  const MatHandle A = assemble(stencil27(9, 8, 10), MATCDS);
  Option          none("-pc_saamg_tune", "none");
  KSPHandle       ksp = solver(A), other = solver(A);
  VecHandle       b = right_hand_side(A, 3), x, y;
  PetscBool       same;

  PETSC_OK(VecDuplicate(b, x.put()));
  PETSC_OK(VecDuplicate(b, y.put()));
  set_up_again(ksp, A);
  PETSC_OK(KSPSetUp(other));
  PETSC_OK(PCSetUp(pc_of(other)));
  PETSC_OK(PCApply(pc_of(ksp), b, x));
  PETSC_OK(PCApply(pc_of(other), b, y));
  PETSC_OK(VecEqual(x, y, &same));
  BOOST_TEST(same);
}
