/* Solvers with saamg that live long, several at once on several communicators: other sizes, types, patterns and values, rows that become Dirichlet rows, a NaN
   and back, near-null spaces set late, resets, kept preconditioners. Beside each matrix an AIJ twin, whose product must be the same; each solve must tell the
   truth, and take no more than a new solver by much.

     fuzz_life [-fuzz_first 1] [-fuzz_count 20] [-fuzz_steps 24] [-fuzz_trace] */
#include "../support/pc_case.hpp"
#include "options.hpp"
#include "rng.hpp"

#include <petscgoza.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace goza_test;
using namespace goza_fuzz;

namespace {

PetscReal distance(Vec a, Vec b)
{
  VecHandle d;

  PETSC_OK(VecDuplicate(a, d.put()));
  PETSC_OK(VecWAXPY(d, -1, a, b));
  return norm(d);
}

class Life {
public:
  Life(MPI_Comm comm, std::string where, std::uint64_t seed) : comm_(comm), where_(std::move(where)), rng_(seed), trace_(number_option("-fuzz_trace", 0) > 0)
  {
    another();
  }

  void step();

private:
  MPI_Comm    comm_;
  std::string where_, done_;
  Rng         rng_;
  bool        trace_;
  bool        kept_         = false;
  PetscInt    coarse_limit_ = 0;
  Entry       entry_;
  KSPHandle   ksp_;
  MatHandle   A_, twin_, before_; /* before_: what the solver has, until it gets another */

  std::string             type() { return std::vector<std::string>{"aij", "cds", "fold", "slicedell", "autoformat", "ownslicedell", "ownfold"}[rng_.below(7)]; }
  template <class F> void both(F f)
  {
    f(A_);
    f(twin_);
  }
  void another();
  void solver();
  void convert();
  void drift();
  void zero_rows();
  void couple();
  void spoil();
  void near_null();
  void check(bool healthy);
  void fail(const std::string &what) const { BOOST_ERROR(where_ << ": " << what << " after" << done_); }
  void solve(KSP ksp, Mat A, bool transposed, KSPConvergedReason *reason, PetscInt *its, PetscReal *residual) const;
};

void Life::another()
{
  const PetscInt n = 2 + rng_.below(14), m = 2 + rng_.below(14), o = 2 + rng_.below(6);

  switch (rng_.below(6)) {
  case 0:
    entry_ = stencil5(n, m, 1);
    break;
  case 1:
    entry_ = stencil5(3 * n, m, 0.01);
    break;
  case 2:
    entry_ = stencil7(n, o, o);
    break;
  case 3:
    entry_ = stencil27(o, o, n);
    break;
  case 4:
    entry_ = elasticity(1 + o, o, o);
    break;
  default:
    entry_ = stencil5(1, 1 + rng_.below(3), 1);
  }
  if (rng_.chance(25)) entry_.layout = Layout::all_on_last;
  before_.reset();
  ksp_.reset();
  twin_ = assemble(entry_, MATAIJ, Prealloc::exact, comm_);
  convert();
  solver();
}

void Life::solver()
{
  PC pc;

  PETSC_OK(KSPCreate(comm_, ksp_.put()));
  PETSC_OK(KSPSetType(ksp_, std::vector<const char *>{KSPCG, KSPFUSEDCG, KSPGMRES, KSPFUSEDGMRES, KSPBCGS, KSPFUSEDBCGS}[rng_.below(6)]));
  PETSC_OK(KSPSetTolerances(ksp_, reached(1e-9), PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PETSC_OK(KSPGetPC(ksp_, &pc));
  PETSC_OK(PCSetType(pc, PCSAAMG));
  if (rng_.chance(40)) PETSC_OK(PCSAAMGSetReuse(pc, static_cast<PCSAAMGReuse>(rng_.below(4))));
  coarse_limit_ = rng_.chance(60) ? 4 + rng_.below(40) : 2000;
  PETSC_OK(PCSAAMGSetCoarseLimit(pc, coarse_limit_));
  PETSC_OK(KSPSetFromOptions(ksp_));
  kept_ = false;
}

/* A matrix of another type with the twin's values. */
void Life::convert()
{
  std::swap(before_, A_);
  PETSC_OK(MatConvert(twin_, type().c_str(), MAT_INITIAL_MATRIX, A_.put()));
}

void Life::drift()
{
  VecHandle d, noise;

  PETSC_OK(MatCreateVecs(twin_, d.put(), nullptr));
  PETSC_OK(VecDuplicate(d, noise.put()));
  noise = right_hand_side(twin_, 1 + rng_.below(1000));
  PETSC_OK(VecSet(d, 1));
  PETSC_OK(VecAXPY(d, 0.02, noise));
  both([&](Mat M) { PETSC_OK(MatDiagonalScale(M, d, d)); });
}

void Life::zero_rows()
{
  const PetscInt        N = entry_.rows, count = rng_.below(3);
  std::vector<PetscInt> rows;
  PetscInt              start, end;

  PETSC_OK(MatGetOwnershipRange(A_, &start, &end));
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt row = rng_.below(N);

    if (row >= start && row < end && std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  both([&](Mat M) { PETSC_OK(MatZeroRowsColumns(M, static_cast<PetscInt>(rows.size()), rows.data(), 1, nullptr, nullptr)); });
}

/* Two rows that were not, from whatever rank. */
void Life::couple()
{
  const PetscInt i = rng_.below(entry_.rows), j = rng_.below(entry_.rows);
  PetscMPIInt    rank, size;

  PETSC_OK((PetscErrorCode)MPI_Comm_rank(comm_, &rank));
  PETSC_OK((PetscErrorCode)MPI_Comm_size(comm_, &size));
  const bool mine = rng_.below(size) == rank;

  both([&](Mat M) {
    const PetscInt    at[] = {i, j};
    const PetscScalar v[]  = {1, -1, -1, 1};

    PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    if (mine && i != j) PETSC_OK(MatSetValues(M, 2, at, 2, at, v, ADD_VALUES));
    PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  });
}

/* A NaN in a copy that the solver has for a while: no solve may claim to have converged. */
void Life::spoil()
{
  const PetscInt i = rng_.below(entry_.rows);
  MatHandle      spoilt;
  PetscInt       start, end, its;
  PetscReal      residual;

  KSPConvergedReason reason;

  PETSC_OK(MatDuplicate(A_, MAT_COPY_VALUES, spoilt.put()));
  PETSC_OK(MatGetOwnershipRange(A_, &start, &end));
  if (i >= start && i < end) PETSC_OK(MatSetValue(spoilt, i, i, NAN, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(spoilt, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(spoilt, MAT_FINAL_ASSEMBLY));
  PETSC_OK(KSPSetReusePreconditioner(ksp_, PETSC_FALSE));
  PETSC_OK(KSPSetOperators(ksp_, spoilt, spoilt));
  solve(ksp_, A_, false, &reason, &its, &residual);
  if (reason > 0) fail("converged with a NaN in the matrix");
  PETSC_OK(KSPSetOperators(ksp_, A_, A_));
}

void Life::near_null()
{
  NullHandle space;

  PETSC_OK(MatNullSpaceCreate(comm_, PETSC_TRUE, 0, nullptr, space.put()));
  PETSC_OK(MatSetNearNullSpace(A_, space));
}

void Life::solve(KSP ksp, Mat A, bool transposed, KSPConvergedReason *reason, PetscInt *its, PetscReal *residual) const
{
  VecHandle u = right_hand_side(A, 3), b = right_hand_side(A, 4), x = right_hand_side(A, 5);

  PETSC_OK(MatMult(twin_, u, b)); /* which is symmetric */
  PETSC_OK(VecSet(x, 0));
  PETSC_OK(transposed ? KSPSolveTranspose(ksp, b, x) : KSPSolve(ksp, b, x));
  PETSC_OK(KSPGetConvergedReason(ksp, reason));
  PETSC_OK(KSPGetIterationNumber(ksp, its));
  PETSC_OK(MatMult(twin_, x, u));
  *residual = norm(b) > 0 ? distance(u, b) / norm(b) : 0;
}

void Life::check(bool transposed)
{
  VecHandle          x = right_hand_side(A_, 6), y = right_hand_side(A_, 7), z = right_hand_side(A_, 8);
  KSPConvergedReason reason, reason_of_new;
  PetscInt           its, its_of_new;
  PetscReal          residual, residual_of_new;
  KSPHandle          fresh;
  PC                 pc;
  KSPType            type;

  PETSC_OK(MatMult(twin_, x, y));
  PETSC_OK(MatMult(A_, x, z));
  if (!(distance(y, z) <= 1e3 * PETSC_MACHINE_EPSILON * norm(y))) fail("another product than its twin's");
  PETSC_OK(MatMultTranspose(A_, x, z));
  if (!(distance(y, z) <= 1e3 * PETSC_MACHINE_EPSILON * norm(y))) fail("another transposed product than its twin's");
  solve(ksp_, A_, transposed, &reason, &its, &residual);
  if (reason == 0) fail("no reason");
  if (reason > 0 && !(residual <= 1e-3)) fail("converged, but the residual is " + std::to_string(residual));
  PETSC_OK(KSPCreate(comm_, fresh.put()));
  PETSC_OK(KSPGetType(ksp_, &type));
  PETSC_OK(KSPSetType(fresh, type));
  PETSC_OK(KSPSetTolerances(fresh, reached(1e-9), PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PETSC_OK(KSPGetPC(fresh, &pc));
  PETSC_OK(PCSetType(pc, PCSAAMG));
  PETSC_OK(PCSAAMGSetCoarseLimit(pc, coarse_limit_));
  PETSC_OK(KSPSetFromOptions(fresh));
  PETSC_OK(KSPSetOperators(fresh, A_, A_));
  solve(fresh, A_, transposed, &reason_of_new, &its_of_new, &residual_of_new);
  if (kept_ || reason_of_new < 0) return;
  if (reason < 0 || its > 2 * its_of_new + 8)
    fail(std::to_string(its) + " iterations, " + KSPConvergedReasons[reason] + "; a new solver takes " + std::to_string(its_of_new));
}

void Life::step()
{
  static const char *const names[] = {" another",  " convert",   " drift", " scale",  " zero_rows", " couple", " spoil",  " pcreset",
                                      " kspreset", " near_null", " keep",  " solver", " reuse",     " copy",   " refill", " pmat"};
  const long               which   = rng_.below(static_cast<long>(std::size(names)));
  bool                     pmat    = false;
  PC                       pc;

  done_ += names[which];
  if (trace_) std::cout << where_ << ' ' << which << names[which] << ' ' << entry_.name << ' ' << entry_.rows << std::endl;
  PETSC_OK(KSPGetPC(ksp_, &pc));
  switch (which) {
  case 0:
    another();
    break;
  case 1:
    convert();
    break;
  case 2:
    drift();
    break;
  case 3: {
    const PetscReal factor = std::vector<PetscReal>{1e6, 1e-6, 3, 0.25}[rng_.below(4)];

    both([&](Mat M) { PETSC_OK(MatScale(M, factor)); });
    break;
  }
  case 4:
    zero_rows();
    break;
  case 5:
    couple();
    break;
  case 6:
    spoil();
    break;
  case 7:
    PETSC_OK(PCReset(pc));
    break;
  case 8:
    PETSC_OK(KSPReset(ksp_));
    break;
  case 9:
    near_null();
    break;
  case 10:
    PETSC_OK(KSPSetReusePreconditioner(ksp_, (kept_ = rng_.chance(50)) ? PETSC_TRUE : PETSC_FALSE));
    break;
  case 11:
    solver();
    break;
  case 12:
    PETSC_OK(PCSAAMGSetReuse(pc, static_cast<PCSAAMGReuse>(rng_.below(4))));
    break;
  case 13: {
    std::swap(before_, A_);
    PETSC_OK(MatDuplicate(before_, MAT_COPY_VALUES, A_.put()));
    break;
  }
  case 14:
    both([&](Mat M) {
      PETSC_OK(MatZeroEntries(M));
      fill(entry_, M);
    });
    break;
  default:
    pmat = true;
  }
  if (which == 6) PETSC_OK(KSPSetReusePreconditioner(ksp_, (kept_ = false) ? PETSC_TRUE : PETSC_FALSE));
  PETSC_OK(KSPSetOperators(ksp_, A_, pmat ? static_cast<Mat>(twin_) : static_cast<Mat>(A_)));
  check(rng_.chance(20));
}

void one(std::uint64_t seed, PetscInt steps)
{
  Rng                                rng(seed);
  PetscMPIInt                        rank, size;
  MPI_Comm                           twice, parts;
  std::vector<std::unique_ptr<Life>> lives;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  MPI_Comm_dup(PETSC_COMM_WORLD, &twice);
  MPI_Comm_split(PETSC_COMM_WORLD, rank % 2, -rank, &parts);
  lives.push_back(std::make_unique<Life>(PETSC_COMM_WORLD, "world", seed * 7));
  lives.push_back(std::make_unique<Life>(twice, "duplicate", seed * 7 + 1));
  lives.push_back(std::make_unique<Life>(parts, "part", seed * 7 + 2 + static_cast<std::uint64_t>(rank % 2)));
  lives.push_back(std::make_unique<Life>(PETSC_COMM_SELF, "self", seed * 7 + 4 + static_cast<std::uint64_t>(rank)));
  for (PetscInt k = 0; k < steps; k++) lives[static_cast<std::size_t>(rng.below(static_cast<long>(lives.size())))]->step();
  while (!lives.empty()) lives.erase(lives.begin() + rng.below(static_cast<long>(lives.size())));
  MPI_Comm_free(&twice);
  MPI_Comm_free(&parts);
}

const AddTests add([] {
  add_test(suite_named(nullptr, "fuzz_life"), "solvers", [] {
    const PetscInt first = number_option("-fuzz_first", 1), count = number_option("-fuzz_count", 20), steps = number_option("-fuzz_steps", 24);

    for (PetscInt seed = first; seed < first + count; seed++) {
      if (number_option("-fuzz_trace", 0)) std::cout << "seed " << seed << std::endl;
      one(static_cast<std::uint64_t>(seed), steps);
    }
  });
});

} // namespace
