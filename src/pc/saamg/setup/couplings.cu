#include "couplings.hpp"
#include "core/launch/row_sums.hpp"
#include "core/launch/staged_rows.hpp"

namespace goza::saamg
{

namespace
{

constexpr int numbers_of_couplings = 6; // that rows add up to

/* Of each row: its couplings, the weak ones, and whether it has entries of the diagonal's sign. */
template <class Rows> struct RowCouplings {
  Rows               A;
  const PetscScalar *dinv; // [columns] 0: coupled to nothing

  struct Found {
    PetscInt edges = 0, weak = 0, slight = 0;
    bool     positive = false;
  };

  HD Found of_row(PetscInt i) const
  {
    PetscReal same_sign = 0, sum = 0;
    Found     found;

    A.for_each_entry(i, [&](PetscInt j, PetscScalar a) {
      if (!coupling(i, j, a)) return;
      found.edges++;
      sum += PetscAbsScalar(a);
      same_sign += PetscMax(PetscRealPart(a * dinv[i]), 0);
    });
    const float half = static_cast<float>(found.edges ? sum / (2 * found.edges) : 0);

    A.for_each_entry(i, [&](PetscInt j, PetscScalar a) {
      if (!coupling(i, j, a)) return;
      found.weak += static_cast<float>(PetscAbsScalar(a)) < half;
      found.slight += static_cast<float>(strength2(i, j, a) * found.edges * found.edges) < static_cast<float>(PetscSqr(Couplings::slight_share));
    });
    found.positive = static_cast<float>(same_sign) > 0.01f;
    return found;
  }

  HD void operator()(PetscInt i, std::int64_t *sum) const { add(of_row(i), sum); }

  HD static void add(const Found &found, std::int64_t *sum)
  {
    const std::int64_t of_row = found.edges;

    sum[0] += of_row > 0;
    sum[1] += found.positive;
    sum[2] += of_row;
    sum[3] += found.weak;
    sum[4] += of_row * of_row;
    sum[5] += found.slight;
  }

private:
  HD bool coupling(PetscInt i, PetscInt j, PetscScalar a) const
  {
    const PetscReal rounding = PetscSqr(64 * PETSC_MACHINE_EPSILON);

    return j != i && strength2(i, j, a) > rounding;
  }
  HD PetscReal strength2(PetscInt i, PetscInt j, PetscScalar a) const { return PetscRealPart(a * PetscConj(a)) * PetscAbsScalar(dinv[i] * dinv[j]); }
};

/* Those of CSR rows, which a block of threads copies to its own memory, are added up afterwards. */
using CsrCouplings = RowCouplings<AijRowsView>;

struct MarkCouplings {
  CsrCouplings         couplings;
  CsrCouplings::Found *found;

  HD MarkCouplings on(Columns c, Values v) const { return {{couplings.A.on(c, v), couplings.dinv}, found}; }
  HD void          operator()(PetscInt i) const { found[i] = couplings.of_row(i); }
};

struct CountCouplings {
  const CsrCouplings::Found *found;

  HD void operator()(PetscInt i, std::int64_t *sum) const { CsrCouplings::add(found[i], sum); }
};

struct OfCoupled {
  const PetscScalar  *dinv;
  const std::int64_t *isolated;
  PetscScalar        *of_coupled;

  HD void operator()(PetscInt i) const { of_coupled[i] = isolated[i] ? PetscScalar(0) : dinv[i]; }
};

} // namespace

Couplings couplings_of(const StoredRows &rows, const ColumnMap &columns, const CsrFacts &facts)
{
  const Csr          &A     = rows.A;
  const Space         space = A.space;
  Array<PetscScalar>  dinv(space, columns.nlocal());
  Array<std::int64_t> counts(space, numbers_of_couplings);

  for_each_row(space, A.nrows, OfCoupled{facts.dinv.data(), facts.isolated.data(), dinv.data()});
  columns.update(dinv);
  if (const auto *cds = columns.size() == 1 ? rows.diagonals() : nullptr) {
    join_rows<Plus, numbers_of_couplings>(space, A.nrows, RowCouplings<mat::CdsEntries<const PetscScalar>>{entries_of(*cds), dinv.data()}, counts.data());
  } else {
    Array<CsrCouplings::Found> found(space, A.nrows);

    for_each_csr_row(A, 1, MarkCouplings{{rows_of(A), dinv.data()}, found.data()});
    join_rows<Plus, numbers_of_couplings>(space, A.nrows, CountCouplings{found.data()}, counts.data());
  }
  std::vector<std::int64_t> count = counts.to_host();
  columns.sum(count.data(), numbers_of_couplings);
  return {count[0],
          count[1],
          count[2],
          count[3],
          count[4],
          count[5],
          facts.positive == facts.negative ? PetscReal(0) : facts.positive ? PetscReal(1) : PetscReal(-1)};
}

} // namespace goza::saamg
