/* The preconditioner of singular matrices whose null space nobody tells of, of many parts, and of matrices that are nearly singular: what is a difference of
   large numbers on a coarse level, and there nothing but rounding, is neither inverted nor smoothed with. */
#include "../support/pc_case.hpp"

#include <cmath>

using namespace goza_test;

namespace {

/* Weighted graph Laplacians, of lines of `length` nodes side by side: none has a link to the next. grounded: what is added to the diagonal of a line's first
   node. */
Entry lines(const std::string &name, PetscInt count, PetscInt length, PetscReal grounded = 0)
{
  return {name, count * length, count * length, square | symmetric, [length, grounded](PetscInt i, Row &r) {
            const PetscInt  at   = i % length;
            const PetscReal left = at ? 2 + uniform(i - 1, i, 3) : 0, right = at + 1 < length ? 2 + uniform(i, i + 1, 3) : 0;

            r.add(i, left + right + (at ? 0 : grounded));
            if (at) r.add(i - 1, -left);
            if (at + 1 < length) r.add(i + 1, -right);
          }};
}

/* Boxes of nx x ny x nz nodes, of which none has a link to the next. */
Entry boxes(const std::string &name, PetscInt count, PetscInt nx, PetscInt ny, PetscInt nz)
{
  const PetscInt n = nx * ny * nz;

  return {name, count * n, count * n, square | symmetric, [=](PetscInt i, Row &r) {
            const PetscInt at = i % n, x = at % nx, y = at / nx % ny, z = at / (nx * ny);
            PetscReal      sum  = 0;
            const auto     link = [&](bool there, PetscInt j) {
              if (!there) return;
              const PetscReal w = 2 + uniform(PetscMin(i, j), PetscMax(i, j), 4);

              r.add(j, -w);
              sum += w;
            };

            link(x > 0, i - 1);
            link(x + 1 < nx, i + 1);
            link(y > 0, i - nx);
            link(y + 1 < ny, i + nx);
            link(z > 0, i - nx * ny);
            link(z + 1 < nz, i + nx * ny);
            r.add(i, sum);
          }};
}

/* Small parts, which are one row each on the second level, and a large one. */
const Entry uneven{"uneven", 3000, 3000, square | symmetric, [](PetscInt i, Row &r) {
                     const PetscInt  length = i < 900 ? 3 : 2100, at = i < 900 ? i % 3 : i - 900;
                     const PetscReal left = at ? 2 + uniform(i - 1, i, 5) : 0, right = at + 1 < length ? 2 + uniform(i, i + 1, 5) : 0;

                     r.add(i, left + right);
                     if (at) r.add(i - 1, -left);
                     if (at + 1 < length) r.add(i + 1, -right);
                   }};

PetscReal dot(Vec a, Vec b)
{
  PetscScalar s;
  PETSC_OK(VecDot(a, b, &s));
  return PetscRealPart(s);
}

/* A right-hand side that has a solution: A times something. */
VecHandle in_range(Mat A, PetscInt seed)
{
  VecHandle u = vector_like(A, false, VECSTANDARD, seed), b = vector_like(A, true, VECSTANDARD, 0);

  PETSC_OK(MatMult(A, u, b));
  return b;
}

/* M is symmetric, positive, and no larger than what Jacobi and the inverse of a coarse operator of h^-2 can be. */
void is_sound(PC pc, Mat A, PetscReal largest)
{
  VecHandle x = vector_like(A, true, VECSTANDARD, 1), y = vector_like(A, true, VECSTANDARD, 2), Mx = vector_like(A, true, VECSTANDARD, 0),
            My = vector_like(A, true, VECSTANDARD, 0);

  PETSC_OK(PCApply(pc, x, Mx));
  PETSC_OK(PCApply(pc, y, My));
  BOOST_TEST(norm(Mx) <= largest * norm(x));
  BOOST_TEST(PetscAbsReal(dot(Mx, y) - dot(x, My)) <= 1e4 * PETSC_MACHINE_EPSILON * (norm(Mx) * norm(y) + norm(x) * norm(My)));
  BOOST_TEST(dot(Mx, x) > 0);
}

Solve solve_in_range(Mat A)
{
  KSPHandle ksp = make_cg(A, 1e-8);
  VecHandle b = in_range(A, 7), x = vector_like(A, false, VECSTANDARD, 0), r = vector_like(A, true, VECSTANDARD, 0);
  PC        pc;
  Solve     s{};

  PETSC_OK(VecSet(x, 0));
  PETSC_OK(KSPSolve(ksp, b, x));
  PETSC_OK(KSPGetConvergedReason(ksp, &s.reason));
  PETSC_OK(KSPGetIterationNumber(ksp, &s.iterations));
  PETSC_OK(MatResidual(A, b, x, r));
  s.true_residual = norm(r) / norm(b);
  PETSC_OK(KSPGetPC(ksp, &pc));
  is_sound(pc, A, 1e8);
  return s;
}

void converges(const Entry &e, PetscInt ceiling)
{
  MatHandle   A = assemble(e, MATAIJ);
  const Solve s = solve_in_range(A);

  BOOST_TEST(s.reason > 0, e.name << ": " << KSPConvergedReasons[s.reason]);
  BOOST_TEST(s.iterations <= ceiling, e.name << ": " << s.iterations << " iterations");
  BOOST_TEST(s.true_residual <= 1e-6, e.name << ": " << s.true_residual);
}

struct Case {
  Entry    entry;
  PetscInt ceiling;
};

const std::vector<Case> &cases()
{
  static const std::vector<Case> all{
    /* regular */
    {lines("lines_of_3", 100, 3), 3},
    {lines("many_lines_of_3", 700, 3), 3},
    {lines("lines_of_7", 60, 7), 18},
    {lines("lines_of_50", 40, 50), 25},
    {boxes("boxes", 9, 5, 6, 4), 16},
    {boxes("large_boxes", 2, 12, 12, 12), 18},
    {uneven, 25},
    {lines("long_line", 1, 20000, 1e-3), 60},
    {lines("grounded", 30, 100, 1), 25},
  };
  return all;
}

const AddTests add([] {
  for (const auto &config : {PCConfig{"jacobi", "v", "double"}, {"chebyshev", "v", "double"}, {"chebyshev", "w", "double"}, {"mcgs", "w", "double"}})
    for (const Case &c : cases())
      for (const char *limit : {"1", "200"}) {
        auto *suite = suite_named(suite_named(nullptr, config.name()), c.entry.name);

        add_test(suite, std::string("coarse_limit_") + limit, [config, &c, limit] {
          Configured options(config);
          Option     rows("-pc_saamg_coarse_limit", limit), levels("-pc_saamg_max_levels", "20");
          converges(c.entry, c.ceiling);
        });
      }
  add_test(suite_named(nullptr, "reuse"), "old_values_old_operator", [] {
    for (const char *reuse : {"none", "pattern", "interpolation"})
      for (const Case &c : cases()) {
        if (c.entry.rows > 5000) continue;
        Option    limit("-pc_saamg_coarse_limit", "1"), kept("-pc_saamg_reuse", reuse);
        MatHandle A  = assemble(c.entry, MATAIJ), B;
        PCHandle  pc = make_pc(A);
        VecHandle x = in_range(A, 1), before = vector_like(A, true, VECSTANDARD, 0), after = vector_like(A, true, VECSTANDARD, 0);
        PetscInt  start, end;

        PETSC_OK(PCApply(pc, x, before));
        PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, B.put()));
        PETSC_OK(MatGetOwnershipRange(A, &start, &end));
        for (int other = 0; other < 2; other++) { /* not symmetric, then as it was */
          if (other) PETSC_OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
          else {
            for (PetscInt i = start; i < end; i++) PETSC_OK(MatSetValue(A, i, i, 9 + uniform(i, i, 8), INSERT_VALUES));
            if (start == 0) PETSC_OK(MatSetValue(A, 0, 1, -7, INSERT_VALUES));
            PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
            PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
          }
          PETSC_OK(PCSetOperators(pc, A, A));
          PETSC_OK(PCSetUp(pc));
        }
        PETSC_OK(PCApply(pc, x, after));
        PETSC_OK(VecAXPY(after, -1, before));
        BOOST_TEST(norm(after) <= 1e-10 * norm(before), c.entry.name << ", " << reuse << ": " << norm(after) / norm(before));
      }
  });
});

} // namespace
