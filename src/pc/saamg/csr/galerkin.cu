#include "galerkin.hpp"
#include "core/algorithm.hpp"
#include "core/full_blocks.hpp"
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

/* As FillZeroRows() in galerkin.cxx; the diagonal entry is always in the pattern. */
void fill_zero_rows(CsrMatrix &A)
{
  const Space         space = A.space();
  Array<PetscScalar>  size(space, A.nrows), sizes(space, 1);
  Array<std::int64_t> present(space, A.nrows), zero(space, A.nrows), counts(space, 2);

  if (!A.nrows) return;
  for_each_csr_row(A.view(), 1, LookAtRow{A.ptr.data(), A.col.data(), A.val.data(), size.data(), present.data(), zero.data()});
  sum_into(space, size.data(), size.size(), sizes.data());
  sum_into(space, present.data(), present.size(), counts.data());
  sum_into(space, zero.data(), zero.size(), counts.data() + 1);
  const std::vector<std::int64_t> n = counts.to_host();

  if (!n[1]) return;
  PetscScalar mean = n[0] ? read_value(space, sizes.data()) / static_cast<PetscReal>(n[0]) : 1;
  if (!(mean > 0) || PetscIsInfOrNanScalar(mean)) mean = 1;
  for_each_row(space, A.nrows, FillZeroRow{A.view(), zero.data(), mean, A.val.data()});
}

} // namespace

CsrMatrix galerkin_product(const Csr &A, PetscInt bs, const CsrMatrix &P, const CsrMatrix &R, PetscInt k, CsrMatrix &AP)
{
  const bool blocks = bs * k > 1;
  CsrMatrix  Ac;

  if (!blocks || !multiply_blocks(A, bs, bs, P.view(), k, false, AP)) AP = multiply(A, P.view());
  if (!blocks || !multiply_blocks(R.view(), k, bs, AP.view(), k, true, Ac)) Ac = multiply(R.view(), AP.view(), true);
  fill_zero_rows(Ac);
  return Ac;
}

void galerkin_update(const Csr &A, PetscInt bs, const CsrMatrix &P, const CsrMatrix &R, PetscInt k, CsrMatrix &AP, CsrMatrix &Ac)
{
  const bool blocks = bs * k > 1;

  if (!blocks || !multiply_blocks_numeric(A, bs, bs, P.view(), k, AP)) multiply_numeric(A, P.view(), AP);
  if (!blocks || !multiply_blocks_numeric(R.view(), k, bs, AP.view(), k, Ac)) multiply_numeric(R.view(), AP.view(), Ac);
  fill_zero_rows(Ac);
}

} // namespace goza
