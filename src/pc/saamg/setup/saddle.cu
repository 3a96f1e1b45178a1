#include "saddle.hpp"
#include "core/launch/row_sums.hpp"
#include "core/launch/staged_rows.hpp"

namespace goza::saamg {
namespace {

/* Of rows without a diagonal entry: how many lead to none of their kind. Of those whose diagonal entry is positive and of those where it is negative: how many
   there are, and to how many the rows of the other sign, by a_ij a_ji / a_jj, add a good part of what stands on their own diagonal: 0.56 of equal elements'
   pressures in a plane. Rows: has for_each_entry(). */
template <class Rows> struct LooksLikeSaddle {
  static constexpr bool walks_along_row = true;
  static constexpr int  numbers         = 5;

  Rows                 A;
  const PetscScalar   *dinv; // [columns]
  const unsigned char *isolated;

  HD LooksLikeSaddle on(Columns c, Values v) const { return {A.on(c, v), dinv, isolated}; }

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    const PetscReal own    = PetscRealPart(dinv[i]);
    PetscReal       sum    = 0;
    bool            hollow = false;

    if (isolated[i]) return;
    A.for_each_entry(i, [&](PetscInt j, PetscScalar a) {
      const PetscReal other = PetscRealPart(dinv[j]);

      if (j == i || a == PetscScalar(0)) return;
      hollow = hollow || dinv[j] == PetscScalar(0);
      if (own > 0 ? other < 0 : other > 0) sum += PetscRealPart(a * PetscConj(a)) * PetscAbsReal(other);
    });
    if (dinv[i] == PetscScalar(0)) count[0] += !hollow;
    else {
      const int sign = own < 0;

      count[1 + sign]++;
      count[3 + sign] += static_cast<float>(sum * PetscAbsReal(own)) > 0.1f;
    }
  }
};

} // namespace

Saddle saddle_of(const StoredRows &rows, const ColumnMap &columns, const CsrFacts &facts, bool real_diagonal)
{
  constexpr int numbers = LooksLikeSaddle<AijRowsView>::numbers;
  const Csr    &A       = rows.A;
  const Space   space   = A.space;
  const bool    signs   = real_diagonal && facts.positive && facts.negative;
  Saddle        found{facts.coupled, 0, 0};

  if (!facts.hollow && !signs) return found;
  Array<PetscScalar>  dinv(space, columns.nlocal(), unset);
  Array<std::int64_t> counts(space, numbers);

  dinv.copy_from(facts.dinv.data(), A.nrows);
  columns.update(dinv);
  if (const auto *cds = columns.size() == 1 ? rows.diagonals() : nullptr) {
    join_rows<Plus, numbers>(space, A.nrows, LooksLikeSaddle<mat::CdsEntries<const PetscScalar>>{entries_of(*cds), dinv.data(), facts.isolated.data()},
                             counts.data());
  } else join_csr_rows<Plus, numbers>(A, 1, LooksLikeSaddle<AijRowsView>{rows_of(A), dinv.data(), facts.isolated.data()}, counts.data());
  std::vector<std::int64_t> n = counts.to_host();

  columns.sum(n.data(), numbers);
  found.hollow  = n[0];
  found.against = !signs ? 0 : n[n[2] <= n[1] ? 4 : 3];
  return found;
}

} // namespace goza::saamg
