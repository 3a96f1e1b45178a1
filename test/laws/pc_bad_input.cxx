/* What the preconditioner does with what it cannot use: a PETSc error that names the thing, or a failed reason on all ranks; no abort, no hang, no NaN. */
#include "../support/pc_case.hpp"

#include <petscgoza.h>

#include <cmath>
#include <limits>

using namespace goza_test;

namespace {

constexpr PetscReal nan_value = std::numeric_limits<PetscReal>::quiet_NaN(), inf_value = std::numeric_limits<PetscReal>::infinity();

struct BadOption {
  const char *name, *value;
};

const BadOption bad_options[] = {
  {"-pc_saamg_threshold", "-0.25"},
  {"-pc_saamg_threshold", "1"},
  {"-pc_saamg_threshold", "7.5"},
  {"-pc_saamg_max_levels", "0"},
  {"-pc_saamg_max_levels", "-3"},
  {"-pc_saamg_coarse_limit", "-1"},
  {"-pc_saamg_sweeps", "-1"},
  {"-pc_saamg_chebyshev_degree", "0"},
  {"-pc_saamg_chebyshev_ratio", "-2"},
  {"-pc_saamg_jacobi_relax", "-1"},
  {"-pc_saamg_mcgs_relax", "0"},
  {"-pc_saamg_mcgs_relax", "2.5"},
  {"-pc_saamg_paper", "poisson"},
  {"-pc_saamg_jacobi_relax", "2.5"},
  {"-pc_saamg_esteig_iterations", "1"},
  {"-pc_saamg_smoother", "sandpaper"},
  {"-pc_saamg_cycle", "x"},
  {"-pc_saamg_restriction", "inverse"},
  {"-pc_saamg_precision", "quarter"},
  {"-pc_saamg_reuse", "always"},
  {"-pc_saamg_tune", "sometimes"},
  {"-pc_saamg_aggressive_levels", "-1"},
  {"-pc_saamg_threshold", "nan"},
  {"-pc_saamg_jacobi_relax", "nan"},
  {"-pc_saamg_sweeps", "10001"},
  {"-pc_saamg_coarsest_sweeps", "2147483647"},
  {"-pc_saamg_chebyshev_degree", "101"},
  {"-pc_saamg_finest_chebyshev_degree", "2147483647"},
  {"-pc_saamg_chebyshev_ratio", "inf"},
  {"-pc_saamg_chebyshev_ratio", "nan"},
  {"-pc_saamg_esteig_iterations", "101"},
  {"-pc_saamg_direct_limit", "46341"},
  {"-pc_saamg_coarse_interpolation_degree", "11"},
};

PCHandle saamg()
{
  PCHandle pc;

  PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
  PETSC_OK(PCSetType(pc, "saamg"));
  return pc;
}

/* A fresh PC, so that nothing of the failure is left when the test ends. */
void refused(const BadOption &bad)
{
  MatHandle A = system_matrix(problem("three_rows"));
  PCHandle  pc;
  PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
  PETSC_OK(PCSetOperators(pc, A, A));
  PETSC_OK(PCSetType(pc, "saamg"));
  {
    Option        option(bad.name, bad.value);
    const Outcome outcome = attempt([&] { return PCSetFromOptions(pc); });
    BOOST_TEST(outcome.failed);
    BOOST_TEST(outcome.says(bad.name + 1), outcome.message); /* PETSc's own messages leave the dash out */
  }
  /* good options bring it back */
  PETSC_OK(PCSetFromOptions(pc));
  PETSC_OK(PCSetUp(pc));
}

/* The matrix of a problem with one value replaced, on one rank only. */
MatHandle spoilt(const std::string &name, PetscInt row, PetscInt col, PetscScalar value, MatType type = MATAIJ)
{
  MatHandle A = system_matrix(problem(name), type);
  PetscInt  start, end;
  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  if (row >= start && row < end) PETSC_OK(MatSetValue(A, row, col, value, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

void pc_fails_on_all_ranks(Mat A)
{
  KSPHandle          ksp = make_cg(A);
  PC                 pc;
  PCFailedReason     why;
  KSPConvergedReason reason;
  VecHandle          b = vector_like(A, true, VECSTANDARD, 1), x = vector_like(A, false, VECSTANDARD, 2);

  PETSC_OK(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  PETSC_OK(VecSet(x, 0));
  PETSC_OK(KSPSolve(ksp, b, x));
  PETSC_OK(KSPGetConvergedReason(ksp, &reason));
  BOOST_TEST((reason == KSP_DIVERGED_PC_FAILED), KSPConvergedReasons[reason]);
  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(PCGetFailedReason(pc, &why));
  BOOST_TEST((why != PC_NOERROR));

  /* good values heal it */
  MatHandle good = system_matrix(problem("poisson5"));
  PETSC_OK(MatCopy(good, A, SAME_NONZERO_PATTERN));
  PETSC_OK(KSPSetOperators(ksp, A, A));
  PETSC_OK(VecSet(x, 0));
  PETSC_OK(KSPSolve(ksp, b, x));
  PETSC_OK(KSPGetConvergedReason(ksp, &reason));
  BOOST_TEST(reason > 0, KSPConvergedReasons[reason]);
}

/* The preconditioner either says that it failed, or it is finite. */
void finite_or_failed(Mat A)
{
  PCHandle       pc = make_pc(A);
  PCFailedReason why;
  VecHandle      x = vector_like(A, true, VECSTANDARD, 1), y = vector_like(A, false, VECSTANDARD, 2);

  PETSC_OK(PCGetFailedReason(pc, &why));
  if (why == PC_NOERROR) {
    PETSC_OK(PCApply(pc, x, y));
    BOOST_TEST(all_finite(y));
  }
}

/* Rows of nothing: no solver converges without what their right-hand side asks for, and where it asks for nothing they change nothing. */
void rows_of_nothing(const std::string &name, const char *coarse_limit)
{
  const Option limit("-pc_saamg_coarse_limit", coarse_limit);
  MatHandle    A = system_matrix(problem(name));
  VecHandle    b = vector_like(A, true, VECSTANDARD, 1), x = vector_like(A, false, VECSTANDARD, 2);
  PetscInt     n;
  PetscMPIInt  rank;

  PETSC_OK(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PETSC_OK(MatGetSize(A, &n, nullptr));
  const PetscInt rows[] = {3, 4, n / 2, n - 1}, mine = rank ? 0 : 4;
  PETSC_OK(MatZeroRowsColumns(A, mine, rows, 0, nullptr, nullptr));
  KSPHandle ksp = make_cg(A);
  PETSC_OK(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  for (const PetscScalar asked : {0., 1.}) {
    KSPConvergedReason reason;

    for (PetscInt k = 0; k < mine; k++) PETSC_OK(VecSetValue(b, rows[k], asked, INSERT_VALUES));
    PETSC_OK(VecAssemblyBegin(b));
    PETSC_OK(VecAssemblyEnd(b));
    PETSC_OK(KSPSolve(ksp, b, x));
    PETSC_OK(KSPGetConvergedReason(ksp, &reason));
    BOOST_TEST(((asked == PetscScalar(0)) == (reason > 0)), name << ", limit " << coarse_limit << ": " << KSPConvergedReasons[reason]);
  }
}

const AddTests add([] {
  auto *options = suite_named(nullptr, "options");
  for (const auto &bad : bad_options) add_test(options, std::string(bad.name + 1) + "=" + bad.value, [&bad] { refused(bad); });

  for (const auto &config : {PCConfig{"jacobi", "v", "double"}, PCConfig{"chebyshev", "v", "double"}, PCConfig{"chebyshev", "w", "mixed"},
                             PCConfig{"jacobi", "w", "single"}, PCConfig{"mcgs", "v", "double"}}) {
    auto      *suite = suite_named(nullptr, config.name());
    const auto with  = [config, suite](const std::string &name, const std::function<void()> &body) {
      add_test(suite, name, [config, body] {
        Configured set(config);
        body();
      });
    };
    with("nan_on_the_diagonal", [] { pc_fails_on_all_ranks(spoilt("poisson5", 700, 700, nan_value)); });
    with("nan_off_the_diagonal", [] { pc_fails_on_all_ranks(spoilt("poisson5", 3, 4, nan_value)); });
    with("nan_in_half_storage", [] {
      const Option half("-mat_cds_storage", "half");
      pc_fails_on_all_ranks(spoilt("poisson5", 3, 4, nan_value, MATCDS));
    });
    with("infinity", [] { pc_fails_on_all_ranks(spoilt("poisson5", 1400, 1400, inf_value)); });
    /* edge cases 1, 2, 7: stored zero, no diagonal, empty rows */
    with("zero_diagonal", [] { finite_or_failed(assemble(gallery_entry("zero_diagonal"), MATAIJ)); });
    with("zero_in_an_spd_matrix", [] { finite_or_failed(spoilt("poisson5", 100, 100, 0)); });
    with("missing_diagonal", [] { finite_or_failed(assemble(gallery_entry("missing_diagonal"), MATAIJ)); });
    with("empty_rows", [] { finite_or_failed(assemble(gallery_entry("empty_rows"), MATAIJ)); });
    with("no_entries", [] { finite_or_failed(assemble(gallery_entry("no_entries"), MATAIJ)); });
    with("rows_of_nothing", [] {
      for (const char *name : {"poisson5", "elasticity"})
        for (const char *limit : {"30", "100000"}) rows_of_nothing(name, limit);
    });
    with("nothing_at_all", [] {
      MatHandle          A   = assemble(gallery_entry("no_entries"), MATAIJ);
      KSPHandle          ksp = make_cg(A);
      VecHandle          b = vector_like(A, true, VECSTANDARD, 1), x = vector_like(A, false, VECSTANDARD, 2);
      KSPConvergedReason reason;
      PETSC_OK(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
      PETSC_OK(KSPSolve(ksp, b, x));
      PETSC_OK(KSPGetConvergedReason(ksp, &reason));
      BOOST_TEST(reason < 0, KSPConvergedReasons[reason]);
    });
    with("0x0", [] { finite_or_failed(assemble(gallery_entry("0x0"), MATAIJ)); });
    /* 3, 16, 26: unsorted, not symmetric in structure, one dense row */
    with("unsorted", [] { finite_or_failed(assemble(gallery_entry("unsorted"), MATAIJ)); });
    with("random", [] { finite_or_failed(assemble(gallery_entry("random"), MATAIJ)); });
    with("dense_row", [] { finite_or_failed(assemble(gallery_entry("dense_row"), MATAIJ)); });
    /* 17 */
    with("negative_definite", [] {
      MatHandle A = assemble(problem("poisson5").entry, MATAIJ);
      PETSC_OK(MatScale(A, -1));
      const Solve s = solve(make_cg(A), A);
      BOOST_TEST(((s.reason == KSP_DIVERGED_INDEFINITE_MAT || s.reason == KSP_DIVERGED_INDEFINITE_PC || s.reason > 0)), KSPConvergedReasons[s.reason]);
      BOOST_TEST(std::isfinite(s.true_residual));
    });
    with("indefinite", [] {
      MatHandle A = assemble(problem("poisson5").entry, MATAIJ);
      PETSC_OK(MatShift(A, -1.7));
      finite_or_failed(A);
      const Solve s = solve(make_cg(A), A);
      BOOST_TEST(((s.reason == KSP_DIVERGED_INDEFINITE_MAT || s.reason == KSP_DIVERGED_INDEFINITE_PC || s.reason == KSP_DIVERGED_ITS || s.reason > 0)),
                 KSPConvergedReasons[s.reason]);
      BOOST_TEST(std::isfinite(s.true_residual));
    });
    /* 19: twice the same vector, and one of zeros */
    with("dependent_near_null_space", [] {
      MatHandle  A = assemble(problem("poisson5").entry, MATAIJ);
      VecHandle  v[3];
      Vec        list[3];
      NullHandle space;
      for (int k = 0; k < 3; k++) {
        v[k]    = vector_like(A, false, VECSTANDARD, 0);
        list[k] = v[k];
        PETSC_OK(VecSet(v[k], k == 2 ? 0 : 1));
      }
      /* debug builds of PETSc test that the vectors are orthonormal, which these are not: that is the point */
      const Outcome made = attempt([&] { return MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 3, list, space.put()); });
      if (made.failed) return;
      PETSC_OK(MatSetNearNullSpace(A, space));
      const Solve s = solve(make_cg(A), A);
      BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
    });
    /* 28, 29: nothing to coarsen, and limits on levels */
    with("one_level", [] {
      Option      levels("-pc_saamg_max_levels", "1");
      MatHandle   A = system_matrix(problem("arrow"));
      const Solve s = solve(make_cg(A), A);
      BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
    });
    with("coarse_limit_above_the_size", [] {
      Option      limit("-pc_saamg_coarse_limit", "100000");
      MatHandle   A = system_matrix(problem("arrow"));
      const Solve s = solve(make_cg(A), A);
      BOOST_TEST(s.reason > 0);
      BOOST_TEST(s.iterations <= 3); /* a direct solve, in single precision at worst */
    });
    with("down_to_one_unknown", [] {
      Option      limit("-pc_saamg_coarse_limit", "1");
      MatHandle   A = system_matrix(problem("poisson5"));
      const Solve s = solve(make_cg(A), A);
      BOOST_TEST(s.reason > 0);
      BOOST_TEST(s.iterations <= problem("poisson5").ceiling + 4);
    });
  }

  auto *objects = suite_named(nullptr, "objects");
  add_test(objects, "not_square", [] {
    MatHandle      A       = assemble(gallery_entry("wide"), MATAIJ);
    const PCHandle pc      = saamg();
    const Outcome  outcome = attempt([&] {
      const PetscErrorCode code = PCSetOperators(pc, A, A);
      return code ? code : PCSetUp(pc);
    });
    BOOST_TEST(outcome.failed);
    BOOST_TEST(!outcome.message.empty());
  });
  add_test(objects, "not_assembled", [] {
    MatHandle A;
    PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
    PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 20, 20));
    PETSC_OK(MatSetType(A, MATAIJ));
    PETSC_OK(MatSetUp(A));
    const PCHandle pc = saamg();
    PETSC_OK(PCSetOperators(pc, A, A));
    const Outcome outcome = attempt([&] { return PCSetUp(pc); });
    BOOST_TEST(outcome.failed);
    BOOST_TEST((outcome.says("assembled")), outcome.message);
  });
  /* 19: vectors of another matrix */
  add_test(objects, "near_null_space_of_another_size", [] {
    MatHandle  A = assemble(problem("poisson5").entry, MATAIJ), small = system_matrix(problem("three_rows"));
    VecHandle  v = vector_like(small, false, VECSTANDARD, 1);
    Vec        list[1];
    NullHandle space;
    PCHandle   pc = make_pc(A, false);
    PETSC_OK(VecNormalize(v, nullptr));
    list[0] = v;
    PETSC_OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 1, list, space.put()));
    PETSC_OK(MatSetNearNullSpace(A, space));
    const Outcome outcome = attempt([&] { return PCSetUp(pc); });
    BOOST_TEST(outcome.failed);
    BOOST_TEST(outcome.says("ear-null"), outcome.message);
  });
  /* 30: 1480 rows and blocks of 7 */
  add_test(objects, "block_size_that_does_not_divide", [] {
    for (const char *type : {MATAIJ, "slicedell"}) {
      MatHandle     A       = assemble(problem("poisson5").entry, type);
      PCHandle      pc      = make_pc(A, false);
      const Outcome outcome = attempt([&] {
        const PetscErrorCode code = MatSetBlockSize(A, 7);
        return code ? code : PCSetUp(pc);
      });
      BOOST_TEST(outcome.failed);
      BOOST_TEST(outcome.says("lock size"), outcome.message);
    }
  });
  add_test(objects, "no_matrix", [] {
    const PCHandle pc = saamg();
    BOOST_TEST(attempt([&] { return PCSetUp(pc); }).failed);
  });
  add_test(objects, "shell_matrix", [] { /* no entries to look at */
                                         MatHandle A;
                                         PETSC_OK(MatCreateShell(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 20, 20, nullptr, A.put()));
                                         PETSC_OK(MatSetUp(A));
                                         const PCHandle pc = saamg();
                                         PETSC_OK(PCSetOperators(pc, A, A));
                                         const Outcome outcome = attempt([&] { return PCSetUp(pc); });
                                         BOOST_TEST(outcome.failed);
                                         BOOST_TEST((outcome.says("shell")), outcome.message);
  });
  /* What PCApply() of a failed set-up leaves cannot be taken for a result. */
  add_test(objects, "failed_set_up_applied", [] {
    MatHandle      A  = spoilt("poisson5", 700, 700, nan_value);
    PCHandle       pc = make_pc(A);
    PCFailedReason why;
    VecHandle      x = vector_like(A, true, VECSTANDARD, 1), y = vector_like(A, false, VECSTANDARD, 2);
    PETSC_OK(PCGetFailedReason(pc, &why));
    BOOST_TEST((why != PC_NOERROR));
    PETSC_OK(PCApply(pc, x, y));
    BOOST_TEST(!all_finite(y));
    y = vector_like(A, false, VECSTANDARD, 2);
    PETSC_OK(PCApplyTranspose(pc, x, y));
    BOOST_TEST(!all_finite(y));
  });
  /* A type that is not AIJ is converted: the same iterations as from AIJ, with new values and the interpolation kept too. */
  add_test(objects, "other_matrix_types_solve_alike", [] {
    Option limit("-pc_saamg_coarse_limit", "30"), reuse("-pc_saamg_reuse", "interpolation");
    for (const char *name : {"elasticity", "neumann", "idle_ranks"})
      for (const char *type : {MATDENSE, MATBAIJ, MATSBAIJ, MATAIJPERM, MATAIJCRL, MATIS}) {
        MatHandle    R = system_matrix(problem(name)), A;
        MatNullSpace space, near_null;
        PetscInt     bs;
        PETSC_OK(MatConvert(R, type, MAT_INITIAL_MATRIX, A.put()));
        PETSC_OK(MatGetBlockSize(R, &bs));
        PETSC_OK(MatSetBlockSize(A, bs)); /* not every type keeps it */
        PETSC_OK(MatGetNullSpace(R, &space));
        PETSC_OK(MatSetNullSpace(A, space));
        PETSC_OK(MatGetNearNullSpace(R, &near_null));
        PETSC_OK(MatSetNearNullSpace(A, near_null));
        KSPHandle ours = make_cg(A), theirs = make_cg(R);
        for (const PetscReal factor : {1., 4.}) {
          PETSC_OK(MatScale(A, factor));
          PETSC_OK(MatScale(R, factor));
          const Solve got = solve(ours, A), want = solve(theirs, R);
          BOOST_TEST(got.reason > 0, name << ", " << type << ": " << KSPConvergedReasons[got.reason]);
          BOOST_TEST(got.iterations == want.iterations, name << ", " << type << ": " << got.iterations << " iterations, from aij " << want.iterations);
        }
      }
  });
  /* So is a nest, of AIJ and of ours, with transposed blocks and empty ones, as long as its blocks have rows. */
  add_test(objects, "nests", [] {
    for (const char *type : {MATAIJ, "cds", "owncds"}) {
      MatHandle R = assemble(problem("poisson5").entry, type), E, T, A, whole;
      PETSC_OK(MatDuplicate(R, MAT_COPY_VALUES, E.put()));
      PETSC_OK(MatScale(E, 0.25));
      PETSC_OK(MatCreateTranspose(E, T.put()));
      Mat blocks[] = {R, T, E, R};
      PETSC_OK(MatCreateNest(PETSC_COMM_WORLD, 2, nullptr, 2, nullptr, blocks, A.put()));
      PETSC_OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, whole.put()));
      KSPHandle ours = make_cg(A), theirs = make_cg(whole);
      for (int round = 0; round < 2; round++) {
        const Solve got = solve(ours, A), want = solve(theirs, whole);
        BOOST_TEST(got.reason > 0, type << ": " << KSPConvergedReasons[got.reason]);
        BOOST_TEST(got.iterations == want.iterations, type << ": " << got.iterations << " iterations, from aij " << want.iterations);
        PETSC_OK(MatShift(R, 1));
        PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
        PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
        PETSC_OK(MatShift(whole, 1));
      }
    }
  });
  add_test(objects, "nests_of_blocks_without_rows", [] {
    MatHandle R = assemble(problem("poisson5").entry, MATAIJ), shell, inner;
    PetscInt  m, M;
    PETSC_OK(MatGetLocalSize(R, &m, nullptr));
    PETSC_OK(MatGetSize(R, &M, nullptr));
    PETSC_OK(MatCreateShell(PETSC_COMM_WORLD, m, m, M, M, nullptr, shell.put()));
    PETSC_OK(MatSetUp(shell));
    Mat only[] = {R};
    PETSC_OK(MatCreateNest(PETSC_COMM_WORLD, 1, nullptr, 1, nullptr, only, inner.put()));
    for (Mat block : {Mat(shell), Mat(inner)}) {
      MatHandle A;
      Mat       blocks[] = {R, block, nullptr, R};
      PETSC_OK(MatCreateNest(PETSC_COMM_WORLD, 2, nullptr, 2, nullptr, blocks, A.put()));
      const PCHandle pc = saamg();
      PETSC_OK(PCSetOperators(pc, A, A));
      const Outcome outcome = attempt([&] { return PCSetUp(pc); });
      BOOST_TEST(outcome.failed);
      BOOST_TEST(outcome.says("nest"), outcome.message);
    }
  });
  /* Rigid-body modes from the nodes' coordinates are those of the near-null space. */
  add_test(objects, "coordinates", [] {
    Option         limit("-pc_saamg_coarse_limit", "30");
    const Problem &p = problem("elasticity");
    MatHandle      A = system_matrix(p), bare = assemble(p.entry, MATAIJ);
    KSPHandle      with_modes = make_cg(A), with_coordinates = make_cg(bare);
    PC             pc;
    PetscInt       start, end;
    PETSC_OK(MatGetOwnershipRange(A, &start, &end));
    std::vector<PetscReal> xyz(end - start);
    for (PetscInt i = start; i < end; i += 3) elasticity_node(p.entry, i / 3, &xyz[i - start]);
    PETSC_OK(KSPGetPC(with_coordinates, &pc));
    PETSC_OK(PCSetCoordinates(pc, 3, (end - start) / 3, xyz.data()));
    const Solve got = solve(with_coordinates, bare), want = solve(with_modes, A);
    BOOST_TEST(got.reason > 0);
    BOOST_TEST(got.iterations == want.iterations);

    /* of another number of nodes */
    PCHandle wrong = make_pc(bare, false);
    PETSC_OK(PCSetCoordinates(wrong, 3, (end - start) / 3 + 1, std::vector<PetscReal>(end - start + 3).data()));
    BOOST_TEST(attempt([&] { return PCSetUp(wrong); }).says("PCSetCoordinates"));

    /* of a scalar problem, as DMs give them: nothing to make of them */
    MatHandle scalar = system_matrix(problem("poisson5"));
    PCHandle  plain  = make_pc(scalar, false);
    PETSC_OK(MatGetOwnershipRange(scalar, &start, &end));
    PETSC_OK(PCSetCoordinates(plain, 2, end - start, std::vector<PetscReal>(2 * (end - start) + 1).data()));
    PETSC_OK(PCSetUp(plain));
  });
  /* PETSc looks at the vectors of PCApply() alone. */
  add_test(objects, "transposed_with_vectors_of_another_length", [] {
    MatHandle A  = system_matrix(problem("poisson5"));
    PCHandle  pc = make_pc(A);
    VecHandle x  = vector_like(A, true, VECSTANDARD, 1), y, longer;
    PetscInt  n;
    PETSC_OK(VecDuplicate(x, y.put()));
    PETSC_OK(VecGetLocalSize(x, &n));
    PETSC_OK(VecCreateMPI(PETSC_COMM_WORLD, n + 1, PETSC_DETERMINE, longer.put()));
    PETSC_OK(VecSet(longer, 1));
    BOOST_TEST(attempt([&] { return PCApplyTranspose(pc, longer, y); }).says("saamg"));
    BOOST_TEST(attempt([&] { return PCApplyTranspose(pc, x, longer); }).says("saamg"));
    PETSC_OK(PCApplyTranspose(pc, x, y));
    BOOST_TEST(all_finite(y));
    /* on the last rank alone, in each place: an error of all */
    PetscMPIInt rank, size;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    PETSC_OK(VecCreateMPI(PETSC_COMM_WORLD, n + (rank == size - 1), PETSC_DETERMINE, longer.put()));
    PETSC_OK(VecSet(longer, 1));
    BOOST_TEST(attempt([&] { return PCApplyTranspose(pc, longer, y); }).says("saamg is of"));
    BOOST_TEST(attempt([&] { return PCApplyTranspose(pc, x, longer); }).says("saamg is of"));
    PETSC_OK(PCApplyTranspose(pc, x, y));
  });
  add_test(objects, "levels_of_a_failed_set_up", [] {
    MatHandle      A = system_matrix(problem("poisson5"));
    PetscInt       start, end, levels;
    Mat           *P;
    PCFailedReason why;
    PETSC_OK(MatGetOwnershipRange(A, &start, &end));
    for (PetscInt i = start; i < end; i++) PETSC_OK(MatSetValue(A, i, i, NAN, INSERT_VALUES));
    PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PCHandle pc = make_pc(A, false);
    PETSC_OK(PCSetUp(pc));
    PETSC_OK(PCGetFailedReason(pc, &why));
    BOOST_TEST(why == PC_SETUP_ERROR);
    BOOST_TEST(attempt([&] { return PCGetInterpolations(pc, &levels, &P); }).says("its set-up has failed"));
  });
  add_test(objects, "other_matrix_types_work_or_are_named", [] {
    for (const char *type : {MATDENSE, MATBAIJ, MATSBAIJ}) {
      MatHandle R = system_matrix(problem("three_rows")), A;
      PETSC_OK(MatConvert(R, type, MAT_INITIAL_MATRIX, A.put()));
      const PCHandle pc = saamg();
      PETSC_OK(PCSetOperators(pc, A, A));
      const Outcome outcome = attempt([&] { return PCSetUp(pc); });
      if (outcome.failed) {
        MatType name;
        PETSC_OK(MatGetType(A, &name));
        BOOST_TEST(outcome.says(name), outcome.message);
      } else {
        VecHandle x = vector_like(R, true, VECSTANDARD, 1), y = filled_with_nan(R, false, VECSTANDARD);
        PETSC_OK(PCApply(pc, x, y));
        BOOST_TEST(all_finite(y));
      }
    }
  });
});

} // namespace
