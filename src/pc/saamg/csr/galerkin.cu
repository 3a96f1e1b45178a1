#include "galerkin.hpp"
#include "core/algorithm.hpp"
#include "core/csr_ops.hpp"
#include "core/full_blocks.hpp"
#include "core/host_galerkin.hpp"
#include "core/row_sums.hpp"
#include "core/staged_rows.hpp"

namespace goza
{

namespace
{

/* Its diagonal entry's size, whether it has one, and whether the row is all zeros. */
struct LookAtRow {
  const PetscInt *ptr;
  Columns         col;
  Values          val;
  PetscScalar    *size;
  std::int64_t   *present, *zero;

  HD LookAtRow on(Columns c, Values v) const { return {ptr, c, v, size, present, zero}; }

  HD void operator()(PetscInt i) const
  {
    PetscScalar d   = 0;
    bool        all = true;

    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      if (col[p] == i) d = val[p];
      all = all && val[p] == PetscScalar(0);
    }
    size[i]    = PetscAbsScalar(d);
    present[i] = d != PetscScalar(0);
    zero[i]    = all;
  }
};

struct FillZeroRow {
  Csr                 A;
  const std::int64_t *zero;
  PetscScalar         value;
  PetscScalar        *val;

  HD void operator()(PetscInt i) const
  {
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1] && zero[i]; p++) {
      if (A.col[p] == i) val[p] = value;
    }
  }
};

struct CountRows {
  const std::int64_t *present, *zero;

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    count[0] += present[i];
    count[1] += zero[i];
  }
};

/* The diagonal entry is always in the pattern. */
void fill_zero_rows(CsrMatrix &A, const LocalColumns &columns)
{
  const Space         space = A.space();
  Array<PetscScalar>  size(space, A.nrows), sizes(space, 1);
  Array<std::int64_t> present(space, A.nrows), zero(space, A.nrows), counts(space, 2);

  for_each_csr_row(A.view(), 1, LookAtRow{A.ptr.data(), A.col.data(), A.val.data(), size.data(), present.data(), zero.data()});
  join_rows<Plus, 2>(space, A.nrows, CountRows{present.data(), zero.data()}, counts.data());
  std::vector<std::int64_t> n = counts.to_host();

  columns.sum(n.data(), 2);
  if (!n[1]) return;
  sum_into(space, size.data(), size.size(), sizes.data());
  PetscScalar mean = read_value(space, sizes.data());
  columns.sum(&mean, 1);
  mean = n[0] ? mean / static_cast<PetscReal>(n[0]) : 1;
  if (!(mean > 0) || PetscIsInfOrNanScalar(mean)) mean = 1;
  for_each_row(space, A.nrows, FillZeroRow{A.view(), zero.data(), mean, A.val.data()});
}

} // namespace

void Interpolation::transpose()
{
  if (R.ptr.size() && coarse->size() == 1) {
    transpose_numeric(P.view(), R);
    return;
  }
  R = goza::transpose(P.view());
  if (coarse->size() == 1) return;
  own_transpose = std::move(R);
  fine          = SummedRows(own_transpose.view(), LocalColumns(*fine, {}), coarse, false, R).columns();
}

CsrMatrix GalerkinProduct::make(const Csr &A, const MapPtr &columns, const Interpolation &I, MapPtr &coarse_columns, bool once)
{
  const bool alone = columns->size() == 1;
  CsrMatrix  Ac;

  if (once && alone && A.space == Space::Host && I.bs == 1 && I.k == 1) {
    Ac             = galerkin_host(I.R.view(), A, I.P.view());
    coarse_columns = I.coarse;
    fill_zero_rows(Ac, *coarse_columns);
    return Ac;
  }
  if (!alone) P_ = std::make_unique<RowsBelow>(I.P.view(), *I.coarse, columns);
  AP_ = multiply(A, I.bs, I.bs, alone ? I.P.view() : P_->view(), I.k);
  if (alone) {
    Ac             = multiply(I.R.view(), I.k, I.bs, AP_.view(), I.k, true);
    coarse_columns = I.coarse;
  } else {
    const CsrMatrix again = I.own_transpose.ptr.size() ? CsrMatrix() : transpose(I.P.view()); // where it was not kept

    parts_ = multiply(again.ptr.size() ? again.view() : I.own_transpose.view(), I.k, I.bs, AP_.view(), I.k);
    sum_   = std::make_unique<SummedRows>(parts_.view(), P_->columns(), I.coarse, true, Ac);

    coarse_columns = sum_->columns();
  }
  fill_zero_rows(Ac, *coarse_columns);
  return Ac;
}

void GalerkinProduct::update(const Csr &A, const Interpolation &I, CsrMatrix &Ac)
{
  if (P_) P_->update(I.P.view());
  multiply_numeric(A, I.bs, I.bs, P_ ? P_->view() : I.P.view(), I.k, AP_);
  if (sum_) {
    multiply_numeric(I.own_transpose.view(), I.k, I.bs, AP_.view(), I.k, parts_);
    sum_->update(parts_.view(), P_->columns(), Ac);
  } else multiply_numeric(I.R.view(), I.k, I.bs, AP_.view(), I.k, Ac);
  fill_zero_rows(Ac, *I.coarse);
}

} // namespace goza
