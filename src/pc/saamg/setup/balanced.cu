#include "balanced.hpp"
#include "core/launch/staged_rows.hpp"
#include "row_lanes.hpp"

namespace goza::saamg {
namespace {

HD void root_of_inverse(PetscInt i, const PetscScalar *dinv, PetscReal *root) { root[i] = PetscSqrtReal(PetscAbsScalar(dinv[i])); }

/* Rows: has for_each_entry(). */
template <class Rows> struct BalanceRow {
  static constexpr bool by_lanes = has_lanes<Rows>;

  Rows               A;
  const PetscReal   *root; // [columns] of |1 / a_ii|
  const PetscScalar *dinv;
  PetscScalar       *balanced;

  HD BalanceRow on(Columns c, Values v) const { return {A.on(c, v), root, dinv, balanced}; }

  HD void operator()(PetscInt i) const { (*this)(i, 0, 1); }
  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    PetscReal sum = 0;

    for_each_entry_of(A, i, lane, lanes, [&](PetscInt j, PetscScalar a) { sum += PetscAbsScalar(a) * root[j]; });
    sum = sum_of_lanes(sum, lanes);
    if (by_lanes && lane > 0) return;
    const PetscReal over = sum * root[i] / most_balanced;

    balanced[i] = over > 1 && over - over == 0 ? dinv[i] / over : dinv[i];
  }
};

} // namespace

Array<PetscScalar> balanced_inverse(const StoredRows &rows, const ColumnMap &columns, const CsrFacts &facts)
{
  const Csr         &A     = rows.A;
  const Space        space = A.space;
  Array<PetscReal>   root(space, columns.nlocal());
  Array<PetscScalar> balanced(space, A.nrows);

  for_each_row(space, A.nrows, bound<root_of_inverse>(facts.dinv.data(), root.data()));
  columns.update(root);
  if (const auto *cds = columns.size() == 1 ? rows.diagonals() : nullptr)
    for_each_row(space, A.nrows, BalanceRow<mat::CdsEntries<const PetscScalar>>{entries_of(*cds), root.data(), facts.dinv.data(), balanced.data()});
  else for_each_csr_row(A, 1, BalanceRow<AijRowsView>{rows_of(A), root.data(), facts.dinv.data(), balanced.data()});
  return balanced;
}

} // namespace goza::saamg
