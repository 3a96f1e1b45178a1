#include "contraction.hpp"
#include "core/launch/row_sums.hpp"
#include "pc/saamg/setup/lanczos.hpp"
#include "pc/saamg/setup/level_product.hpp"

namespace goza::saamg {

static HD void noise_at(PetscInt i, const NodeIds &ids, const PetscScalar *dinv, PetscScalar *r) { r[i] = hashed_entry(ids.of_row(i), dinv[i]); }

/* |correction|^2, and of the error before and after it */
template <class V> static HD void correct_error(PetscInt i, PetscScalar *sum, const V *correction, PetscScalar *error)
{
  const PetscScalar c = static_cast<PetscScalar>(correction[i]), before = error[i], after = before - c;

  error[i] = after;
  sum[0] += PetscConj(c) * c;
  sum[1] += PetscConj(before) * before;
  sum[2] += PetscConj(after) * after;
}

/* r' e, and how many entries of r are not zero */
static HD void sum_energy(PetscInt i, PetscScalar *sum, const PetscScalar *r, const PetscScalar *error)
{
  sum[0] += PetscConj(r[i]) * error[i];
  sum[1] += r[i] != PetscScalar(0) ? 1 : 0;
}

/* |N - M|^2, |M|^2 */
template <class V> static HD void sum_difference(PetscInt i, PetscScalar *sum, const V *M, const PetscScalar *N)
{
  const PetscScalar m = static_cast<PetscScalar>(M[i]), d = N[i] - m;

  sum[0] += PetscConj(d) * d;
  sum[1] += PetscConj(m) * m;
}

void noise(const Grid &grid, PetscScalar *r)
{
  const CsrLevel &level = *grid.level;

  for_each_row(level.A.space, level.A.nrows, bound<noise_at>(level.ids(grid.bs), level.dinv.data(), r));
}

PetscErrorCode TrialCycles::contraction(Cycle &M, PetscReal enough, PetscReal *left)
{
  const CsrLevel &level  = *finest_.level;
  const Space     space  = level.A.space;
  const PetscInt  n      = level.A.nrows;
  const bool      narrow = M.narrow_solution(); // a correction stays in the cycle
  constexpr int   steps = 2, found = 3, energy = 2;
  PetscReal       length[steps] = {0, 0};

  PetscFunctionBegin;
  PetscCall(Together(columns().comm(), "hold the vectors of a trial cycle", [&] {
    residual_ = Array<PetscScalar>(space, n);
    noise(finest_, residual_.data());
    finest_.spare_inverse(); // a device has never held more than in this trial
    correction_ = Array<PetscScalar>(space, narrow ? 0 : n);
    error_      = Array<PetscScalar>(space, columns().nlocal());
    squares_    = Array<PetscScalar>(space, found + energy);
  }));
  PetscCall(M.apply(residual_.data(), error_.data()));
  PetscCall(Together(columns().comm(), "measure a trial's noise", [&] {
    join_rows<Plus, energy>(space, n, bound<sum_energy>(std::as_const(residual_).data(), std::as_const(error_).data()), squares_.data() + found);
    columns().sum_here(squares_.data() + found, energy);
  }));
  for (int step = 0; step < steps; step++) {
    PetscCall(Together(columns().comm(), "multiply for a trial cycle", [&] { LevelProduct{level.A, columns(), exact_}(error_, residual_); }));
    PetscCall(M.apply(residual_.data(), correction_.data(), narrow));
    PetscCall(Together(columns().comm(), "judge a trial cycle", [&] {
      if (narrow) join_rows<Plus, found>(space, n, bound<correct_error<SingleScalar>>(M.narrow_solution(), error_.data()), squares_.data());
      else join_rows<Plus, found>(space, n, bound<correct_error<PetscScalar>>(correction_.data(), error_.data()), squares_.data());
      columns().sum_here(squares_.data(), found);
      const std::vector<PetscScalar> length2 = squares_.to_host();

      length[step] = PetscSqrtReal(PetscRealPart(length2[0]));
      if (step == 0) {
        *left      = PetscSqrtReal(PetscRealPart(length2[2] / length2[1]));
        remaining_ = *left * PetscAbsScalar(length2[found]) / PetscMax(PetscRealPart(length2[found + 1]) / 3, 1); /* 1/3: the mean square of its numbers */
      }
    }));
    if (step == 0 && *left <= enough) PetscFunctionReturn(PETSC_SUCCESS);
  }
  *left = length[1] / length[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TrialCycles::difference(const Cycle &M, Cycle &N, PetscReal *share)
{
  const Space    space = finest_.level->A.space;
  const PetscInt n     = finest_.level->A.nrows;

  PetscFunctionBegin;
  PetscCall(N.apply(residual_.data(), error_.data()));
  PetscCall(Together(columns().comm(), "compare trial cycles", [&] {
    if (M.narrow_solution()) join_rows<Plus, 2>(space, n, bound<sum_difference<SingleScalar>>(M.narrow_solution(), error_.data()), squares_.data());
    else join_rows<Plus, 2>(space, n, bound<sum_difference<PetscScalar>>(correction_.data(), error_.data()), squares_.data());
    columns().sum_here(squares_.data(), 2);
    const std::vector<PetscScalar> length2 = squares_.to_host();

    *share = PetscSqrtReal(PetscRealPart(length2[0] / length2[1]));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
