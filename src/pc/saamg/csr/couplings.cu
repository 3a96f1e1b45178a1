#include "couplings.hpp"
#include "core/row_sums.hpp"

namespace goza
{

namespace
{

struct CountCouplings {
  Csr                A;
  const PetscScalar *dinv; // [columns] 0: coupled to nothing

  static constexpr int n = 5;

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    const PetscReal none  = PetscSqr(64 * PETSC_MACHINE_EPSILON);
    std::int64_t    edges = 0, weak = 0;
    PetscReal       positive = 0, sum = 0;

    if (dinv[i] == PetscScalar(0)) return;
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) {
      if (A.col[p] == i || !(strength(i, p) > none)) continue;
      edges++;
      sum += PetscAbsScalar(A.val[p]);
      positive += PetscMax(PetscRealPart(A.val[p] * dinv[i]), 0);
    }
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) {
      if (A.col[p] != i && strength(i, p) > none)
        weak += static_cast<float>(PetscAbsScalar(A.val[p]) * static_cast<PetscReal>(2 * edges)) < static_cast<float>(sum);
    }
    count[0] += edges > 0;
    count[1] += static_cast<float>(positive) > 0.01f;
    count[2] += edges;
    count[3] += weak;
    count[4] += edges * edges;
  }

private:
  HD PetscReal strength(PetscInt i, PetscInt p) const { return PetscRealPart(A.val[p] * PetscConj(A.val[p])) * PetscAbsScalar(dinv[i] * dinv[A.col[p]]); }
};

struct OfCoupled {
  const PetscScalar  *dinv;
  const std::int64_t *alone;
  PetscScalar        *of_coupled;

  HD void operator()(PetscInt i) const { of_coupled[i] = alone[i] ? PetscScalar(0) : dinv[i]; }
};

} // namespace

Couplings couplings_of(const Csr &A, const ColumnMap &columns, const CsrFacts &facts)
{
  const Space         space = A.space;
  Array<PetscScalar>  dinv(space, columns.nlocal());
  Array<std::int64_t> counts(space, CountCouplings::n);

  for_each_row(space, A.nrows, OfCoupled{facts.dinv.data(), facts.alone.data(), dinv.data()});
  columns.update(dinv);
  join_rows<Plus, CountCouplings::n>(space, A.nrows, CountCouplings{A, dinv.data()}, counts.data());
  std::vector<std::int64_t> count = counts.to_host();
  columns.sum(count.data(), CountCouplings::n);
  return {count[0], count[1], count[2], count[3], count[4]};
}

} // namespace goza
