#include "value_sketch.hpp"
#include "core/launch/staged_rows.hpp"
#include "core/util/hash.hpp"
#include "local_rows.hpp"
#include "parallel/renumber.hpp"
#include <cmath>

namespace goza::saamg {
namespace {

/* a times 1 or -1, or, where that is a complex number, a fourth root of unity: of the sum's two parts added up no change of an entry is then lost for all. */
HD PetscScalar signed_by(std::uint32_t hash, PetscScalar a)
{
#if PetscDefined(USE_COMPLEX)
  if (hash >> 30 & 1) a = PetscScalar(-PetscImaginaryPart(a), PetscRealPart(a));
#endif
  return hash >> 31 ? a : -a;
}

/* Counts rows that have changed. before: null where there was nothing. */
struct SketchedRow {
  static constexpr bool walks_along_row = true;

  AijRowsView        A;
  GlobalNumber       number;
  const PetscScalar *dinv;
  const float       *before;
  float             *now;

  HD SketchedRow on(Columns c, Values v) const { return {A.on(c, v), number, dinv, before, now}; }

  HD void operator()(PetscInt i, std::int64_t *changed) const
  {
    PetscScalar sum = 0;

    A.for_each_entry(i, [&](PetscInt j, PetscScalar a) { sum += signed_by(scattered(number(j)), a); });
    sum *= dinv[i];
    now[i] = static_cast<float>(PetscRealPart(sum) + PetscImaginaryPart(sum));
    *changed += !before || !(std::abs(now[i] - before[i]) <= 0.1f * (1 + std::abs(before[i]))); // a NaN is a change
  }
};

} // namespace

bool nearly_same(const Csr &A, const LocalColumns &columns, const Array<PetscScalar> &dinv, const ValueSketch &before, ValueSketch &now)
{
  now = ValueSketch(A.space, A.nrows, unset);

  const float *known   = before.size() == now.size() ? before.data() : nullptr;
  auto         changed = joined_csr_rows<Plus, 1, std::int64_t>(A, 1, SketchedRow{rows_of(A), GlobalNumber(columns), dinv.data(), known, now.data()});

  columns.sum(changed.data(), 1);
  return 1000 * changed[0] <= columns.nglobal();
}

} // namespace goza::saamg
