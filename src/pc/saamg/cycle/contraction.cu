#include "contraction.hpp"
#include "core/launch/row_sums.hpp"
#include "pc/saamg/setup/lanczos.hpp"
#include "pc/saamg/setup/level_product.hpp"

namespace goza::saamg
{

namespace
{

struct Noise {
  NodeIds            ids;
  const PetscScalar *dinv;
  PetscScalar       *r;

  HD void operator()(PetscInt i) const { r[i] = hashed_entry(ids.of_row(i), dinv[i]); }
};

template <class V> struct Correct {
  const V     *correction;
  PetscScalar *error;

  HD void operator()(PetscInt i, PetscScalar *sum) const
  {
    const PetscScalar c = static_cast<PetscScalar>(correction[i]);

    error[i] -= c;
    *sum += PetscConj(c) * c;
  }
};

} // namespace

void noise(const Grid &grid, PetscScalar *r)
{
  const CsrLevel &level = *grid.level;

  for_each_row(level.A.space, level.A.nrows, Noise{level.ids(grid.bs), level.dinv.data(), r});
}

PetscErrorCode FindContraction(Cycle &cycle, const Grid &finest, ParOperator<PetscScalar> *exact, PetscReal *contraction)
{
  const CsrLevel    &level   = *finest.level;
  const ColumnMap   &columns = *level.columns;
  const Space        space   = level.A.space;
  const PetscInt     n       = level.A.nrows;
  const bool         narrow  = cycle.narrow_solution(); // a correction stays in the cycle
  constexpr int      steps   = 2;
  Array<PetscScalar> residual(space), correction(space), error(space), squares(space);

  PetscFunctionBegin;
  PetscCall(Together(columns.comm(), "hold the vectors of a trial cycle", [&] {
    residual.resize(n);
    noise(finest, residual.data());
    finest.spare_inverse(); // a device has never held more than in this trial
    correction.resize(narrow ? 0 : n);
    error.resize(columns.nlocal());
    squares.resize(steps);
  }));
  PetscCall(cycle.apply(residual.data(), error.data()));
  for (int step = 0; step < steps; step++) {
    PetscCall(Together(columns.comm(), "multiply for a trial cycle", [&] { LevelProduct{level.A, columns, exact}(error, residual); }));
    PetscCall(cycle.apply(residual.data(), correction.data(), {false, narrow}));
    PetscCall(Guarded([&] {
      if (narrow) join_rows<Plus, 1>(space, n, Correct<SingleScalar>{cycle.narrow_solution(), error.data()}, squares.data() + step);
      else join_rows<Plus, 1>(space, n, Correct<PetscScalar>{correction.data(), error.data()}, squares.data() + step);
    }));
  }
  PetscCall(Together(columns.comm(), "judge a trial cycle", [&] {
    columns.sum_here(squares.data(), steps);
    const std::vector<PetscScalar> length2 = squares.to_host();

    *contraction = PetscSqrtReal(PetscRealPart(length2[1] / length2[0]));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
