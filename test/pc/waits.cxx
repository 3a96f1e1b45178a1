/* How often the host waits for the device in a set-up: a level asks for few numbers, and for several at a time. */
#include "core/device/properties.hpp"

#include "../support/operators.hpp"
#include "../support/pc_case.hpp"

#include <petscgoza.h>

using namespace goza_test;

namespace {

struct Waits {
  std::size_t first, new_values; /* of a set-up from nothing, and of one with other values in the same pattern */
  PetscInt    levels;
};

std::size_t waits_of(PC pc)
{
  const std::size_t before = goza::device::waits();

  PETSC_OK(PCSetUp(pc));
  return goza::device::waits() - before;
}

Waits waits_of(const Problem &p, MatType type)
{
  Option    coarse("-pc_saamg_coarse_limit", "30");
  MatHandle A = system_matrix(p, type);
  VecHandle x = right_hand_side(A, 1), y = right_hand_side(A, 2);
  Waits     waits;
  Mat      *operators;

  PETSC_OK(MatMult(A, x, y)); /* its format is there */
  (void)make_pc(A);           /* and all that is made once in a process */
  PCHandle pc = make_pc(A, false);
  waits.first = waits_of(pc);
  PETSC_OK(MatScale(A, 2));
  PETSC_OK(MatMult(A, x, y));
  waits.new_values = waits_of(pc);
  PETSC_OK(PCGetCoarseOperators(pc, &waits.levels, &operators));
  for (PetscInt l = 0; l + 1 < waits.levels; l++) PETSC_OK(MatDestroy(&operators[l]));
  PETSC_OK(PetscFree(operators));
  BOOST_TEST_MESSAGE(p.name << ": " << waits.first << " waits, with new values " << waits.new_values << ", " << waits.levels << " levels");
  return waits;
}

} // namespace

/* Nothing is known of where the rows are. */
BOOST_AUTO_TEST_CASE(general_path)
{
  Option threshold("-pc_saamg_threshold", "0.01");
  Waits  waits = waits_of(problem("poisson7"), MATSLICEDELL);

  BOOST_TEST_REQUIRE(waits.levels > 1);
  BOOST_TEST(waits.first <= 20u * waits.levels);
  BOOST_TEST(waits.new_values <= waits.first);
}

/* Levels that are boxes of a lattice. */
BOOST_AUTO_TEST_CASE(boxes)
{
  Waits waits = waits_of(problem("poisson27"), MATCDS);

  BOOST_TEST_REQUIRE(waits.levels > 1);
  BOOST_TEST(waits.first <= 8u * waits.levels);
  BOOST_TEST(waits.new_values <= 4u * waits.levels);
}

/* As many colours as the flow has steps. */
BOOST_AUTO_TEST_CASE(along_a_flow)
{
  Waits waits = waits_of({"convection", convection(96, 96, 1, 1e-4, Wind::rotating), Kernel::none, 0}, MATSLICEDELL);

  BOOST_TEST_REQUIRE(waits.levels > 1);
  BOOST_TEST(waits.first <= 25u * waits.levels);
}

/* A matrix that the host assembled is there in its format after the first set-up: a second one reads it there, but for what couples it with other ranks' rows,
   and finds the same. */
static void check_assembled_on_the_host(MatType type)
{
  Option         coarse("-pc_saamg_coarse_limit", "30"), threshold("-pc_saamg_threshold", "0.01");
  MatHandle      A = system_matrix(problem("poisson7"), type);
  VecHandle      b = right_hand_side(A, 1), x = right_hand_side(A, 2), y = right_hand_side(A, 2);
  PCHandle       first = make_pc(A);
  PetscLogDouble sent  = 0;
  PetscMPIInt    size;
  MatInfo        info;

  PETSC_OK(MatGetInfo(A, MAT_LOCAL, &info));
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
#if PetscDefined(HAVE_CUDA) && PetscDefined(USE_LOG)
  sent = petsc_ctog_sz;
#endif
  PCHandle second = make_pc(A);
#if PetscDefined(HAVE_CUDA) && PetscDefined(USE_LOG)
  sent = petsc_ctog_sz - sent;
#endif
  if (size == 1) BOOST_TEST(sent == 0);
  else BOOST_TEST(sent < info.nz_used * sizeof(PetscScalar) / 2);
  PETSC_OK(PCApply(first, b, x));
  PETSC_OK(PCApply(second, b, y));
  PETSC_OK(VecAXPY(y, -1, x));
  BOOST_TEST(norm(y) <= 1e3 * PETSC_MACHINE_EPSILON * norm(x));
}

BOOST_AUTO_TEST_CASE(assembled_on_the_host)
{
  check_assembled_on_the_host(MATCDS);
  check_assembled_on_the_host(MATSLICEDELL);
}
