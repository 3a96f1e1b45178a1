/* Laws of the preconditioner: for every problem, smoother, cycle and precision of the name tables. */
#include "../support/mat_case.hpp"
#include "../support/pc_case.hpp"

#include <cmath>
#include <cstdlib>

using namespace goza_test;

namespace {

struct PCCase {
  PCConfig       config;
  const Problem &problem;
  PetscReal      eps() const { return 1e4 * config.eps(); } /* what sums over a few levels may lose, relative to the size of the vector */
  /* a diagonal scaling leaves Jacobi what it is, but not the l1 norms */
  PetscInt ceiling() const { return problem.name == "scales" && config.smoother == "l1jacobi" ? 2 * problem.ceiling : problem.ceiling; }
};

VecHandle apply(PC pc, Mat A, Vec x)
{
  VecHandle y = filled_with_nan(A, true, VECSTANDARD); /* nothing of it may be read */
  PETSC_OK(PCApply(pc, x, y));
  remove_null_space(A, y);
  return y;
}

PetscReal distance(Vec a, Vec b)
{
  VecHandle d;
  PETSC_OK(VecDuplicate(a, d.put()));
  PETSC_OK(VecWAXPY(d, -1, a, b));
  return norm(d);
}

PetscScalar product(Vec a, Vec b)
{
  PetscScalar s;
  PETSC_OK(VecDot(a, b, &s));
  return s;
}

PetscReal dot(Vec a, Vec b) { return PetscRealPart(product(a, b)); }

void linear(const PCCase &c)
{
  MatHandle A  = system_matrix(c.problem);
  PCHandle  pc = make_pc(A);
  VecHandle x = right_hand_side(A, 1), y = right_hand_side(A, 2), Mx = apply(pc, A, x), My = apply(pc, A, y), sum, want;

  PETSC_OK(VecDuplicate(x, sum.put()));
  PETSC_OK(VecAXPBYPCZ(sum, 2, -3, 0, x, y));
  PETSC_OK(VecDuplicate(x, want.put()));
  PETSC_OK(VecAXPBYPCZ(want, 2, -3, 0, Mx, My));
  VecHandle got = apply(pc, A, sum);
  BOOST_TEST(distance(got, want) <= c.eps() * (2 * norm(Mx) + 3 * norm(My)));
  BOOST_TEST(norm(Mx) > 0); /* M = 0 is linear too */
}

void is_symmetric(const PCCase &c)
{
  MatHandle A  = system_matrix(c.problem);
  PCHandle  pc = make_pc(A);

  for (PetscInt seed = 1; seed < 4; seed++) {
    VecHandle       x = right_hand_side(A, seed), y = right_hand_side(A, seed + 10), Mx = apply(pc, A, x), My = apply(pc, A, y);
    const PetscReal difference = PetscAbsScalar(product(Mx, y) - product(x, My));
    BOOST_TEST(difference <= c.eps() * (norm(Mx) * norm(y) + norm(x) * norm(My)));
    BOOST_TEST(dot(Mx, x) > 0); /* and positive definite, as CG needs it */
  }
}

/* The error of x <- x + M (b - A x) shrinks in the energy norm, at every step. */
void contracts(const PCCase &c)
{
  MatHandle A  = system_matrix(c.problem);
  PCHandle  pc = make_pc(A);
  VecHandle e = right_hand_side(A, 3), Ae = right_hand_side(A, 3);

  PETSC_OK(MatMult(A, e, Ae));
  const PetscReal start  = std::sqrt(dot(e, Ae));
  PetscReal       energy = start;
  for (int step = 0; step < 15 && energy > 100 * c.eps() * start; step++) { /* random at first: steps on let the slowest error through */
    VecHandle correction = apply(pc, A, Ae);
    PETSC_OK(VecAXPY(e, -1, correction));
    PETSC_OK(MatMult(A, e, Ae));
    const PetscReal now = std::sqrt(std::max((PetscReal)0, dot(e, Ae)));
    BOOST_TEST((std::isfinite(now) && now < energy), "step " << step << ": " << energy << " -> " << now);
    energy = now;
  }
}

void converges(const PCCase &c)
{
  MatHandle   A = system_matrix(c.problem);
  const Solve s = solve(make_cg(A), A);

  BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
  BOOST_TEST(s.iterations <= c.ceiling());
  BOOST_TEST(std::isfinite(s.true_residual));
  /* CG stops by the preconditioned residual, which the scales of the matrix separate from the true one */
  if (c.problem.name != "scales") BOOST_TEST(s.true_residual <= 100 * reached(1e-7));
}

/* The mixed cycle takes no more than a tenth more iterations than that in double, but for rows scaled over 15 decades and smoothed by l1-Jacobi (36, in double
   31): because of those it is not the default. */
void mixed_costs_few_iterations(const PCCase &c)
{
  if (c.config.precision != "mixed" || (c.problem.name == "scales" && c.config.smoother == "l1jacobi")) return;
  MatHandle   A     = system_matrix(c.problem);
  const Solve mixed = solve(make_cg(A), A);
  Option      exact("-pc_saamg_precision", "double");
  const Solve reference = solve(make_cg(A), A);

  BOOST_TEST(mixed.iterations <= std::ceil(1.1 * reference.iterations), mixed.iterations << " iterations, in double " << reference.iterations);
}

/* The preconditioner is that of the matrix, not that of its distribution: one rank alone needs the same iterations, give or take one. */
void iterations_do_not_depend_on_ranks(const PCCase &c)
{
  MatHandle   A = system_matrix(c.problem), alone = system_matrix(c.problem, MATAIJ, PETSC_COMM_SELF);
  KSPHandle   ksp = make_cg(A), ksp_alone = make_cg(alone);
  const Solve together = solve(ksp, A), single = solve(ksp_alone, alone);

  BOOST_TEST(PetscAbsInt(together.iterations - single.iterations) <= 1, together.iterations << " iterations, but " << single.iterations << " on one rank");
}

void same_input_same_output(const PCCase &c)
{
  MatHandle   A     = system_matrix(c.problem);
  PCHandle    first = make_pc(A), second = make_pc(A);
  VecHandle   x = right_hand_side(A, 1), y = apply(first, A, x), again = apply(first, A, x), other = apply(second, A, x);
  PetscBool   same;
  PetscMPIInt size;

  PETSC_OK(VecEqual(y, again, &same));
  BOOST_TEST((same == PETSC_TRUE), "applied twice");
  PETSC_OK(VecEqual(y, other, &same));
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (size == 1) BOOST_TEST((same == PETSC_TRUE), "set up twice");
  else BOOST_TEST(distance(y, other) <= c.eps() * norm(y)); /* messages may come in another order */
}

void transposed(const PCCase &c)
{
  MatHandle A  = system_matrix(c.problem);
  PCHandle  pc = make_pc(A);
  VecHandle x = right_hand_side(A, 1), y = right_hand_side(A, 2), Mx = apply(pc, A, x), Mty = filled_with_nan(A, true, VECSTANDARD);

  PETSC_OK(PCApplyTranspose(pc, y, Mty));
  PetscScalar left, right;
  PETSC_OK(VecTDot(Mx, y, &left));
  PETSC_OK(VecTDot(x, Mty, &right));
  BOOST_TEST(PetscAbsScalar(left - right) <= c.eps() * (norm(Mx) * norm(y) + norm(x) * norm(Mty)));
}

void zero_right_hand_side(const PCCase &c)
{
  MatHandle A    = system_matrix(c.problem);
  PCHandle  pc   = make_pc(A);
  VecHandle zero = right_hand_side(A, 1), x = right_hand_side(A, 1);

  PETSC_OK(VecSet(zero, 0));
  BOOST_TEST(norm(apply(pc, A, zero)) == 0);

  KSPHandle          ksp = make_cg(A);
  PetscInt           its;
  KSPConvergedReason reason;
  PETSC_OK(KSPSolve(ksp, zero, x));
  PETSC_OK(KSPGetIterationNumber(ksp, &its));
  PETSC_OK(KSPGetConvergedReason(ksp, &reason));
  BOOST_TEST(its == 0);
  BOOST_TEST(reason > 0);
  BOOST_TEST(norm(x) == 0);
}

/* New values, same pattern: without reuse the preconditioner is what a fresh one would be. */
void values_change(const PCCase &c)
{
  Option    reuse("-pc_saamg_reuse", "none");
  MatHandle A  = system_matrix(c.problem);
  PCHandle  pc = make_pc(A);
  VecHandle x  = right_hand_side(A, 1);
  PetscReal size;
  apply(pc, A, x);

  PETSC_OK(MatNorm(A, NORM_INFINITY, &size));
  PETSC_OK(MatScale(A, 3));
  if (c.problem.kernel != Kernel::constants) PETSC_OK(MatShift(A, 0.5 * size));
  PETSC_OK(PCSetOperators(pc, A, A));
  PETSC_OK(PCSetUp(pc));
  PCHandle  fresh = make_pc(A);
  VecHandle got = apply(pc, A, x), want = apply(fresh, A, x);
  BOOST_TEST(distance(got, want) <= c.eps() * norm(want));
}

/* With aggregates, or the interpolation too, kept, a matrix that is only scaled still has the hierarchy of a fresh set-up; any other still converges, in `more`
   iterations at most. */
void values_change_kept(const PCCase &c, const char *how, PetscInt more)
{
  if (pc_name() != "saamg") return;
  Option    reuse("-pc_saamg_reuse", how);
  MatHandle A  = system_matrix(c.problem);
  PCHandle  pc = make_pc(A);
  VecHandle x = right_hand_side(A, 1), before = apply(pc, A, x);

  PETSC_OK(MatScale(A, 4));
  PETSC_OK(PCSetOperators(pc, A, A));
  PETSC_OK(PCSetUp(pc));
  VecHandle after = apply(pc, A, x);
  PETSC_OK(VecScale(after, 4));
  BOOST_TEST(distance(after, before) <= c.eps() * norm(before));

  KSPHandle ksp = make_cg(A);
  solve(ksp, A);
  VecHandle d = right_hand_side(A, 21);
  if (c.problem.kernel != Kernel::constants) {
    PETSC_OK(VecAbs(d));
    PETSC_OK(MatDiagonalSet(A, d, ADD_VALUES));
  }
  PETSC_OK(KSPSetOperators(ksp, A, A));
  const Solve s = solve(ksp, A);
  BOOST_TEST(s.reason > 0);
  BOOST_TEST(s.iterations <= c.ceiling() + more);
}

void values_change_interpolation_kept(const PCCase &c) { values_change_kept(c, "interpolation", 2); }
void values_change_by_default(const PCCase &c) { values_change_kept(c, "auto", 0); }

/* With the aggregates kept: D A D has the same ones for a D of powers of two, alike in a block, but another interpolation, and must get the hierarchy of a
   fresh set-up. By default they are kept from the second set-up on, and the patterns of products from the third. */
void values_change_aggregates_kept(const PCCase &c, const char *how)
{
  Option    reuse("-pc_saamg_reuse", how), levels("-pc_saamg_max_levels", "2"); /* weights on the second level are other ones */
  MatHandle A  = system_matrix(c.problem);
  PCHandle  pc = make_pc(A);
  VecHandle x = right_hand_side(A, 1), before = apply(pc, A, x), d = right_hand_side(A, 2);
  PetscInt  start, end, bs;

  PETSC_OK(MatGetBlockSize(A, &bs));
  for (int round = 0; round < 3; round++) {
    PETSC_OK(VecGetOwnershipRange(d, &start, &end));
    for (PetscInt i = start; i < end; i++) PETSC_OK(VecSetValue(d, i, (PetscScalar)(1 << (i / bs * 7 + i / bs / 5 + round) % 3), INSERT_VALUES));
    PETSC_OK(VecAssemblyBegin(d));
    PETSC_OK(VecAssemblyEnd(d));
    PETSC_OK(MatDiagonalScale(A, d, d));
    PETSC_OK(PCSetOperators(pc, A, A));
    PETSC_OK(PCSetUp(pc));
    PCHandle  fresh = make_pc(A);
    VecHandle got = apply(pc, A, x), want = apply(fresh, A, x);
    BOOST_TEST(distance(got, want) <= c.eps() * norm(want));
  }
}

void values_change_pattern_kept(const PCCase &c)
{
  for (const char *how : {"pattern", "auto"})
    if (pc_name() == "saamg") values_change_aggregates_kept(c, how);
}

/* Another pattern in the same matrix object: everything is built anew, whatever may be reused. */
void pattern_changes(const PCCase &c)
{
  if (c.problem.kernel != Kernel::none || c.problem.entry.rows < 10) return;
  Option     reuse("-pc_saamg_reuse", "interpolation"); /* must not be taken at its word here */
  MatHandle  A   = system_matrix(c.problem);
  KSPHandle  ksp = make_cg(A);
  const auto n   = c.problem.entry.rows;
  PetscInt   start, end;
  PetscReal  size;
  solve(ksp, A);

  PETSC_OK(MatNorm(A, NORM_INFINITY, &size));
  PETSC_OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) { /* a symmetric link to the mirrored index, diagonally dominated */
    const PetscInt    other = n - 1 - i;
    const PetscReal   tenth = 0.1 * size;
    const PetscScalar v[2]  = {tenth, -tenth};
    if (other == i) continue;
    PETSC_OK(MatSetValue(A, i, i, v[0], ADD_VALUES));
    PETSC_OK(MatSetValue(A, i, other, v[1], ADD_VALUES));
  }
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(KSPSetOperators(ksp, A, A));
  PC pc;
  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(KSPSetUp(ksp));
  PCHandle  fresh = make_pc(A);
  VecHandle x = right_hand_side(A, 1), got = apply(pc, A, x), want = apply(fresh, A, x);
  BOOST_TEST(distance(got, want) <= c.eps() * norm(want));
}

void reset(const PCCase &c)
{
  MatHandle A  = system_matrix(c.problem);
  PCHandle  pc = make_pc(A);
  VecHandle x = right_hand_side(A, 1), before = apply(pc, A, x);

  PETSC_OK(PCReset(pc));
  PETSC_OK(PCReset(pc)); /* twice does no harm */
  PETSC_OK(PCSetOperators(pc, A, A));
  PETSC_OK(PCSetUp(pc));
  VecHandle after = apply(pc, A, x);
  BOOST_TEST(distance(after, before) <= c.eps() * norm(before));
}

/* The same preconditioner from Goza's matrix types, and from PETSc's on a device, as from aij; and the matrix may go before it does. With half the model may
   store a level narrow on the device and not on the host, where aij is: there aijcusparse takes aij's part. */
void matrix_types(const PCCase &c)
{
  const bool               device    = vec_names().size() > 1;
  MatHandle                R         = system_matrix(c.problem, c.config.precision == "half" && device ? "aijcusparse" : MATAIJ);
  PCHandle                 reference = make_pc(R);
  VecHandle                x = right_hand_side(R, 1), want = apply(reference, R, x);
  std::vector<std::string> types;

  for (const auto &type : mat_names()) types.push_back(type.set);
  if (device) types.push_back("aijcusparse");
  for (const auto &type : types) {
    MatHandle A  = system_matrix(c.problem, type.c_str());
    PCHandle  pc = make_pc(A);
    A.reset();
    VecHandle got = apply(pc, R, x);
    BOOST_TEST(distance(got, want) <= c.eps() * norm(want), type);
  }
}

void view(const PCCase &c)
{
  MatHandle         A    = system_matrix(c.problem);
  PCHandle          pc   = make_pc(A);
  const std::string text = viewed(pc);
  if (pc_name() != "saamg") return;
  for (const auto &word : {std::string("saamg"), c.config.smoother, c.config.precision, std::string("level"), std::string("rows"), std::string("per row"),
                           std::string("complexity"), std::string("MB")})
    BOOST_TEST(text.find(word) != std::string::npos, word << " is not in: " << text);
  viewed(make_pc(A, false)); /* before set-up there is less to say, but no crash */
}

struct PCLaw {
  const char *name;
  void (*law)(const PCCase &);
};

const AddTests add([] {
  const std::vector<PCLaw> laws{
    {"linear", linear},
    {"symmetric", is_symmetric},
    {"contracts", contracts},
    {"converges", converges},
    {"iterations_do_not_depend_on_ranks", iterations_do_not_depend_on_ranks},
    {"same_input_same_output", same_input_same_output},
    {"transposed", transposed},
    {"zero_right_hand_side", zero_right_hand_side},
    {"values_change", values_change},
    {"mixed_costs_few_iterations", mixed_costs_few_iterations},
    {"values_change_interpolation_kept", values_change_interpolation_kept},
    {"values_change_by_default", values_change_by_default},
    {"values_change_pattern_kept", values_change_pattern_kept},
    {"pattern_changes", pattern_changes},
    {"reset", reset},
    {"matrix_types", matrix_types},
    {"view", view},
  };
  /* Everything with everything on one rank. On two, half of the combinations of smoother, cycle and precision, so that any two still meet; on more,
     each problem with each smoother, cycle and precision in turn: ranks that wait for each other cost more than what they compute here. */
  const auto  smoothers = smoother_names(), cycles = cycle_names(), precisions = precision_names();
  PetscMPIInt size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (std::size_t s = 0; s < smoothers.size(); s++)
    for (std::size_t c = 0; c < cycles.size(); c++)
      for (std::size_t r = 0; r < precisions.size(); r++) {
        const PCConfig config{smoothers[s], cycles[c], precisions[r]};
        if (size == 2 && (s + c + r) % 2) continue;
        for (std::size_t k = 0; k < problems().size(); k++) {
          const Problem &p = problems()[k];
          if (size > 2 && ((k + s) % precisions.size() != r || (k / precisions.size() + s) % cycles.size() != c)) continue;
          auto *suite = suite_named(suite_named(nullptr, config.name()), p.name);
          for (const auto &law : laws)
            add_test(suite, law.name, [config, &p, run = law.law] {
              Configured options(config, p.threshold);
              run(PCCase{config, p});
            });
        }
      }
});

} // namespace
