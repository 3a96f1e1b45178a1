/* Each allocation of a set-up fails in turn, on one rank: an error on all ranks, no abort and no hang, and the next set-up works. Counted is what goes through operator new. */
#include "support/pc_case.hpp"

#include <petsc/private/petscimpl.h>

#include <cstdlib>
#include <new>

namespace
{

long left = -1; /* allocations before the one that fails; negative: none does */

void *allocate(std::size_t bytes)
{
  if (left >= 0 && left-- == 0) throw std::bad_alloc();
  if (void *p = std::malloc(bytes ? bytes : 1)) return p;
  throw std::bad_alloc();
}

} // namespace

void *operator new(std::size_t bytes)
{
  return allocate(bytes);
}
void *operator new[](std::size_t bytes)
{
  return allocate(bytes);
}
void operator delete(void *p) noexcept
{
  std::free(p);
}
void operator delete[](void *p) noexcept
{
  std::free(p);
}
void operator delete(void *p, std::size_t) noexcept
{
  std::free(p);
}
void operator delete[](void *p, std::size_t) noexcept
{
  std::free(p);
}

using namespace goza_test;

namespace
{

struct Setup {
  const char *name, *smoother, *reuse, *direct_limit;
  Entry       entry;
};

const std::vector<Setup> &setups()
{
  static const std::vector<Setup> all{
    {"chebyshev", "chebyshev", "none", "500", stencil5(9, 8)},
    {"mcgs", "mcgs", "pattern", "0", stencil7(5, 4, 4)},
    {"singular", "jacobi", "interpolation", "500", neumann5(9, 8)},
  };
  return all;
}

/* every: how many allocations further the next failure is */
void each_allocation_fails(const Setup &s, bool again, PetscMPIInt who, long every)
{
  Option      limit("-pc_saamg_coarse_limit", "12"), smoother("-pc_saamg_smoother", s.smoother), reuse("-pc_saamg_reuse", s.reuse), direct("-pc_saamg_direct_limit", s.direct_limit);
  MatHandle   A         = assemble(s.entry, MATAIJ);
  PCHandle    reference = make_pc(A);
  VecHandle   x = right_hand_side(A, 1), want = right_hand_side(A, 2), got = right_hand_side(A, 3);
  PetscMPIInt rank;
  long        n = 0;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  PETSC_OK(PCApply(reference, x, want));
  for (bool fired = true; fired; n += every) {
    PCHandle pc = make_pc(A, again); /* again: it was set up, and its matrix has other values now */

    if (again) PETSC_OK(PetscObjectStateIncrease((PetscObject)(Mat)A));
    left                  = rank == who ? n : -1;
    const Outcome outcome = attempt([&] { return PCSetUp(pc); });
    fired                 = any_rank(rank == who && left < 0);
    left                  = -1;
    BOOST_TEST_REQUIRE(any_rank(outcome.failed) == outcome.failed, "allocation " << n << ": an error on some ranks alone");
    BOOST_TEST_REQUIRE((fired || !outcome.failed));
    if (outcome.failed) PETSC_OK(PCSetUp(pc));
    PETSC_OK(PCApply(pc, x, got));
    PETSC_OK(VecAXPY(got, -1, want));
    BOOST_TEST_REQUIRE(norm(got) <= 1e-10 * norm(want), "allocation " << n);
  }
  BOOST_TEST(n > 20); /* there was something to fail */
}

/* On several ranks, where a set-up takes as long as the ranks wait for one another, few of them, on the last rank. */
const AddTests add([] {
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (const Setup &s : setups())
    for (bool again : {false, true}) {
      if (size > 1 && again != (s.reuse[0] == 'p')) continue;
      add_test(suite_named(nullptr, s.name), again ? "again" : "first", [&s, again, size] { each_allocation_fails(s, again, size - 1, size > 1 ? 41 : 1); });
    }
});

} // namespace
