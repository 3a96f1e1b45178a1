#include "dense_inverse.hpp"
#include "core/for_each_row.hpp"
#include "core/row_sums.hpp"
#include <algorithm>

namespace goza
{

namespace
{

struct RowScale {
  Csr          A;
  PetscScalar *scale;

  HD void operator()(PetscInt i) const
  {
    scale[i] = 1;
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) {
      if (A.col[p] == i && A.val[p] != PetscScalar(0)) scale[i] = 1 / PetscSqrtReal(PetscAbsScalar(A.val[p]));
    }
  }
};

struct ScaledRow {
  Csr                A;
  const PetscScalar *scale;
  PetscScalar       *M; // zero

  HD void operator()(PetscInt i) const
  {
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) M[static_cast<std::size_t>(i) * A.nrows + A.col[p]] += A.val[p] * scale[i] * scale[A.col[p]];
  }
};

/* Step k of Gauss and Jordan, where the columns up to k - 1 already hold those of the inverse. */
struct Eliminate {
  PetscInt           n, k;
  const PetscScalar *from; // [n][n]
  PetscScalar       *to, *pivot;

  HD void operator()(PetscInt e) const
  {
    const PetscInt     i = e / n, j = e % n;
    const PetscScalar *row = from + static_cast<std::size_t>(k) * n, p = row[k], right = (j == k ? PetscScalar(1) : row[j]) / p;

    to[e] = i == k ? right : (j == k ? PetscScalar(0) : from[e]) - from[static_cast<std::size_t>(i) * n + k] * right;
    if (e == 0) pivot[k] = PetscAbsScalar(p);
  }
};

/* By how much an entry of A A^-1 differs from the identity's, and the inverse without the scaling. */
struct Check {
  Csr                A;
  const PetscScalar *scale, *M;
  PetscScalar       *inverse;

  HD void operator()(PetscInt e, PetscReal *most) const
  {
    const PetscInt n = A.nrows, i = e / n, j = e % n;
    PetscScalar    rest = i == j;

    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) rest -= A.val[p] * scale[i] * scale[A.col[p]] * M[static_cast<std::size_t>(A.col[p]) * n + j];
    inverse[e]        = M[e] * scale[i] * scale[j];
    const PetscReal a = PetscAbsScalar(rest);

    *most = a - a == 0 ? Most::join(*most, a) : PETSC_MAX_REAL;
  }
};

} // namespace

bool dense_inverse(const Csr &A, Array<PetscScalar> &inverse)
{
  constexpr PetscInt  most_rows = 20000; // whose squares PetscInt counts
  constexpr PetscReal exact     = 1e-8;
  const Space         space     = A.space;
  const PetscInt      n         = A.nrows;

  if (n > most_rows || !n) return false;
  const std::size_t  entries = static_cast<std::size_t>(n) * n;
  Array<PetscScalar> scale(space, n), M(space, entries), next(space, entries), facts(space, n + 1); // facts: the pivots, and what is left of the identity

  M.zero();
  for_each_row(space, n, RowScale{A, scale.data()});
  for_each_row(space, n, ScaledRow{A, scale.data(), M.data()});
  for (PetscInt k = 0; k < n; k++) {
    for_each_row(space, n * n, Eliminate{n, k, M.data(), next.data(), facts.data()});
    M.swap(next);
  }
  inverse = Array<PetscScalar>(space, entries);
  join_rows<Most, 1>(space, n * n, Check{A, scale.data(), M.data(), inverse.data()}, facts.data() + n);
  const std::vector<PetscScalar> known = facts.to_host();
  const auto                     range = std::minmax_element(known.begin(), known.end() - 1);

  return *range.first > 1e4 * PETSC_MACHINE_EPSILON * *range.second && known[n] < exact;
}

} // namespace goza
