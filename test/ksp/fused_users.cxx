/* The fused Krylov methods as users meet them: monitors, tests of their own, kept preconditioners, several right-hand sides, prefixes; and whatever is wrong
   with the input. */
#include "mat/common/format_kind.hpp"
#include "petsc/plugin.hpp"

#include "../support/ksp_case.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <petsc/private/vecimpl.h>

using namespace goza_test;

namespace {

/* What a monitor saw: the norm that it was told, and the norm of b - A x for the x of that moment. */
struct Seen {
  Mat                    A;
  Vec                    b;
  std::vector<PetscReal> told, found;
};

PetscErrorCode look(KSP ksp, PetscInt, PetscReal told, void *ctx)
{
  Seen     &seen = *static_cast<Seen *>(ctx);
  Vec       x;
  VecHandle r;

  PETSC_OK(KSPBuildSolution(ksp, nullptr, &x));
  PETSC_OK(VecDuplicate(seen.b, r.put()));
  PETSC_OK(MatResidual(seen.A, seen.b, x, r));
  seen.told.push_back(told);
  seen.found.push_back(norm(r));
  return PETSC_SUCCESS;
}

PetscErrorCode stop_at_three(KSP, PetscInt it, PetscReal, KSPConvergedReason *reason, void *)
{
  *reason = it == 3 ? KSP_CONVERGED_HAPPY_BREAKDOWN : KSP_CONVERGED_ITERATING;
  return PETSC_SUCCESS;
}

PetscErrorCode fail_at_two(KSP, PetscInt it, PetscReal, void *) { return it == 2 ? PETSC_ERR_USER : PETSC_SUCCESS; }

/* With unpreconditioned norms what a monitor is told is what it finds; a restart comes between. */
BOOST_AUTO_TEST_CASE(monitors_see_the_solution)
{
  for (const char *pc : {"saamg", "bjacobi"}) {
    for_each_method([&](const Method &m) {
      Option    n("-ksp_norm_type", "unpreconditioned"), p("-pc_type", pc), restart("-ksp_gmres_restart", "4");
      System    s   = poisson();
      KSPHandle ksp = make_ksp(s, m.ours);
      VecHandle b   = vector_of(s.A, 5);
      Seen      seen{s.A, b, {}, {}};

      PETSC_OK(KSPMonitorSet(ksp, look, &seen, nullptr));
      const Run run = solve_with(ksp, b, nullptr);
      BOOST_TEST(run.reason > 0);
      BOOST_TEST((PetscInt)seen.told.size() == run.its + 1, m.ours);
      for (std::size_t k = 0; k < seen.told.size(); k++)
        BOOST_TEST(std::abs(seen.told[k] - seen.found[k]) <= 1e6 * PETSC_MACHINE_EPSILON * seen.found[0],
                   m.ours << ", " << pc << ", " << k << ": " << seen.told[k] << " told, " << seen.found[k] << " found");
    });
  }
}

BOOST_AUTO_TEST_CASE(a_test_of_the_users)
{
  for_each_method([](const Method &m) {
    Option    p("-pc_type", "saamg");
    System    s    = poisson();
    KSPHandle ours = make_ksp(s, m.ours), petscs = make_ksp(s, m.petscs);
    VecHandle b = vector_of(s.A, 5);

    for (KSP ksp : {(KSP)ours, (KSP)petscs}) PETSC_OK(KSPSetConvergenceTest(ksp, stop_at_three, nullptr, nullptr));
    const Run a = solve_with(ours, b, nullptr), c = solve_with(petscs, b, nullptr);
    BOOST_TEST(a.its == 3);
    same(a, c, m.ours);
  });
}

BOOST_AUTO_TEST_CASE(a_monitor_that_fails)
{
  for_each_method([](const Method &m) {
    Option    p("-pc_type", "saamg");
    System    s   = poisson();
    KSPHandle ksp = make_ksp(s, m.ours), petscs = make_ksp(s, m.petscs);
    VecHandle b = vector_of(s.A, 5), x;

    PETSC_OK(VecDuplicate(b, x.put()));
    PETSC_OK(KSPMonitorSet(ksp, fail_at_two, nullptr, nullptr));
    BOOST_TEST(attempt([&] { return KSPSolve(ksp, b, x); }).failed);
    PETSC_OK(KSPMonitorCancel(ksp));
    /* PETSc leaves the right-hand side locked where a solve fails: another one */
    VecHandle again = vector_of(s.A, 5);
    same(solve_with(ksp, again, nullptr), solve_with(petscs, again, nullptr), m.ours + ", the solve after");
  });
}

/* A's values move on, the preconditioner stays. */
BOOST_AUTO_TEST_CASE(a_preconditioner_that_is_kept)
{
  for (const char *pc : {"saamg", "jacobi"}) {
    for_each_method([&](const Method &m) {
      Option    p("-pc_type", pc), most("-ksp_max_it", std::to_string(m.its));
      System    s    = poisson();
      KSPHandle ours = make_ksp(s, m.ours), petscs = make_ksp(s, m.petscs);
      VecHandle b = vector_of(s.A, 5);

      same(solve_with(ours, b, nullptr), solve_with(petscs, b, nullptr), m.ours);
      for (KSP ksp : {(KSP)ours, (KSP)petscs}) PETSC_OK(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
      PETSC_OK(MatShift(s.A, 0.3));
      const Run a = solve_with(ours, b, nullptr);
      same(a, solve_with(petscs, b, nullptr), m.ours + ", kept");
      BOOST_TEST(is_native(a));
      for (KSP ksp : {(KSP)ours, (KSP)petscs}) PETSC_OK(KSPSetReusePreconditioner(ksp, PETSC_FALSE));
      same(solve_with(ours, b, nullptr), solve_with(petscs, b, nullptr), m.ours + ", new");
    });
  }
}

/* Neither the method nor the preconditioner of the solve before holds the matrix's product, which would be built anew beside it. */
BOOST_AUTO_TEST_CASE(new_values_go_where_the_old_ones_are)
{
  const auto product_of = [](Mat A) {
    std::shared_ptr<goza::mat::ParOperator<PetscScalar>> op;

    PETSC_OK(goza::mat::MatFormatGetOperator(A, &op));
    return op.get();
  };

  for_each_method([&](const Method &m) {
    Option      pc("-pc_type", "saamg");
    System      s      = poisson();
    KSPHandle   ksp    = make_ksp(s, m.ours);
    VecHandle   b      = vector_of(s.A, 5);
    const Run   first  = solve_with(ksp, b, nullptr);
    const void *before = product_of(s.A);

    PETSC_OK(MatScale(s.A, 4));
    const Run second = solve_with(ksp, b, nullptr);
    BOOST_TEST(product_of(s.A) == before, m.ours);
    BOOST_TEST(second.its == first.its, m.ours);
    PETSC_OK(VecAXPY(first.x, -4, second.x));
    BOOST_TEST(norm(first.x) < 1e-6 * norm(second.x), m.ours);
  });
}

/* More than a device may be ahead of the host, which lets it go on again and again: to the end of the tolerance, and to that of the iterations. */
BOOST_AUTO_TEST_CASE(many_iterations)
{
  const PetscInt n = 3000;
  const Entry    chain{"chain", n, n, 0, [n](PetscInt i, Row &r) {
                      if (i > 0) r.add(i - 1, -1);
                      r.add(i, 2.005);
                      if (i < n - 1) r.add(i + 1, -1);
                    }};

  for_each_method([&](const Method &m) {
    for (const std::string &norm : m.norms) {
      for (const char *most : {"77", "400"}) {
        Option     p("-pc_type", "jacobi"), type("-ksp_norm_type", norm), its("-ksp_max_it", most);
        Option     rtol("-ksp_rtol", "1e-6"); /* times the condition of the matrix, 800, it is what solutions may differ by */
        System     s{assemble(chain, MATCDS)};
        KSPHandle  ours = make_ksp(s, m.ours), petscs = make_ksp(s, m.petscs);
        VecHandle  b      = vector_of(s.A, 5), d;
        const bool steady = m.ours == KSPFUSEDCG; /* the rounding of BiCGStab grows faster than its residual falls */
        const auto what   = m.ours + ", norm " + norm + ", " + most;

        if (norm == "none" && !(most == std::string("77") && m.ours == KSPFUSEDCG)) continue; /* rounding would be all that is left */
        const Run a = solve_with(ours, b, nullptr), again = solve_with(ours, b, nullptr), c = solve_with(petscs, b, nullptr);
        BOOST_TEST(a.reason == c.reason, what << ": " << KSPConvergedReasons[a.reason] << ", PETSc's " << KSPConvergedReasons[c.reason]);
        BOOST_TEST(std::abs(a.its - c.its) <= (steady ? 3 : c.its / 4), what << ": " << a.its << " iterations, PETSc's " << c.its);
        BOOST_TEST(again.its == a.its, what);
        PETSC_OK(VecDuplicate(b, d.put()));
        PETSC_OK(VecWAXPY(d, -1, a.x, c.x));
        if (steady || c.reason > 0)
          BOOST_TEST(::goza_test::norm(d) <= 1e-3 * ::goza_test::norm(c.x),
                     what << ": solutions differ by " << ::goza_test::norm(d) << " of " << ::goza_test::norm(c.x));
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(several_right_hand_sides)
{
  for_each_method([](const Method &m) {
    Option    p("-pc_type", "saamg");
    System    s   = poisson();
    KSPHandle ksp = make_ksp(s, m.ours);
    PetscInt  n, N;
    MatHandle B, X;

    PETSC_OK(MatGetLocalSize(s.A, &n, nullptr));
    PETSC_OK(MatGetSize(s.A, &N, nullptr));
    PETSC_OK(MatCreateDense(PETSC_COMM_WORLD, n, PETSC_DECIDE, N, 3, nullptr, B.put()));
    PETSC_OK(MatSetRandom(B, nullptr));
    PETSC_OK(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, X.put()));
    PETSC_OK(KSPMatSolve(ksp, B, X));
    for (PetscInt k = 0; k < 3; k++) {
      Vec       b, x;
      VecHandle alone;

      PETSC_OK(MatDenseGetColumnVecRead(B, k, &b));
      PETSC_OK(VecDuplicate(b, alone.put()));
      PETSC_OK(KSPSolve(ksp, b, alone));
      PETSC_OK(MatDenseGetColumnVecRead(X, k, &x));
      PETSC_OK(VecAXPY(alone, -1, x));
      BOOST_TEST(norm(x) > 0);
      /* a device may have recorded one of them and not the other */
      BOOST_TEST(norm(alone) <= 1e-13 * norm(x), m.ours << ", column " << k << ": " << norm(alone));
      PETSC_OK(MatDenseRestoreColumnVecRead(X, k, &x));
      PETSC_OK(MatDenseRestoreColumnVecRead(B, k, &b));
    }
  });
}

BOOST_AUTO_TEST_CASE(the_transposed_system)
{
  for_each_method([](const Method &m) {
    Option    p("-pc_type", "jacobi"), most("-ksp_max_it", std::to_string(m.its));
    System    s = poisson();
    VecHandle d = vector_of(s.A, 9), b = vector_of(s.A, 5), x[2];

    PETSC_OK(VecAbs(d));
    PETSC_OK(VecShift(d, 1));
    PETSC_OK(MatDiagonalScale(s.A, d, nullptr)); /* no longer symmetric */
    PETSC_OK(MatSetOption(s.A, MAT_SYMMETRIC, PETSC_FALSE));
    PetscInt its[2];
    for (int k = 0; k < 2; k++) {
      KSPHandle ksp = make_ksp(s, k ? m.petscs : m.ours);
      PETSC_OK(VecDuplicate(b, x[k].put()));
      PETSC_OK(KSPSolveTranspose(ksp, b, x[k]));
      PETSC_OK(KSPGetIterationNumber(ksp, &its[k]));
    }
    BOOST_TEST(its[0] == its[1]);
    PETSC_OK(VecAXPY(x[0], -1, x[1]));
    BOOST_TEST(norm(x[0]) <= 1e9 * PETSC_MACHINE_EPSILON * norm(x[1]), m.ours);
  });
}

BOOST_AUTO_TEST_CASE(a_prefix_and_the_options_of_a_method)
{
  Option    type("-first_ksp_type", KSPFUSEDGMRES), restart("-first_ksp_gmres_restart", "3"), pc("-first_pc_type", "jacobi"), rtol("-first_ksp_rtol", "0.5");
  System    s = poisson();
  KSPHandle ksp;
  PetscInt  n;
  PetscBool is;
  VecHandle b = vector_of(s.A, 5);

  PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
  PETSC_OK(KSPSetOptionsPrefix(ksp, "first_"));
  PETSC_OK(KSPSetOperators(ksp, s.A, s.A));
  PETSC_OK(KSPSetFromOptions(ksp));
  PETSC_OK(PetscObjectTypeCompare((PetscObject)(KSP)ksp, KSPFUSEDGMRES, &is));
  BOOST_TEST(is);
  PETSC_OK(KSPGMRESGetRestart(ksp, &n));
  BOOST_TEST(n == 3);
  const Run run = solve_with(ksp, b, nullptr);
  BOOST_TEST(run.reason == KSP_CONVERGED_RTOL);
  BOOST_TEST(run.history.back() > 0.01 * run.history.front());
  BOOST_TEST(run.view.find("restart=3") != std::string::npos, run.view);
  /* and the same object as another type, with another matrix's size */
  PETSC_OK(KSPSetType(ksp, KSPFUSEDCG));
  PETSC_OK(KSPReset(ksp));
  System    other{system_matrix(problem("poisson5"), MATSLICEDELL)};
  VecHandle c = vector_of(other.A, 5);
  PETSC_OK(KSPSetOperators(ksp, other.A, other.A));
  BOOST_TEST(solve_with(ksp, c, nullptr).reason == KSP_CONVERGED_RTOL);
}

/* What is added up without waiting (the one definition that the library finds, too), and products with the matrix that began between that and the wait. */
struct Unwaited {
  PetscInt    begun = 0, covered = 0;
  MPI_Request request  = MPI_REQUEST_NULL;
  int         products = 0;
} unwaited;

int products_so_far() { return (int)(goza::usage.products[0] + goza::usage.products[1]); }

} // namespace

extern "C" int(MPI_Iallreduce)(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
  const int failed = PMPI_Iallreduce(in, out, n, type, op, comm, request);

  unwaited.begun++;
  unwaited.request  = *request;
  unwaited.products = products_so_far();
  return failed;
}

extern "C" int(MPI_Wait)(MPI_Request *request, MPI_Status *status)
{
  if (unwaited.request != MPI_REQUEST_NULL && *request == unwaited.request) {
    unwaited.covered += products_so_far() > unwaited.products;
    unwaited.request = MPI_REQUEST_NULL;
  }
  return (PMPI_Wait)(request, status);
}

namespace {

/* All inner products of an iteration in one reduction that is waited for; fusedbcgs has another, with a product between its beginning and its end. Devices that
   go on by themselves add up without any. */
BOOST_AUTO_TEST_CASE(reductions)
{
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (size == 1) return;
  const PetscInt asked       = goza::plugin.ranks_per_gpu;
  goza::plugin.ranks_per_gpu = goza::RANKS_OWN; /* else a leader may solve, without any */
  for_each_method([](const Method &m) {
    Option         p("-pc_type", "jacobi");
    System         s   = poisson();
    KSPHandle      ksp = make_ksp(s, m.ours);
    VecHandle      b   = vector_of(s.A, 5), x;
    PetscLogDouble count[3];
    PetscInt       begun[3];

    unwaited            = Unwaited();
    const auto repeated = goza::usage.repeated;
    PETSC_OK(VecDuplicate(b, x.put()));
    PETSC_OK(KSPSetConvergenceTest(ksp, KSPConvergedSkip, nullptr, nullptr));
    for (int k = 0; k < 3; k++) {
      const PetscLogDouble before = petsc_allreduce_ct;

      PETSC_OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, k == 0 ? 3 : 3 + 4 * k)); /* the first sets up */
      PETSC_OK(KSPSolve(ksp, b, x));
      count[k] = petsc_allreduce_ct - before;
      begun[k] = unwaited.begun;
    }
    const bool by_devices = goza::usage.repeated > repeated;
    BOOST_TEST((count[2] - count[1]) / 4 == !by_devices, m.ours << ": " << (count[2] - count[1]) / 4 << " reductions an iteration");
    BOOST_TEST(begun[2] - begun[1] == (m.ours == KSPFUSEDBCGS && !by_devices ? 11 : 0), m.ours << ": " << begun[2] - begun[1] << " begun without waiting");
    BOOST_TEST(unwaited.covered == unwaited.begun, m.ours << ": " << unwaited.covered << " of them beside a product");
  });
  goza::plugin.ranks_per_gpu = asked;
}

/* A device goes on by itself, those of several ranks where they reach one another's memory, and in the next solve at once or nearly. */
BOOST_AUTO_TEST_CASE(devices_go_on)
{
  char        halo[16] = "auto";
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  PETSC_OK(PetscOptionsGetString(nullptr, nullptr, "-goza_halo", halo, sizeof(halo), nullptr));
  const bool device = goza::default_space() == goza::Space::Cuda, expected = device && (size == 1 || std::string(halo) == "peer");
  for_each_method([&](const Method &m) {
    if (m.ours == KSPFUSEDGMRES) return;
    for (const char *pc : {"jacobi", "saamg"}) {
      Option    p("-pc_type", pc), most("-ksp_max_it", std::to_string(m.its));
      System    s    = poisson();
      KSPHandle ours = make_ksp(s, m.ours), petscs = make_ksp(s, m.petscs);

      for (unsigned seed : {5U, 6U, 7U}) {
        VecHandle  b      = vector_of(s.A, seed);
        PetscInt64 before = goza::usage.repeated, repeated;
        const Run  run    = solve_with(ours, b, nullptr);

        same(run, solve_with(petscs, b, nullptr), m.ours + ", " + pc);
        repeated = goza::usage.repeated - before;
        PETSC_OK(MPI_Allreduce(MPI_IN_PLACE, &repeated, 1, MPIU_INT64, MPI_MAX, PETSC_COMM_WORLD)); /* it may be the leader's */
        if (expected) BOOST_TEST(repeated >= run.its - 2, m.ours << ", " << pc << ": " << repeated << " of " << run.its);
        if (!device) BOOST_TEST(repeated == 0);
      }
    }
  });
}

/* --- bad input */

/* Vectors that are longer than the operator on the last rank are refused by all ranks, and the next solve works. */
BOOST_AUTO_TEST_CASE(vectors_of_another_length)
{
  PetscMPIInt rank, size;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (const char *mat : {MATAIJ, MATCDS}) {
    for_each_method([&](const Method &m) {
      for (const char *pc : {"saamg", "none"}) {
        Option     p("-pc_type", pc);
        System     s    = poisson(mat);
        VecHandle  b    = vector_of(s.A, 5);
        const auto make = [&](bool longer) {
          VecHandle v;
          PetscInt  n;

          PETSC_OK(VecGetLocalSize(b, &n));
          PETSC_OK(VecCreateMPI(PETSC_COMM_WORLD, n + (longer && rank == size - 1), PETSC_DETERMINE, v.put()));
          PETSC_OK(VecSet(v, 1));
          return v;
        };

        for (int longer : {1, 2, 3}) {
          KSPHandle     ksp = make_ksp(s, m.ours);
          VecHandle     rhs = make(longer & 1), x = make(longer & 2);
          const Outcome outcome = attempt([&] { return KSPSolve(ksp, rhs, x); });

          BOOST_TEST(outcome.failed, mat << ", " << m.ours << ", " << pc << ", " << longer);
          BOOST_TEST(outcome.says("right-hand side"), outcome.message);
          BOOST_TEST(solve_with(ksp, b, nullptr).reason > 0);
        }
      }
    });
  }
}

/* A null space whose vector is shorter than the operator on the last rank: an error of all ranks where the method takes it, and the next solve works. */
/* Vectors without an array, as SLEPc's Jacobi-Davidson hands on: a sentence that names method and type. */
BOOST_AUTO_TEST_CASE(vectors_without_arrays)
{
  for_each_method([](const Method &m) {
    System    s   = poisson();
    KSPHandle ksp = make_ksp(s, m.ours);
    VecHandle b = vector_of(s.A, 5), x = vector_of(s.A, 1);

    const Vec  v   = b;
    const auto get = std::exchange(v->ops->getarray, nullptr);

    v->petscnative        = PETSC_FALSE;
    const Outcome outcome = attempt([&] { return KSPSolve(ksp, v, x); });
    v->petscnative        = PETSC_TRUE;
    v->ops->getarray      = get;
    BOOST_TEST((outcome.failed && outcome.says("KSP " + m.ours) && outcome.says("have none: take PETSc's method")), outcome.message);
  });
}

BOOST_AUTO_TEST_CASE(null_space_of_another_length)
{
  PetscMPIInt rank, size;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (const char *mat : {MATAIJ, MATCDS}) {
    for_each_method([&](const Method &m) {
      Option     p("-pc_type", "saamg");
      System     s   = poisson(mat);
      KSPHandle  ksp = make_ksp(s, m.ours);
      VecHandle  b = vector_of(s.A, 5), x = vector_of(s.A, 6), v;
      NullHandle space;
      PetscInt   n;
      PCSide     side;

      PETSC_OK(VecGetLocalSize(b, &n));
      PETSC_OK(VecCreateMPI(PETSC_COMM_WORLD, n - (rank == size - 1), PETSC_DETERMINE, v.put()));
      PETSC_OK(VecSet(v, 1));
      PETSC_OK(VecNormalize(v, nullptr));
      PETSC_OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 1, v.get(), space.put()));
      PETSC_OK(MatSetOption(s.A, MAT_SYMMETRIC, PETSC_FALSE)); /* else PETSc removes it from the right-hand side first */
      PETSC_OK(MatSetNullSpace(s.A, space));
      const Outcome outcome = attempt([&] { return KSPSolve(ksp, b, x); });
      PETSC_OK(KSPGetPCSide(ksp, &side));
      if (side == PC_LEFT) BOOST_TEST((outcome.failed && outcome.says("on this rank")), mat << ", " << m.ours << ": " << outcome.message);
      PETSC_OK(MatSetNullSpace(s.A, nullptr));
      BOOST_TEST(solve_with(ksp, b, nullptr).reason > 0, mat << ", " << m.ours);
    });
  }
}

/* PETSc's reason and iterations, whatever is wrong. */
void same_end(const Method &m, const System &s, Vec b, const std::string &what, bool its = true)
{
  KSPHandle ours = make_ksp(s, m.ours), petscs = make_ksp(s, m.petscs);
  const Run a = solve_with(ours, b, nullptr), c = solve_with(petscs, b, nullptr);

  BOOST_TEST(a.reason == c.reason, m.ours << ", " << what << ": " << KSPConvergedReasons[a.reason] << ", PETSc's " << KSPConvergedReasons[c.reason]);
  if (its) BOOST_TEST(a.its == c.its, m.ours << ", " << what << ": " << a.its << " iterations, PETSc's " << c.its);
}

/* The diagonal matrix of these values, over and over. */
System diagonal_of(const std::vector<PetscReal> &values, const char *mat)
{
  const auto  n = (PetscInt)values.size();
  const Entry e{"diagonal", 60, 60, 0, [values, n](PetscInt i, Row &r) { r.add(i, values[i % n]); }};

  return {assemble(e, mat)};
}

BOOST_AUTO_TEST_CASE(bad_operators)
{
  const PetscReal nan = std::numeric_limits<PetscReal>::quiet_NaN();

  for (const char *mat : {MATAIJ, MATCDS}) {
    for (const char *norm : {"preconditioned", "unpreconditioned", "natural", "none"}) {
      for_each_method([&](const Method &m) {
        if (std::find(m.norms.begin(), m.norms.end(), norm) == m.norms.end()) return;
        const bool        fixed = norm == std::string("none"); /* which ends before nothing but rounding is left */
        const auto        signs = m.its > 5 ? std::vector<PetscReal>{1, -2, 3, 4, -5} : std::vector<PetscReal>{1, -2}; /* a step each, before rounding grows */
        Option            n("-ksp_norm_type", norm), most("-ksp_max_it", fixed ? "2" : "20");
        const std::string what = std::string(mat) + ", norm " + norm;

        for (const char *pc : {"none", "jacobi"}) {
          Option    p("-pc_type", pc);
          System    indefinite = diagonal_of(signs, mat), negative = diagonal_of({-1, -2, -3}, mat), good = diagonal_of({1, 2, 3}, mat);
          VecHandle b = vector_of(good.A, 5), zero = vector_of(good.A, 5), bad = vector_of(good.A, 5);

          same_end(m, indefinite, b, what + ", " + pc + ", indefinite");
          same_end(m, negative, b, what + ", " + pc + ", negative");
          same_end(m, good, b, what + ", " + pc + ", converges");
          PETSC_OK(VecSet(zero, 0));
          if (!fixed || m.petscs != KSPFGMRES) /* which divides by a norm that it does not test; gmres and ours say that it has converged */
            same_end(m, good, zero, what + ", " + pc + ", zero right-hand side");
          PETSC_OK(VecSet(bad, nan));
          same_end(m, good, bad, what + ", " + pc + ", NaN in the right-hand side");
        }
        Option    p("-pc_type", "none");
        System    holed = diagonal_of({1, 2, 3}, mat), none = diagonal_of({0}, mat);
        VecHandle b = vector_of(holed.A, 5), d = vector_of(holed.A, 6);

        same_end(m, none, b, what + ", no operator");
        PETSC_OK(VecSet(d, nan));
        PETSC_OK(MatDiagonalScale(holed.A, d, nullptr));
        same_end(m, holed, b, what + ", NaN in the operator");
      });
    }
  }
}

/* p'A p and the shadow residual's product are 0 at once, or after a step; fewer rows than ranks, and none. */
BOOST_AUTO_TEST_CASE(breakdowns)
{
  for (const char *mat : {MATAIJ, MATCDS}) {
    for_each_method([&](const Method &m) {
      for (PetscInt rows : {0, 1, 2, 60}) {
        const Entry turned{"turned", rows, rows, 0, [rows](PetscInt i, Row &r) {
                             if ((i ^ 1) < rows) r.add(i ^ 1, i % 2 ? -1 : 1);
                             if (i >= rows / 2) r.add(i, 2);
                           }};
        Option      p("-pc_type", "none"), most("-ksp_max_it", "20");
        System      s{assemble(turned, mat)};
        VecHandle   b = vector_of(s.A, 5);

        same_end(m, s, b, std::string(mat) + ", turned, rows: " + std::to_string(rows));
      }
    });
  }
}

/* saamg finds NaN in its set-up; pbjacobi a singular block, on the last rank. */
BOOST_AUTO_TEST_CASE(preconditioners_that_fail)
{
  for_each_method([](const Method &m) {
    for (const char *pc : {"saamg", "pbjacobi"}) {
      Option      p("-pc_type", pc);
      const Entry e{"blocks",
                    60,
                    60,
                    0,
                    [pc](PetscInt i, Row &r) {
                      const bool last = i >= 58 && std::string(pc) == "pbjacobi";

                      r.add(i / 2 * 2, last || i % 2 == 0 ? 1 : 0.5);
                      r.add(i / 2 * 2 + 1, last || i % 2 ? 1 : 0.5);
                    },
                    2};
      System      s{assemble(e, MATCDS)};
      VecHandle   b = vector_of(s.A, 5), d = vector_of(s.A, 6);

      if (std::string(pc) == "saamg") {
        PETSC_OK(VecSet(d, std::numeric_limits<PetscReal>::infinity()));
        PETSC_OK(MatDiagonalScale(s.A, d, nullptr));
      }
      KSPHandle ksp = make_ksp(s, m.ours);
      BOOST_TEST(solve_with(ksp, b, nullptr).reason == KSP_DIVERGED_PC_FAILED, m.ours << ", " << pc);
    }
  });
}

BOOST_AUTO_TEST_CASE(few_iterations_allowed)
{
  for_each_method([](const Method &m) {
    System    s = poisson();
    VecHandle b = vector_of(s.A, 5);

    for (const char *most : {"0", "1", "2"}) {
      Option p("-pc_type", "saamg"), n("-ksp_max_it", most);

      same_end(m, s, b, std::string("at most ") + most);
    }
  });
}

} // namespace
