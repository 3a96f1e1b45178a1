/* Short implicit steps: where a smoother alone leaves little of any error there is one level, for as long as that holds. */
#include "../support/pc_case.hpp"

#include <petscgoza.h>

using namespace goza_test;

namespace {

constexpr PetscScalar short_step = 10; /* on the diagonal, whose rows' other entries come to 6 to 12 */

MatHandle heat(PetscScalar shift)
{
  MatHandle A = assemble(stencil7(20, 20, 20), MATAIJ);

  PETSC_OK(MatShift(A, shift));
  return A;
}

/* What CG takes, and whether there is one level, as the view says. */
PetscInt iterations(KSP ksp, Mat A, bool one_level)
{
  const Solve s = solve(ksp, A);
  PC          pc;

  BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
  PETSC_OK(KSPGetPC(ksp, &pc));
  const std::string text = viewed(pc);
  const bool        said = text.find("level 0 is the coarsest: no row's other entries come to more than 0.818 of its diagonal") != std::string::npos;

  BOOST_TEST(!any_rank(said != one_level), text);
  return s.iterations;
}

PetscInt iterations(Mat A, bool one_level) { return iterations(make_cg(A), A, one_level); }

} // namespace

BOOST_AUTO_TEST_CASE(one_level)
{
  const MatHandle A = heat(short_step), long_step = heat(1);

  BOOST_TEST(iterations(A, true) <= 4);
  BOOST_TEST(iterations(heat(60), true) <= 2); /* the other entries come to a fifth of the diagonal */
  iterations(long_step, false);
  PETSC_OK(MatScale(A, -1));
  BOOST_TEST(iterations(A, true) <= 4);
  Option few("-pc_saamg_coarsest_smoother", "mcgs"); /* whose sweeps say nothing of all errors alike */
  iterations(A, false);
}

/* With another step the same pattern has levels again, and loses them. */
BOOST_AUTO_TEST_CASE(steps_change)
{
  const MatHandle A        = heat(short_step);
  const KSPHandle ksp      = make_cg(A);
  const PetscInt  of_short = iterations(ksp, A, true), of_long = iterations(heat(0), false);

  PETSC_OK(MatShift(A, -short_step));
  PETSC_OK(KSPSetOperators(ksp, A, A));
  BOOST_TEST(iterations(ksp, A, false) == of_long);
  PETSC_OK(MatShift(A, short_step));
  PETSC_OK(KSPSetOperators(ksp, A, A));
  BOOST_TEST(iterations(ksp, A, true) == of_short);
}

/* Levels that are to stay suit values to come. */
BOOST_AUTO_TEST_CASE(asked_to_stay)
{
  for (const char *what : {"pattern", "interpolation"}) {
    Option reuse("-pc_saamg_reuse", what);

    iterations(heat(short_step), false);
  }
}
