#include "couplings.hpp"
#include "core/launch/row_sums.hpp"
#include "core/launch/staged_rows.hpp"

namespace goza::saamg
{

namespace
{

/* Of each row: its couplings, the weak ones, and whether it has entries of the diagonal's sign. */
struct RowCouplings {
  const PetscInt    *ptr;
  Columns            col;
  Values             val;
  const PetscScalar *dinv; // [columns] 0: coupled to nothing
  PetscInt          *edges, *weak, *positive;

  HD RowCouplings on(Columns c, Values v) const { return {ptr, c, v, dinv, edges, weak, positive}; }

  HD void operator()(PetscInt i) const
  {
    PetscReal same_sign = 0, sum = 0;
    PetscInt  n = 0, below = 0;

    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      if (!coupling(i, p)) continue;
      n++;
      sum += PetscAbsScalar(val[p]);
      same_sign += PetscMax(PetscRealPart(val[p] * dinv[i]), 0);
    }
    const PetscReal half = n ? sum / (2 * n) : 0;

    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) below += coupling(i, p) && static_cast<float>(PetscAbsScalar(val[p])) < static_cast<float>(half);
    edges[i]    = n;
    weak[i]     = below;
    positive[i] = static_cast<float>(same_sign) > 0.01f;
  }

private:
  HD bool coupling(PetscInt i, PetscInt p) const
  {
    const PetscReal rounding = PetscSqr(64 * PETSC_MACHINE_EPSILON);

    return col[p] != i && PetscRealPart(val[p] * PetscConj(val[p])) * PetscAbsScalar(dinv[i] * dinv[col[p]]) > rounding;
  }
};

struct CountCouplings {
  const PetscInt *edges, *weak, *positive;

  static constexpr int n = 5;

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    const std::int64_t of_row = edges[i];

    count[0] += of_row > 0;
    count[1] += positive[i];
    count[2] += of_row;
    count[3] += weak[i];
    count[4] += of_row * of_row;
  }
};

struct OfCoupled {
  const PetscScalar  *dinv;
  const std::int64_t *isolated;
  PetscScalar        *of_coupled;

  HD void operator()(PetscInt i) const { of_coupled[i] = isolated[i] ? PetscScalar(0) : dinv[i]; }
};

} // namespace

Couplings couplings_of(const Csr &A, const ColumnMap &columns, const CsrFacts &facts)
{
  const Space         space = A.space;
  Array<PetscScalar>  dinv(space, columns.nlocal());
  Array<PetscInt>     edges(space, A.nrows), weak(space, A.nrows), positive(space, A.nrows);
  Array<std::int64_t> counts(space, CountCouplings::n);

  for_each_row(space, A.nrows, OfCoupled{facts.dinv.data(), facts.isolated.data(), dinv.data()});
  columns.update(dinv);
  for_each_csr_row(A, 1, RowCouplings{A.ptr, A.col, A.val, dinv.data(), edges.data(), weak.data(), positive.data()});
  join_rows<Plus, CountCouplings::n>(space, A.nrows, CountCouplings{edges.data(), weak.data(), positive.data()}, counts.data());
  std::vector<std::int64_t> count = counts.to_host();
  columns.sum(count.data(), CountCouplings::n);
  return {count[0], count[1], count[2], count[3], count[4]};
}

} // namespace goza::saamg
