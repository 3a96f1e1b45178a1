/* The cycle on several ranks is that of one rank, entry by entry, however its levels are numbered there: rows of a DMDA go rank by rank, levels that are
   partitioned anew as the partitioner likes. */
#include "../support/grid_case.hpp"
#include "../support/pc_case.hpp"

#include <petscgoza.h>

#include <memory>
#include <string>
#include <vector>

using namespace goza_test;

namespace {

using Options = std::vector<std::pair<const char *, const char *>>;

std::vector<std::unique_ptr<Option>> set(const Options &given)
{
  std::vector<std::unique_ptr<Option>> options;

  for (const auto &[name, value] : given) options.push_back(std::make_unique<Option>(name, value));
  return options;
}

/* got, whose entries are `want`'s from the same global number on; want lies on each rank alone. */
void check_same(Vec got, Vec want, const std::string &what)
{
  const PetscScalar *here, *alone;
  PetscInt           start, end;
  PetscReal          size, off = 0;

  PETSC_OK(VecNorm(want, NORM_INFINITY, &size));
  PETSC_OK(VecGetOwnershipRange(got, &start, &end));
  PETSC_OK(VecGetArrayRead(got, &here));
  PETSC_OK(VecGetArrayRead(want, &alone));
  for (PetscInt i = start; i < end; i++) off = PetscMax(off, PetscAbsScalar(here[i - start] - alone[i]));
  PETSC_OK(VecRestoreArrayRead(got, &here));
  PETSC_OK(VecRestoreArrayRead(want, &alone));
  off = max_over_ranks(off);
  BOOST_TEST(size > 0);
  BOOST_TEST(off <= 1e5 * PETSC_MACHINE_EPSILON * size, what << ": off by " << off << " of " << size);
}

/* M b, and the transposed cycle's. */
VecHandle applied(Mat A, Vec b, bool transposed)
{
  const PCHandle pc = make_pc(A);
  VecHandle      x;

  PETSC_OK(VecDuplicate(b, x.put()));
  PETSC_OK(transposed ? PCApplyTranspose(pc, b, x) : PCApply(pc, b, x));
  return x;
}

/* All rows are on one rank. */
void on_last_rank(const std::string &smoother)
{
  const auto options = set({
    {"-pc_saamg_smoother", smoother.c_str()},
    {"-pc_saamg_coarse_limit", "5"},
    {"-pc_saamg_gather_limit", "1"},
    {"-pc_saamg_direct_limit", "0"},
  });
  Entry      skewed{"skewed", 400, 400, square, [](PetscInt i, Row &r) {
                 PetscScalar sum = 1e-2;
                 for (PetscInt d : {-37, -20, -1, 1, 20, 37}) {
                   const PetscInt j = i + d;
                   if (j < 0 || j >= 400) continue;
                   const PetscScalar a = (d < 0 ? 1 : 1.2) + 0.3 * uniform(PetscMin(i, j), PetscAbsInt(d), 3);
                   r.add(j, -a);
                   sum += 1.2 * a;
                 }
                 r.add(i, sum);
               }};

  for (Entry e : {stencil7(11, 10, 9), stencil27(8, 7, 9), elasticity(5, 5, 4), skewed}) {
    const MatHandle alone = assemble(e, MATAIJ, Prealloc::exact, PETSC_COMM_SELF);
    e.layout              = Layout::all_on_last;
    const MatHandle A     = assemble(e, MATAIJ);

    for (bool transposed : {false, true})
      check_same(applied(A, right_hand_side(A, 1), transposed), applied(alone, right_hand_side(alone, 1), transposed),
                 e.name + (transposed ? ", transposed" : ""));
  }
}

/* Points of a DMDA. */
void of_grid(const std::string &smoother)
{
  const auto options = set(
    {{"-pc_saamg_smoother", smoother.c_str()}, {"-pc_saamg_coarse_limit", "5"}, {"-pc_saamg_gather_limit", "10"}, {"-pc_saamg_direct_limit", "0"}});

  for (PetscInt dof : {1, 3}) {
    const GridMatrix grid = grid_matrix(PETSC_COMM_WORLD, dof), alone = grid_matrix(PETSC_COMM_SELF, dof);
    const VecHandle  b = right_hand_side(grid.A, 1), b_alone = right_hand_side(alone.A, 1); /* by global numbers, which on one rank are the natural ones */
    VecHandle        given, natural;

    PETSC_OK(VecDuplicate(b, given.put()));
    PETSC_OK(DMDACreateNaturalVector(grid.da, natural.put()));
    PETSC_OK(DMDANaturalToGlobalBegin(grid.da, b, INSERT_VALUES, given));
    PETSC_OK(DMDANaturalToGlobalEnd(grid.da, b, INSERT_VALUES, given));
    for (bool transposed : {false, true}) {
      const VecHandle x = applied(grid.A, given, transposed);

      PETSC_OK(DMDAGlobalToNaturalBegin(grid.da, x, INSERT_VALUES, natural));
      PETSC_OK(DMDAGlobalToNaturalEnd(grid.da, x, INSERT_VALUES, natural));
      check_same(natural, applied(alone.A, b_alone, transposed), "dof " + std::to_string(dof) + (transposed ? ", transposed" : ""));
    }
  }
}

const AddTests add([] {
  for (const auto &smoother : goza_test::smoother_names()) {
    auto *suite = suite_named(nullptr, smoother);

    add_test(suite, "on_last_rank", [=] { on_last_rank(smoother); });
    add_test(suite, "grid", [=] { of_grid(smoother); });
  }
});

} // namespace
