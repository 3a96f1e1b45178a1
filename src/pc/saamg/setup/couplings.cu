#include "couplings.hpp"
#include "core/launch/row_sums.hpp"
#include "core/launch/staged_rows.hpp"
#include "core/util/hash.hpp"
#include "row_lanes.hpp"
#include "strength_rows.hpp"
#include "tuning.hpp"
#include <algorithm>

namespace goza::saamg {
namespace {

constexpr int numbers_of_couplings = 8 + Couplings::cuts; // that rows add up to

/* Of each row: its couplings, the weak ones, and whether it has entries of the diagonal's sign. */
template <class Rows> struct RowCouplings {
  static constexpr bool walks_along_row = true, by_lanes = has_lanes<Rows>;

  Rows               A;
  const PetscScalar *dinv; // [columns] 0: coupled to nothing

  HD RowCouplings on(Columns c, Values v) const { return {A.on(c, v), dinv}; }

  HD void operator()(PetscInt i, std::int64_t *count) const { (*this)(i, 0, 1, count); }

  HD void operator()(PetscInt i, int lane, int lanes, std::int64_t *count) const
  {
    PetscReal same_sign = 0, sum = 0, largest = 0, smallest = PETSC_MAX_REAL, least = PETSC_MAX_REAL; // least: of strength2()
    int       edges = 0, weak = 0, minor = 0, below[Couplings::cuts] = {};

    for_each_entry_of(A, i, lane, lanes, [&](PetscInt j, PetscScalar a) {
      const PetscReal squared = strength2(i, j, a), size = PetscAbsScalar(a);

      if (!coupling(i, j, squared)) return;
      edges++;
      sum += size;
      smallest                    = PetscMin(smallest, size);
      least                       = PetscMin(least, squared);
      const PetscReal of_diagonal = PetscRealPart(a * dinv[i]);

      same_sign += PetscMax(of_diagonal, 0);
      largest = PetscMax(largest, of_diagonal > 0 ? 0 : size);
    });
    edges                   = sum_of_lanes(edges, lanes);
    sum                     = sum_of_lanes(sum, lanes);
    smallest                = -most_of_lanes(-smallest, lanes);
    least                   = -most_of_lanes(-least, lanes);
    same_sign               = sum_of_lanes(same_sign, lanes);
    largest                 = most_of_lanes(largest, lanes);
    const PetscReal squared = static_cast<PetscReal>(edges) * static_cast<PetscReal>(edges);
    const float     half = static_cast<float>(edges ? sum / (2 * edges) : 0), strong = static_cast<float>(Couplings::strong_share * largest);
    const auto      share2 = [squared](PetscReal of_diagonals) { return static_cast<float>(of_diagonals * squared); };
    const auto      cut2   = [](int k) { return static_cast<float>(PetscSqr(Couplings::cut(k))); };

    if (edges &&
        (same_sign > 0 || static_cast<float>(smallest) < PetscMax(half, strong) || share2(least) < cut2(Couplings::cuts - 1))) { // else they are all alike
      for_each_entry_of(A, i, lane, lanes, [&](PetscInt j, PetscScalar a) {
        const PetscReal of_diagonals = strength2(i, j, a);

        if (!coupling(i, j, of_diagonals)) return;
        const float size = static_cast<float>(PetscAbsScalar(a));

        weak += size < half;
        minor += PetscRealPart(a * dinv[i]) > 0 || size < strong;
        const float share = share2(of_diagonals);

        if (share < cut2(Couplings::cuts - 1)) {
          for (int k = 0; k < Couplings::cuts; k++) below[k] += share < cut2(k);
        }
      });
    }
    count[3] += weak; // of a lane's entries
    count[5] += minor;
    for (int k = 0; k < Couplings::cuts; k++) count[8 + k] += below[k];
    if (lane > 0) return;
    count[0] += edges > 0;
    count[1] += static_cast<float>(same_sign) > 0.01f;
    count[2] += edges;
    count[4] += static_cast<std::int64_t>(edges) * edges;
    count[6] += static_cast<float>(largest * PetscAbsScalar(dinv[i])) > static_cast<float>(Couplings::ruled_share);
    count[7] += static_cast<float>(same_sign) > static_cast<float>(Couplings::steep_share);
  }

private:
  HD static bool coupling(PetscInt i, PetscInt j, PetscReal strength2)
  {
    const PetscReal rounding = PetscSqr(64 * PETSC_MACHINE_EPSILON);

    return j != i && strength2 > rounding;
  }
  HD PetscReal strength2(PetscInt i, PetscInt j, PetscScalar a) const { return PetscRealPart(a * PetscConj(a)) * PetscAbsScalar(dinv[i] * dinv[j]); }
};

/* The same of some rows: of runs of them, which lie evenly among all that there are. */
template <class Rows> struct SomeCouplings {
  static constexpr bool     walks_along_row = true;
  static constexpr PetscInt run             = 32;

  RowCouplings<Rows> row;
  PetscInt           runs, all; // of so many

  HD void operator()(PetscInt k, std::int64_t *count) const { row(run * somewhere_in_part(k / run, runs, all) + k % run, count); }
};

#if defined(__CUDACC__)
/* The same where all rows are gone through, since long ones then have a warp each. */
struct ChosenCouplings {
  static constexpr bool by_lanes = true;

  SomeCouplings<AijRowsView> some;

  HD ChosenCouplings on(Columns c, Values v) const { return {{some.row.on(c, v), some.runs, some.all}}; }

  HD void operator()(PetscInt i, std::int64_t *count) const { (*this)(i, 0, 1, count); }
  HD void operator()(PetscInt i, int lane, int lanes, std::int64_t *count) const
  {
    const std::int64_t its_run = i / SomeCouplings<AijRowsView>::run;

    if (its_run < some.all && somewhere_in_part(((its_run + 1) * some.runs - 1) / some.all, some.runs, some.all) == its_run) some.row(i, lane, lanes, count);
  }
};
#endif

HD void dinv_of_coupled(PetscInt i, const PetscScalar *dinv, const unsigned char *isolated, PetscScalar *of_coupled)
{
  of_coupled[i] = isolated[i] ? PetscScalar(0) : dinv[i];
}

/* Entries of a row in the sample, of which each of so many indices takes some, and those that are strong. */
struct CountSample {
  static constexpr bool     walks_along_row = true;
  static constexpr PetscInt each            = 8;

  Csr          A;
  std::int64_t rows; // in the sample
  float        cut;  // see strength_cut()

  HD PetscReal diagonal(PetscInt i) const
  {
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++)
      if (A.col[p] == i) return PetscAbsScalar(A.val[p]);
    return 0;
  }
  HD void operator()(PetscInt k, std::int64_t *count) const
  {
    const PetscInt  i = somewhere_in_part(k / each, rows, A.nrows);
    const PetscReal d = diagonal(i);

    for (PetscInt p = A.ptr[i] + k % each; p < A.ptr[i + 1]; p += each) {
      const PetscInt    j = A.col[p];
      const PetscScalar a = A.val[p];

      if (j == i || j >= A.nrows || a == PetscScalar(0)) continue;
      const PetscReal product = d * diagonal(j);

      count[0]++;
      count[1] += product > 0 && static_cast<float>(PetscRealPart(a * PetscConj(a)) / product) > cut;
    }
  }
};

} // namespace

PetscReal share_of_strong(const Csr &A, PetscReal threshold)
{
  constexpr PetscInt most = 512;
  const PetscInt     rows = PetscMin(A.nrows, most);

  const std::vector<std::int64_t> n = joined_rows<Plus, 2, std::int64_t>(A.space, rows * CountSample::each, CountSample{A, rows, strength_cut(threshold)});
  return n[0] ? static_cast<PetscReal>(n[1]) / static_cast<PetscReal>(n[0]) : 1;
}

/* Of one row in `part`, or all(row); rows on a device: all(row), too. */
template <class Rows, class All>
static std::vector<std::int64_t> count_couplings(Space space, PetscInt n, const RowCouplings<Rows> &row, PetscInt part, const All &all)
{
  using Some          = SomeCouplings<Rows>;
  const PetscInt runs = n / Some::run / part;

  if (part == 1) return all(row);
#if defined(__CUDACC__)
  if constexpr (has_lanes<Rows>)
    if (space == Space::Cuda) return all(ChosenCouplings{{row, runs, n / Some::run}});
#endif
  return joined_rows<Plus, numbers_of_couplings, std::int64_t>(space, runs * Some::run, Some{row, runs, n / Some::run});
}

static Couplings couplings_of(const StoredRows &rows, const ColumnMap &columns, const Array<PetscScalar> &dinv, PetscInt part)
{
  const Csr                &A     = rows.A;
  const Space               space = A.space;
  std::vector<std::int64_t> n;
  Couplings                 found;

  if (const auto *cds = columns.size() == 1 && (space == Space::Cuda || rows.no_rows()) ? rows.diagonals() : nullptr) { // a host takes less by rows
    n = count_couplings(space, A.nrows, RowCouplings<mat::CdsEntries<const PetscScalar>>{entries_of(*cds), dinv.data()}, part,
                        [&](const auto &row) { return joined_rows<Plus, numbers_of_couplings, std::int64_t>(space, A.nrows, row); });
  } else {
    n = count_couplings(space, A.nrows, RowCouplings<AijRowsView>{rows_of(A), dinv.data()}, part,
                        [&](const auto &row) { return joined_csr_rows<Plus, numbers_of_couplings, std::int64_t>(A, 1, row); });
  }
  columns.sum(n.data(), numbers_of_couplings);
  found = {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]};
  std::copy(n.begin() + 8, n.end(), found.below);
  return found;
}

Couplings couplings_of(const StoredRows &rows, const ColumnMap &columns, const CsrFacts &facts)
{
  const Csr         &A    = rows.A;
  const PetscInt     part = PetscMax(1, columns.nglobal() / some_rows);
  Array<PetscScalar> dinv(A.space, columns.nlocal(), unset);

  for_each_row(A.space, A.nrows, bound<dinv_of_coupled>(facts.dinv.data(), facts.isolated.data(), dinv.data()));
  columns.update(dinv);
  const auto of_rows = [&](PetscInt in) {
    Couplings found = couplings_of(rows, columns, dinv, in);

    found.diagonal_sign = facts.positive == facts.negative ? 0 : facts.positive ? 1 : -1;
    return found;
  };
  const Couplings some = of_rows(part);

  return part == 1 || (some.plain() && some.with_more().plain()) ? some : of_rows(1);
}

} // namespace goza::saamg
