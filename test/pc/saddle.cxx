/* Saddle points are refused in the set-up, by an error that names them and the cure, alike on any number of ranks; what is indefinite without being one is
   not, and multipliers that fix one unknown each are solved. */
#include "../support/league.hpp"
#include "../support/mac_grid.hpp"
#include "../support/pc_case.hpp"

#include <memory>

using namespace goza_test;

namespace {

Entry entry_of(const Sparse &made, PetscInt bs = 1)
{
  const auto A = std::make_shared<Sparse>(made);

  return {"saddle",
          A->rows,
          A->rows,
          square | nonempty,
          [A](PetscInt i, Row &r) {
            for (PetscInt p = A->ptr[i]; p < A->ptr[i + 1]; p++) r.add(A->col[p], PetscRealPart(A->val[p]));
          },
          bs};
}

Sparse stokes(PetscInt n)
{
  return mac_stokes<2>(MacGrid<2>{n}, [](const Place<2> &) { return 1.; }, {});
}

/* 5 points on n x n, and on the diagonal -reaction(i). */
Entry reacting(PetscInt n, const std::function<PetscReal(PetscInt)> &reaction)
{
  return {"reacting", n * n, n * n, square | symmetric | nonempty, [=](PetscInt i, Row &r) {
            r.add(i, 4 - reaction(i));
            if (i % n > 0) r.add(i - 1, -1);
            if (i % n + 1 < n) r.add(i + 1, -1);
            if (i >= n) r.add(i - n, -1);
            if (i + n < n * n) r.add(i + n, -1);
          }};
}

void is_refused(Mat A, const std::string &name)
{
  PCHandle      pc      = make_pc(A, false);
  const Outcome outcome = attempt([&] { return PCSetUp(pc); });

  BOOST_TEST(outcome.failed, name);
  BOOST_TEST((outcome.says("saddle point") && outcome.says("-pc_type fieldsplit -pc_fieldsplit_type schur")), name << ": " << outcome.message);
}

void is_taken(Mat A, const std::string &name)
{
  PCHandle      pc      = make_pc(A, false);
  const Outcome outcome = attempt([&] { return PCSetUp(pc); });

  BOOST_TEST(!outcome.failed, name << ": " << outcome.message);
}

/* 5 points on n x n, nothing given on its boundary, and a multiplier for each of the first row of them, which couples to it by c and d. */
Entry fixed_by_multipliers(PetscInt n, PetscReal c, PetscReal d, PetscInt multipliers = -1)
{
  const PetscInt k = multipliers < 0 ? n : multipliers;

  return {"multipliers", n * n + k, n * n + k, square | nonempty, [=](PetscInt i, Row &r) {
            PetscInt   links = 0;
            const auto link  = [&](bool there, PetscInt j) {
              if (there) r.add(j, -1);
              links += there;
            };

            if (i >= n * n) {
              r.add(i - n * n, c);
              return;
            }
            link(i % n > 0, i - 1);
            link(i % n + 1 < n, i + 1);
            link(i >= n, i - n);
            link(i + n < n * n, i + n);
            r.add(i, static_cast<PetscReal>(links));
            if (i < k) r.add(n * n + i, d);
          }};
}

/* 5 points on n x n, of which k of the first row are tied to those of the last; the first three of the ties may be there twice. */
Entry tied(PetscInt n, PetscInt k, bool twice)
{
  const Entry    grid = reacting(n, [](PetscInt) { return -0.001; });
  const PetscInt N = n * n, all = k + (twice ? 3 : 0);

  return {"tied", N + all, N + all, square | symmetric | nonempty, [=](PetscInt i, Row &r) {
            if (i < N) grid.row(i, r);
            for (PetscInt j = 0; j < all; j++) {
              const PetscInt a = j % k, b = N - 1 - j % k;

              if (i == a) r.add(N + j, 1);
              if (i == b) r.add(N + j, -1);
              if (i == N + j) r.add(a, 1), r.add(b, -1);
            }
          }};
}

/* By GMRES, or what is named, to few iterations: as many as without multipliers, and two; or a few more for those that fix no unknown. */
void is_solved(Mat A, KSPType type, bool transposed, const std::string &name, PetscInt more = 0)
{
  KSPHandle          ksp = make_solver(A, type);
  VecHandle          x = vector_like(A, false, VECSTANDARD, 3), b = vector_like(A, true, VECSTANDARD, 0), y = vector_like(A, false, VECSTANDARD, 0);
  PetscInt           its;
  KSPConvergedReason reason;

  PETSC_OK(transposed ? MatMultTranspose(A, x, b) : MatMult(A, x, b));
  PETSC_OK(transposed ? KSPSolveTranspose(ksp, b, y) : KSPSolve(ksp, b, y));
  PETSC_OK(KSPGetIterationNumber(ksp, &its));
  PETSC_OK(KSPGetConvergedReason(ksp, &reason));
  BOOST_TEST((reason > 0 && its <= 14 + more), name << ": " << KSPConvergedReasons[reason] << " after " << its);
  PETSC_OK(VecAXPY(y, -1, x));
  BOOST_TEST(norm(y) <= reached(1e-4) * norm(x), name);
}

void add_multipliers(boost::unit_test::test_suite *suite)
{
  add_test(suite, "solved", [] {
    for (const char *type : {MATAIJ, "slicedell", "cds", "owncds", "ownslicedell"}) {
      const MatHandle A = assemble(fixed_by_multipliers(50, 1, 1), type), B = assemble(fixed_by_multipliers(50, 1e-3, 7), type);

      for (const char *ksp : {KSPGMRES, "fusedgmres"}) is_solved(A, ksp, false, std::string(type) + ksp);
      is_solved(B, KSPGMRES, false, std::string(type) + " not symmetric");
      is_solved(B, KSPGMRES, true, std::string(type) + " transposed");
    }
  });
  add_test(suite, "few", [] {
    for (const PetscInt k : {1, 5, 20, 21})
      for (const PetscReal scale : {1., 1e11}) {
        const MatHandle A = assemble(fixed_by_multipliers(50, 1, 1, k), MATAIJ);

        PETSC_OK(MatScale(A, scale));
        is_solved(A, KSPGMRES, false, std::to_string(k));
      }
  });
  add_test(suite, "of_sums", [] { /* which no pair is for: of a whole line of points each */
                                  const PetscInt n = 50, k = 4;
                                  Entry          sums = fixed_by_multipliers(n, 1, 1, 0);
                                  const auto     rows = sums.row;

                                  sums.rows = sums.cols = n * n + k;
                                  sums.row              = [=](PetscInt i, Row &r) {
                                    if (i < n * n) rows(i, r);
                                    if (i < n * k) r.add(n * n + i / n, 1);
                                    for (PetscInt j = 0; i >= n * n && j < n; j++) r.add((i - n * n) * n + j, 1);
                                  };
                                  for (const PetscReal scale : {1., 1e11}) {
                                    const MatHandle A = assemble(sums, MATAIJ);

                                    PETSC_OK(MatScale(A, scale));
                                    is_solved(A, KSPGMRES, false, "sums", 4);
                                    is_solved(A, KSPGMRES, true, "sums, transposed", 4);
                                  }
  });
  add_test(suite, "of_ties", [] {
    for (const char *type : {MATAIJ, "owncds"})
      for (const PetscInt k : {21, 40}) {
        const MatHandle A = assemble(tied(45, k, false), type);

        is_solved(A, KSPGMRES, false, "ties", 4);
        is_solved(A, KSPGMRES, true, "ties, transposed", 4);
        is_solved(A, KSPMINRES, false, "ties by MINRES", 4);
      }
    is_refused(assemble(tied(110, 101, false), MATAIJ), "too many");
  });
  add_test(suite, "of_ties_said_twice", [] { /* which leave a null space: what is left of the right-hand side is little all the same */
                                             const MatHandle    A   = assemble(tied(45, 30, true), MATAIJ);
                                             KSPHandle          ksp = make_solver(A, KSPGMRES);
                                             VecHandle          x = vector_like(A, false, VECSTANDARD, 3), b = vector_like(A, true, VECSTANDARD, 0);
                                             PetscInt           its;
                                             KSPConvergedReason reason;

                                             PETSC_OK(MatMult(A, x, b));
                                             PETSC_OK(KSPSolve(ksp, b, x));
                                             PETSC_OK(KSPGetIterationNumber(ksp, &its));
                                             PETSC_OK(KSPGetConvergedReason(ksp, &reason));
                                             BOOST_TEST((reason > 0 && its <= 18), KSPConvergedReasons[reason] << " after " << its);
                                             VecHandle r = vector_like(A, true, VECSTANDARD, 0);
                                             PETSC_OK(MatResidual(A, b, x, r));
                                             BOOST_TEST(norm(r) <= reached(1e-4) * norm(b));
  });
  add_test(suite, "new_values", [] {
    MatHandle A = assemble(fixed_by_multipliers(50, 1, 1), MATAIJ), B = assemble(fixed_by_multipliers(50, 2, 3), MATAIJ);
    PCHandle  pc = make_pc(A);
    VecHandle x = vector_like(A, false, VECSTANDARD, 3), y = vector_like(A, true, VECSTANDARD, 0), z = vector_like(A, true, VECSTANDARD, 0);

    PETSC_OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
    PETSC_OK(PCSetOperators(pc, A, A));
    PETSC_OK(PCSetUp(pc));
    PETSC_OK(PCApply(pc, x, y));
    PETSC_OK(PCApply(make_pc(B), x, z));
    PETSC_OK(VecAXPY(y, -1, z));
    BOOST_TEST(norm(y) <= 1e-12 * norm(z));
  });
  add_test(suite, "two_of_one_unknown", [] { /* say two things of it, or the same twice */
                                             const PetscInt n     = 30;
                                             Entry          twice = fixed_by_multipliers(n, 1, 1);
                                             const auto     rows  = twice.row;

                                             twice.rows += n;
                                             twice.cols += n;
                                             twice.row = [=](PetscInt i, Row &r) {
                                               rows(i < n * n + n ? i : i - n, r);
                                               if (i < n) r.add(n * n + n + i, 1);
                                             };
                                             is_refused(assemble(twice, MATAIJ), "twice");
  });
}

const AddTests add([] {
  auto *refused = suite_named(nullptr, "refused");

  for (const LeagueProblem &p : league()) {
    if (p.kind == Kind::refused)
      add_test(refused, p.name, [&p] {
        const LeagueMatrix m = p.make(0);

        for (const char *type : {MATAIJ, "slicedell", "cds"}) is_refused(assemble(entry_of(m.A, m.bs), type), type);
      });
  }
  add_test(refused, "rows_are_counted", [] { /* on all ranks together */
                                             const Sparse    A       = stokes(12);
                                             const MatHandle mat     = assemble(entry_of(A), MATAIJ);
                                             const Outcome   outcome = attempt([&] {
                                               const PCHandle pc = make_pc(mat, false);

                                               return PCSetUp(pc);
                                             });

                                             BOOST_TEST(outcome.says("of 408 coupled rows 144 have a zero on the diagonal, and 0 "), outcome.message);
  });
  add_test(refused, "whatever_else_is_told", [] {
    const Option    threshold("-pc_saamg_threshold", "0.05"), reuse("-pc_saamg_reuse", "interpolation");
    const MatHandle A = assemble(entry_of(stokes(20)), MATAIJ);

    PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    is_refused(A, "told");
  });
  add_test(refused, "new_values", [] {
    for (const char *kept : {"none", "auto", "interpolation"}) {
      const Option    reuse("-pc_saamg_reuse", kept);
      const PetscReal stiff = 4.2; /* each other column of points is of the other sign */
      const auto      mixed = [=](bool saddle) { return reacting(24, [=](PetscInt i) { return saddle && i % 24 % 2 ? stiff : 0; }); };
      MatHandle       A = assemble(mixed(false), MATAIJ), B = assemble(mixed(true), MATAIJ), C = assemble(mixed(false), MATAIJ);
      PCHandle        pc = make_pc(A);

      PETSC_OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
      PETSC_OK(PCSetOperators(pc, A, A));
      BOOST_TEST(attempt([&] { return PCSetUp(pc); }).says("saddle point"), kept);
      PETSC_OK(MatCopy(C, A, SAME_NONZERO_PATTERN)); /* and good ones heal it */
      PETSC_OK(PCSetOperators(pc, A, A));
      PETSC_OK(PCSetUp(pc));
    }
  });

  add_multipliers(suite_named(nullptr, "multipliers"));
  auto *taken = suite_named(nullptr, "taken");
  add_test(taken, "shifted", [] {
    for (const PetscReal shift : {0.5, 3.9, 4.1, 9.})
      is_taken(assemble(reacting(30, [=](PetscInt) { return shift; }), MATAIJ), "shift " + std::to_string(shift));
  });
  add_test(taken, "signs_of_a_reaction", [] { /* which outweighs what couples its rows */
                                              is_taken(assemble(reacting(30, [](PetscInt i) { return i % 900 < 450 ? 0. : 30.; }), MATAIJ), "halves");
                                              is_taken(assemble(reacting(30, [](PetscInt i) { return i % 2 ? 0. : 30.; }), MATAIJ), "in turn");
  });
  add_test(taken, "few_rows", [] { /* not far from zero, as in a step of Newton's method */
                                   is_taken(assemble(reacting(50, [](PetscInt i) { return i % 200 == 7 ? 4.1 : 0; }), MATAIJ), "few");
  });
  add_test(taken, "given_rows_of_the_other_sign", [] {
    MatHandle             A = assemble(reacting(30, [](PetscInt) { return 0; }), MATAIJ);
    PetscInt              start, end;
    std::vector<PetscInt> rows;

    PETSC_OK(MatScale(A, -1));
    PETSC_OK(MatGetOwnershipRange(A, &start, &end));
    for (PetscInt i = start; i < end; i++)
      if (i % 5 == 0) rows.push_back(i);
    PETSC_OK(MatZeroRowsColumns(A, static_cast<PetscInt>(rows.size()), rows.data(), 1, nullptr, nullptr));
    is_taken(A, "Dirichlet");
  });
  add_test(taken, "solved_as_it_is", [] { /* by the coarsest level's inverse */
                                          const Sparse    S   = stokes(5);
                                          const MatHandle A   = assemble(entry_of(S), MATAIJ);
                                          KSPHandle       ksp = make_solver(A, KSPGMRES);
                                          VecHandle       x = vector_like(A, false, VECSTANDARD, 3), b = vector_like(A, true, VECSTANDARD, 0),
                                                    y = vector_like(A, false, VECSTANDARD, 0);
                                          PetscInt its;

                                          PETSC_OK(MatMult(A, x, b));
                                          PETSC_OK(KSPSolve(ksp, b, y));
                                          PETSC_OK(KSPGetIterationNumber(ksp, &its));
                                          BOOST_TEST(its <= 3);
                                          PETSC_OK(MatResidual(A, b, y, x));
                                          BOOST_TEST(norm(x) <= 1e-6 * norm(b));
  });

  /* What the sentence names. */
  add_test(suite_named(nullptr, "cure"), "fieldsplit", [] {
    const Option type("-pc_type", "fieldsplit"), schur("-pc_fieldsplit_type", "schur"), detect("-pc_fieldsplit_detect_saddle_point", "1"),
      velocities("-fieldsplit_0_pc_type", "saamg"), only("-fieldsplit_0_ksp_type", "preonly"), none("-fieldsplit_1_pc_type", "none"),
      loose("-fieldsplit_1_ksp_rtol", "1e-2"), outer("-ksp_type", "fgmres");
    const MatHandle    A = assemble(entry_of(stokes(16)), MATAIJ);
    VecHandle          x = vector_like(A, false, VECSTANDARD, 3), b = vector_like(A, true, VECSTANDARD, 0), y = vector_like(A, false, VECSTANDARD, 0);
    KSPHandle          ksp;
    KSPConvergedReason reason;

    PETSC_OK(MatMult(A, x, b));
    PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
    PETSC_OK(KSPSetOperators(ksp, A, A));
    PETSC_OK(KSPSetFromOptions(ksp));
    PETSC_OK(KSPSolve(ksp, b, y));
    PETSC_OK(KSPGetConvergedReason(ksp, &reason));
    BOOST_TEST(reason > 0, KSPConvergedReasons[reason]);
  });
});

} // namespace
