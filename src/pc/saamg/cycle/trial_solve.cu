#include "trial_solve.hpp"
#include "contraction.hpp"
#include "core/launch/row_sums.hpp"
#include "core/util/thread_clock.hpp"
#include "pc/saamg/setup/level_product.hpp"

namespace goza::saamg {

static HD void trial_dot(PetscInt i, PetscScalar *sum, const PetscScalar *dinv, const PetscScalar *x, const PetscScalar *y)
{
  *sum += PetscAbsScalar(dinv[i]) * PetscConj(x[i]) * y[i];
}

static HD void trial_add(PetscInt i, PetscScalar a, PetscScalar scale, const PetscScalar *x, PetscScalar *y) { y[i] = scale * y[i] + a * x[i]; }

static double trial_seconds(Space space)
{
  if (space == Space::Host) return thread_seconds();
  device::synchronize();
  return static_cast<double>(MPI_Wtime());
}

/* What body() takes where its work is. */
template <class Body> static PetscErrorCode TimedTrial(Space space, double *seconds, Body &&body)
{
  double begin = 0;

  PetscFunctionBegin;
  PetscCall(Guarded([&] { begin = trial_seconds(space); }));
  PetscCall(body());
  PetscCall(Guarded([&] { *seconds = PetscMin(*seconds, trial_seconds(space) - begin); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void TrialSolve::hold(int products)
{
  const Space    space = finest_.level->A.space;
  const PetscInt n     = finest_.level->A.nrows;

  for (Array<PetscScalar> *a : {&start_, &residual_})
    if (a->space() != space || a->size() != static_cast<std::size_t>(n)) *a = Array<PetscScalar>(space, n);
  if (!correction_.size()) correction_ = Array<PetscScalar>(space, columns().nlocal());
  if (!sums_.size()) sums_ = Array<PetscScalar>(space, 1);
  while (products_.size() < static_cast<std::size_t>(products)) products_.emplace_back(space, n);
}

PetscScalar TrialSolve::dot(const PetscScalar *x, const PetscScalar *y)
{
  join_rows<Plus, 1>(finest_.level->A.space, finest_.level->A.nrows, bound<trial_dot>(finest_.level->dinv.data(), x, y), sums_.data());
  columns().sum_here(sums_.data(), 1);
  return sums_.to_host()[0];
}

PetscErrorCode TrialSolve::begin(Cycle &M)
{
  const CsrLevel &level = *finest_.level;

  PetscFunctionBegin;
  PetscCall(Together(columns().comm(), "hold the vectors of a trial", [&] {
    hold(1);
    noise(finest_, residual_.data());
  }));
  PetscCall(M.apply(residual_.data(), correction_.data()));
  PetscCall(Together(columns().comm(), "multiply for a trial", [&] { LevelProduct{level.A, columns(), exact_}(correction_, start_); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes the part along the k-th product out of the residual; what the residual's length is then. */
PetscReal TrialSolve::step(int k)
{
  const Space    space = finest_.level->A.space;
  const PetscInt n     = finest_.level->A.nrows;
  PetscScalar   *v     = products_[k].data();

  for (int j = 0; j < k; j++) for_each_row(space, n, bound<trial_add>(-dot(products_[j].data(), v), 1, products_[j].data(), v));
  const PetscReal length = PetscSqrtReal(PetscRealPart(dot(v, v)));

  for_each_row(space, n, bound<trial_add>(0, length > 0 ? PetscScalar(1 / length) : PetscScalar(0), v, v));
  for_each_row(space, n, bound<trial_add>(-dot(v, residual_.data()), 1, v, residual_.data()));
  return PetscSqrtReal(PetscRealPart(dot(residual_.data(), residual_.data())));
}

PetscErrorCode TrialSolve::run(Cycle &M, Result *result)
{
  const CsrLevel &level = *finest_.level;
  double          cycle = std::numeric_limits<double>::max(), product = cycle;
  PetscReal       before = 0, now = 0;

  PetscFunctionBegin;
  PetscCall(Together(columns().comm(), "hold the vectors of a trial", [&] {
    hold(most_iterations);
    residual_.copy_from(start_.data(), level.A.nrows);
    before = PetscSqrtReal(PetscRealPart(dot(start_.data(), start_.data())));
  }));
  for (int k = 0; k < most_iterations && (k == 0 || now > enough * before); k++) {
    PetscCall(TimedTrial(level.A.space, &cycle, [&] { return M.apply(residual_.data(), correction_.data()); }));
    PetscCall(TimedTrial(level.A.space, &product, [&] {
      return Together(columns().comm(), "multiply for a trial", [&] { LevelProduct{level.A, columns(), exact_}(correction_, products_[k]); });
    }));
    PetscCall(Together(columns().comm(), "judge a trial", [&] { now = step(k); }));
    result->iterations = k + 1;
  }
  result->left    = before > 0 ? now / before : 1;
  result->seconds = cycle + product;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
