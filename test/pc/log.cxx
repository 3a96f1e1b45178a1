/* What PETSc's log says of an application of saamg: every step of every level, as often as the cycle takes it, and all of its flops. */
#include "../support/pc_case.hpp"

#include <petscgoza.h>

using namespace goza_test;

namespace {

PetscEventPerfInfo event(const std::string &name)
{
  PetscLogEvent      id;
  PetscLogStage      stage;
  PetscEventPerfInfo info;

  PETSC_OK(PetscLogEventGetId(name.c_str(), &id));
  BOOST_TEST_REQUIRE(id >= 0, "no event " << name);
  PETSC_OK(PetscLogStageGetId("Main Stage", &stage));
  PETSC_OK(PetscLogEventGetPerfInfo(stage, id, &info));
  return info;
}

PetscEventPerfInfo event(const char *step, PetscInt level) { return event(std::string(step) + " " + std::to_string(level)); }

/* One application of a cycle: from the log before and after it. */
void steps_of_a_cycle(const char *cycle, PetscInt direct_limit, const char *smoother)
{
  Option coarse("-pc_saamg_coarse_limit", "10"), kind("-pc_saamg_cycle", cycle), direct("-pc_saamg_direct_limit", std::to_string(direct_limit)),
    smooth("-pc_saamg_smoother", smoother);
  MatHandle      A  = system_matrix(problem("poisson7"), MATSLICEDELL); /* on the device where there is one */
  PCHandle       pc = make_pc(A);
  VecHandle      b = right_hand_side(A, 1), x = right_hand_side(A, 2);
  PetscInt       levels;
  Mat           *coarse_operators;
  PetscLogDouble flops[2], sum = 0, visits = 1;

  PETSC_OK(PCGetCoarseOperators(pc, &levels, &coarse_operators));
  for (PetscInt l = 0; l + 1 < levels; l++) PETSC_OK(MatDestroy(&coarse_operators[l]));
  PETSC_OK(PetscFree(coarse_operators));
  BOOST_TEST_REQUIRE(levels > 2);

  const char *const                            steps[] = {"SAAMGSmooth", "SAAMGResid", "SAAMGRestrict", "SAAMGInterp", "SAAMGCoarse"};
  std::vector<std::vector<PetscEventPerfInfo>> before(levels);
  for (PetscInt l = 0; l < levels; l++)
    for (const char *step : steps) before[l].push_back(event(step, l));
  PETSC_OK(PetscGetFlops(&flops[0]));
  PETSC_OK(PCApply(pc, b, x));
  PETSC_OK(PetscGetFlops(&flops[1]));
  for (PetscInt l = 0; l < levels; l++) {
    const bool bottom = l + 1 == levels;

    for (int s = 0; s < 5; s++) {
      const PetscEventPerfInfo after = event(steps[s], l), &was = before[l][s];
      const bool               happens = (s == 4) == bottom;

      BOOST_TEST(after.count - was.count == (happens ? (s == 0 ? 2 : 1) * visits : 0), steps[s] << " on level " << l);
      BOOST_TEST((after.time > was.time) == happens, steps[s] << " on level " << l);
      sum += after.flops - was.flops;
#if PetscDefined(HAVE_DEVICE)
      if (vec_names().size() > 1) BOOST_TEST(after.GpuFlops - was.GpuFlops == after.flops - was.flops); /* there is a device */
#endif
    }
    BOOST_TEST(any_rank(event("SAAMGResid", l).flops > before[l][1].flops) == !bottom); /* a rank may have no rows there */
    if (std::string(cycle) == "w" && l + 2 < levels) visits *= 2;                       /* the coarsest level is not visited twice in a row */
  }
  BOOST_TEST(sum == flops[1] - flops[0], boost::test_tools::tolerance(1e-12));
  BOOST_TEST(sum > 0);
}

} // namespace

BOOST_AUTO_TEST_CASE(v_cycle) { steps_of_a_cycle("v", 500, "chebyshev"); }
BOOST_AUTO_TEST_CASE(w_cycle) { steps_of_a_cycle("w", 500, "chebyshev"); }
BOOST_AUTO_TEST_CASE(coarsest_level_smoothed) { steps_of_a_cycle("v", 0, "jacobi"); }
BOOST_AUTO_TEST_CASE(gauss_seidel) { steps_of_a_cycle("w", 0, "mcgs"); }

/* The steps of a set-up, on every level but the coarsest, which is only measured. */
BOOST_AUTO_TEST_CASE(steps_of_the_set_up)
{
  Option                          coarse("-pc_saamg_coarse_limit", "10");
  MatHandle                       A       = system_matrix(problem("poisson7"), MATSLICEDELL); /* on the device where there is one */
  const char *const               steps[] = {"SAAMGStrength", "SAAMGAggregate", "SAAMGProlong", "SAAMGGalerkin", "SAAMGEigen", "SAAMGMirror"};
  std::vector<PetscEventPerfInfo> before;

  for (const char *step : steps) before.push_back(event(step));
  PCHandle pc = make_pc(A);
  for (std::size_t s = 0; s < before.size(); s++) {
    const PetscEventPerfInfo after = event(steps[s]);

    BOOST_TEST(after.count > before[s].count, steps[s]);
    BOOST_TEST(after.time > before[s].time, steps[s]);
  }
}

/* Entries in the blocks of coupled nodes come and go with the values: nodes stay coupled, and the aggregates are kept. */
BOOST_AUTO_TEST_CASE(zeros_within_blocks)
{
  Option    coarse("-pc_saamg_coarse_limit", "10");
  MatHandle A  = system_matrix(problem("elasticity"), MATSLICEDELL);
  PCHandle  pc = make_pc(A);
  PetscInt  begin, end, bs;
  const int before = event("SAAMGAggregate").count;

  PETSC_OK(MatGetBlockSize(A, &bs));
  BOOST_TEST_REQUIRE(bs == 3);
  PETSC_OK(MatGetOwnershipRange(A, &begin, &end));
  std::vector<std::pair<PetscInt, PetscInt>> zeros;
  for (PetscInt i = begin; i < end; i++) {
    PetscInt        n;
    const PetscInt *col;

    PETSC_OK(MatGetRow(A, i, &n, &col, nullptr));
    for (PetscInt k = 0; k < n; k++)
      if (i / bs != col[k] / bs && i % bs + col[k] % bs == 1) zeros.emplace_back(i, col[k]);
    PETSC_OK(MatRestoreRow(A, i, &n, &col, nullptr));
  }
  for (const auto &[i, j] : zeros) PETSC_OK(MatSetValue(A, i, j, 0, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(PCSetUp(pc));
  BOOST_TEST(event("SAAMGAggregate").count == before);
}
