/* Solvers on awkward numbers of ranks: uneven, more ranks than rows on a level, ranks without rows, several solvers and communicators at once, and a rank whose
   input is wrong. */
#include "parallel/rank_group.hpp"
#include "petsc/last_error.hpp"
#include "petsc/plugin.hpp"

#include "../support/alloc_failure.hpp"
#include "../support/grid_case.hpp"
#include "../support/mesh_case.hpp"
#include "../support/pc_case.hpp" /* after the library: each gives 3.18 its PETSC_SUCCESS, this one only where there is none */

#include <petscgoza.h>

#include <memory>
#include <utility>
#include <vector>

using namespace goza_test;

namespace {

PetscMPIInt rank_of(MPI_Comm comm)
{
  PetscMPIInt rank;

  MPI_Comm_rank(comm, &rank);
  return rank;
}

/* The entry on a communicator, solved; the same wrongness on all ranks of the world. */
struct Solved {
  MatHandle A;
  KSPHandle ksp;
  PetscInt  iterations = -1;

  Solved(const Entry &e, MPI_Comm comm) : A(assemble(e, MATAIJ, Prealloc::exact, comm))
  {
    PC pc;

    PETSC_OK(KSPCreate(comm, ksp.put()));
    PETSC_OK(KSPSetType(ksp, KSPCG));
    PETSC_OK(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PETSC_OK(KSPSetOperators(ksp, A, A));
    PETSC_OK(KSPGetPC(ksp, &pc));
    PETSC_OK(PCSetType(pc, PCSAAMG));
    PETSC_OK(KSPSetFromOptions(ksp));
  }
  void set_up() { PETSC_OK(KSPSetUp(ksp)); }
  void solve()
  {
    VecHandle          b = right_hand_side(A, 3), x;
    KSPConvergedReason reason;

    PETSC_OK(VecDuplicate(b, x.put()));
    PETSC_OK(KSPSolve(ksp, b, x));
    PETSC_OK(KSPGetConvergedReason(ksp, &reason));
    PETSC_OK(KSPGetIterationNumber(ksp, &iterations));
    BOOST_TEST(reason > 0);
  }
};

PetscInt iterations(const Entry &e, MPI_Comm comm)
{
  Solved s(e, comm);

  s.solve();
  return s.iterations;
}

Entry with_layout(Entry e, Layout layout)
{
  e.layout = layout;
  return e;
}

/* Wherever small levels go: as many iterations as alone, give or take one. */
void same_iterations()
{
  const Entry entries[] =
    {stencil7(13, 12, 11), stencil27(8, 7, 6), stencil5(30, 20, 50), elasticity(4, 4, 3), with_layout(stencil5(17, 15), Layout::all_on_last), stencil5(3, 1)};

  for (const Entry &e : entries) {
    const Option   coarse("-pc_saamg_coarse_limit", "5");
    const PetscInt alone = iterations(with_layout(e, Layout::even), PETSC_COMM_SELF);
    for (const char *limit : {"0", "30", "1000"}) {
      const Option gather("-pc_saamg_gather_limit", limit);
      BOOST_TEST(std::abs(iterations(e, PETSC_COMM_WORLD) - alone) <= 1, e.name << ", gather limit " << limit);
    }
  }
}

/* Rows of the coarsest level on this rank. */
PetscInt coarsest_rows(const Solved &s)
{
  PC       pc;
  Mat     *operators;
  PetscInt levels, m;

  PETSC_OK(KSPGetPC(s.ksp, &pc));
  PETSC_OK(PCGetCoarseOperators(pc, &levels, &operators));
  PETSC_OK(MatGetLocalSize(operators[0], &m, nullptr));
  for (PetscInt l = 0; l + 1 < levels; l++) PETSC_OK(MatDestroy(operators + l));
  PETSC_OK(PetscFree(operators));
  return m;
}

void coarsest_level_on_one_rank()
{
  Solved      s(stencil7(12, 12, 12), PETSC_COMM_WORLD);
  PetscMPIInt owners;

  s.set_up();
  const PetscMPIInt mine = coarsest_rows(s) > 0;
  MPI_Allreduce(&mine, &owners, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  BOOST_TEST(owners == 1);
}

/* Rows and Frobenius norms of the coarse operators of a grid's matrix. */
std::vector<std::pair<PetscInt, PetscReal>> coarse_operators_of_grid(MPI_Comm comm, PetscInt dof)
{
  const GridMatrix                            grid = grid_matrix(comm, dof);
  PCHandle                                    pc   = make_pc(grid.A);
  Mat                                        *operators;
  PetscInt                                    levels;
  std::vector<std::pair<PetscInt, PetscReal>> result;

  PETSC_OK(PCGetCoarseOperators(pc, &levels, &operators));
  for (PetscInt l = 0; l + 1 < levels; l++) {
    PetscInt  M;
    PetscReal length;

    PETSC_OK(MatGetSize(operators[l], &M, nullptr));
    PETSC_OK(MatNorm(operators[l], NORM_FROBENIUS, &length));
    PETSC_OK(MatDestroy(operators + l));
    result.push_back({M, length});
  }
  PETSC_OK(PetscFree(operators));
  return result;
}

/* A grid's points are numbered rank by rank, but the levels below it are the same on any number of ranks. */
void grids_have_one_hierarchy(const std::vector<std::pair<const char *, const char *>> &given)
{
  std::vector<std::unique_ptr<Option>> options;

  options.push_back(std::make_unique<Option>("-pc_saamg_coarse_limit", "5"));
  for (const auto &[name, value] : given) options.push_back(std::make_unique<Option>(name, value));
  for (PetscInt dof : {1, 3}) {
    const auto want = coarse_operators_of_grid(PETSC_COMM_SELF, dof), here = coarse_operators_of_grid(PETSC_COMM_WORLD, dof);

    BOOST_TEST_REQUIRE(here.size() == want.size(), "dof " << dof << ": " << here.size() << " coarse levels, alone " << want.size());
    BOOST_TEST(want.size() > 1);
    for (std::size_t l = 0; l < want.size(); l++) {
      BOOST_TEST(here[l].first == want[l].first, "dof " << dof << ", level " << l << ": " << here[l].first << " rows, alone " << want[l].first);
      BOOST_TEST(std::abs(here[l].second - want[l].second) <= 1e3 * PETSC_MACHINE_EPSILON * want[l].second,
                 "dof " << dof << ", level " << l << ": norm " << here[l].second << ", alone " << want[l].second);
    }
  }
}

/* Two halves of the world, each with a solver of its own, and every rank one for itself, set up and used in turns. */
void at_once()
{
  MPI_Comm    half;
  const bool  odd  = rank_of(PETSC_COMM_WORLD) % 2;
  const Entry mine = odd ? stencil5(19, 23) : stencil7(9, 8, 7), shared = stencil27(7, 8, 9);

  MPI_Comm_split(PETSC_COMM_WORLD, odd, 0, &half);
  {
    const PetscInt want = iterations(mine, PETSC_COMM_SELF), want_shared = iterations(shared, PETSC_COMM_SELF);
    Solved         a(shared, PETSC_COMM_WORLD), b(mine, half), c(shared, PETSC_COMM_WORLD), d(mine, PETSC_COMM_SELF);

    a.set_up();
    b.set_up();
    c.set_up();
    d.set_up();
    for (int again = 0; again < 2; again++) {
      c.solve();
      d.solve();
      b.solve();
      a.solve();
    }
    BOOST_TEST(a.iterations == c.iterations);
    BOOST_TEST(std::abs(a.iterations - want_shared) <= 1);
    BOOST_TEST(std::abs(b.iterations - want) <= 1);
    BOOST_TEST(d.iterations == want);
  }
  MPI_Comm_free(&half);
}

/* The same vectors again and again: from the second time on a device is given the cycle as a whole, and what comes out stays what it was, to the last bit, with
   products of the same matrix between, which exchange by the same means. */
void same_every_time(const char *smoother, const char *precision)
{
  const Option choice("-pc_saamg_smoother", smoother), type("-pc_saamg_precision", precision), coarse("-pc_saamg_coarse_limit", "20"),
    gather("-pc_saamg_gather_limit", "200");

  for (const Entry &e : {stencil7(17, 16, 15), elasticity(6, 5, 5)}) {
    MatHandle A    = system_matrix({e.name, e, Kernel::none, 0}, MATSLICEDELL);
    PCHandle  pc   = make_pc(A);
    VecHandle b[2] = {right_hand_side(A, 1), right_hand_side(A, 2)}, want[2], x[2], y = right_hand_side(A, 3);

    for (int k : {0, 1}) {
      PETSC_OK(VecDuplicate(y, want[k].put()));
      PETSC_OK(VecDuplicate(y, x[k].put()));
      PETSC_OK(PCApply(pc, b[k], want[k]));
    }
    for (int time = 0; time < 14; time++) { /* in turns, as BiCGStab does it */
      const int k = time & 1;

      PETSC_OK(PCApply(pc, b[k], x[k]));
      for (int products = 0; products < time % 3; products++) PETSC_OK(MatMult(A, x[k], y));
      PETSC_OK(VecAXPY(x[k], -1, want[k]));
      BOOST_TEST(norm(x[k]) == 0, e.name << ", time " << time << ": " << norm(x[k]));
    }
  }
}

/* Coordinates that fit on all ranks but the last: all of them get the error, and none waits. */
void wrong_on_one_rank()
{
  const Entry            e = elasticity(4, 4, 3);
  Solved                 s(e, PETSC_COMM_WORLD);
  PC                     pc;
  PetscInt               m;
  PetscMPIInt            size;
  std::vector<PetscReal> x;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  PETSC_OK(MatGetLocalSize(s.A, &m, nullptr));
  x.assign(m + 3, 0.5);
  PETSC_OK(KSPGetPC(s.ksp, &pc));
  PETSC_OK(PCSetCoordinates(pc, 3, m / 3 + (rank_of(PETSC_COMM_WORLD) == size - 1), x.data()));
  const Outcome outcome = attempt([&] { return KSPSetUp(s.ksp); });
  BOOST_TEST(outcome.failed);
  if (rank_of(PETSC_COMM_WORLD) == size - 1) BOOST_TEST(outcome.says("PCSetCoordinates"));
}

/* Whether the rank hands its rows to another, which does its work there. */
bool works_elsewhere(PetscMPIInt rank)
{
  std::shared_ptr<goza::parallel::RankGroup> group;
  PetscMPIInt                                leads = 1;

  PETSC_OK(goza::parallel::RankGroupGet(PETSC_COMM_WORLD, goza::plugin.space, &group));
  if (group) leads = group->leads();
  PETSC_OK(MPI_Bcast(&leads, 1, MPI_INT, rank, PETSC_COMM_WORLD));
  return !leads;
}

/* Wherever in the set-up the rank's memory ends: all ranks get an error, none waits, and the next set-up is as if nothing had been. Of the many requests of a
   rank that works some are refused, of the few of one that hands its rows to another each. */
void one_rank_out_of_memory(const char *smoother, PetscMPIInt rank)
{
  const Option      choice("-pc_saamg_smoother", smoother), coarse("-pc_saamg_coarse_limit", "20"), gather("-pc_saamg_gather_limit", "30");
  const Entry       e      = elasticity(5, 4, 4);
  const bool        short_ = rank_of(PETSC_COMM_WORLD) == rank, every = works_elsewhere(rank);
  const PetscInt    want     = iterations(e, PETSC_COMM_WORLD);
  const std::string named    = "Rank " + std::to_string(rank) + " could not ";
  int               failures = 0;
  PetscMPIInt       over     = 0;

  for (long n = 0; !over; n += every ? 1 : 1 + n / 3) {
    Solved s(e, PETSC_COMM_WORLD);

    PETSC_OK(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
    PetscErrorCode c;
    {
      const AllocFailure memory({short_ ? n : -1, true, 256}); /* there is always enough to say what happened */

      c = KSPSetUp(s.ksp);
    }
    PETSC_OK(PetscPopErrorHandler());
    over = short_ && !AllocFailure::refused(); /* there was enough */
    MPI_Allreduce(MPI_IN_PLACE, &over, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
    const bool failed_here = c != PETSC_SUCCESS, failed = any_rank(failed_here);
    BOOST_TEST(failed_here == failed);
    if (failed) {
      const std::string said = goza::LastErrorText(c);

      BOOST_TEST(c == PETSC_ERR_MEM);
      BOOST_TEST(said.find("host memory exhausted") != std::string::npos, said);
      if (!short_) BOOST_TEST((said.find(named) == 0 && said.find("Rank ", 1) == std::string::npos), said);
    }
    BOOST_TEST(failed == !over, "after " << n << " requests");
    failures += failed;
    if (failures % 8 == 1 || over) {
      s.solve();
      BOOST_TEST(s.iterations == want);
    }
  }
  BOOST_TEST(failures > 10);
}

void add_laws()
{
  auto *suite = suite_named(nullptr, "ranks");

  add_test(suite, "same_iterations", same_iterations);
  add_test(suite, "coarsest_level_on_one_rank", coarsest_level_on_one_rank);
  add_test(suite, "grids_have_one_hierarchy", [] { grids_have_one_hierarchy({}); });
  add_test(suite, "grids_have_one_hierarchy_gathered", [] { grids_have_one_hierarchy({{"-pc_saamg_gather_limit", "100"}, {"-pc_saamg_threshold", "0.02"}}); });
  add_test(suite, "grids_have_one_hierarchy_degree_2", [] {
    grids_have_one_hierarchy({{"-pc_saamg_gather_limit", "2"}, {"-pc_saamg_coarse_interpolation_degree", "2"}});
  });
  add_test(suite, "grids_have_one_hierarchy_aggressive", [] {
    grids_have_one_hierarchy({{"-pc_saamg_gather_limit", "0"}, {"-pc_saamg_aggressive_levels", "1"}});
  });
  add_test(suite, "at_once", at_once);
  add_test(suite, "wrong_on_one_rank", wrong_on_one_rank);
  for (const char *smoother : {"chebyshev", "mcgs"})
    for (const char *precision : {"double", "mixed"})
      add_test(suite, std::string("same_every_time_") + smoother + "_" + precision, [=] { same_every_time(smoother, precision); });
  for (const char *smoother : {"chebyshev", "mcgs"})
    add_test(suite, std::string("one_rank_out_of_memory_") + smoother, [=] { one_rank_out_of_memory(smoother, 1); });
  add_test(suite, "last_rank_out_of_memory", [] { one_rank_out_of_memory("chebyshev", goza::ranks_of(PETSC_COMM_WORLD) - 1); });
  add_test(suite, "first_rank_out_of_memory", [] { one_rank_out_of_memory("chebyshev", 0); });
}

const AddTests added(add_laws);

} // namespace
