/* The smoothed prolongator on a host, where a node is a row and there is one near-null vector. */
#pragma once
#include "core/sparse/host_rows.hpp"

namespace goza::saamg
{

/* The rows of T: one entry or none. */
struct TentativeRows {
  const PetscInt    *aggregate;
  const PetscScalar *T;

  SparseRow operator()(PetscInt i) const { return {aggregate[i] >= 0, aggregate + i, T + i}; }
  void      soon(PetscInt) const { }
};

/* Rows of P = (I - omega D^-1 A) T of a node with an aggregate and few entries: their columns are looked for one by one. */
struct FewAggregates {
  static constexpr PetscInt few = 8, most = few + 1;

  const Csr           A;
  const TentativeRows T;
  const PetscScalar  *dinv;
  const PetscReal     omega;

  bool operator()(PetscInt row) const { return T.aggregate[row] >= 0 && A.ptr[row + 1] - A.ptr[row] <= few; }

  /* The sums of other aggregates in the order in which they come, and that of the node's own apart: most entries are of the one that came last or of that. */
  PetscInt make(PetscInt row, PetscInt *to_col, PetscScalar *to_val) const
  {
    const PetscInt    own = T.aggregate[row];
    const PetscScalar f   = -omega * dinv[row];
    PetscInt          col[few + 1], n      = 0;
    PetscScalar       sum[few + 1], of_own = 0;

    for (PetscInt p = A.ptr[row]; p < A.ptr[row + 1]; p++) {
      const PetscInt    j = A.col[p], a = T.aggregate[j];
      const PetscScalar term = A.val[p] * T.T[j];
      PetscInt          k    = 0;

      if (a == own) of_own += term;
      if (a == own || a < 0) continue;
      while (k < n && col[k] != a) k++;
      if (k < n) sum[k] += term;
      else {
        col[n]   = a;
        sum[n++] = term;
      }
    }
    col[n]   = own;
    sum[n++] = of_own;
    for (PetscInt k = 0; k < n; k++) {
      PetscInt at = k;

      for (; at > 0 && to_col[at - 1] > col[k]; at--) {
        to_col[at] = to_col[at - 1];
        to_val[at] = to_val[at - 1];
      }
      to_col[at] = col[k];
      to_val[at] = f * sum[k] + (k + 1 == n ? T.T[row] : PetscScalar(0));
    }
    return n;
  }
};

inline void smooth_host(const Csr &A, const TentativeRows &T, const PetscScalar *dinv, PetscReal omega, CsrMatrix &P)
{
  const auto terms = [&](PetscInt row) {
    RowTerms all = terms_of(A, row);

    if (T.aggregate[row] < 0) all.n = 0;
    return all;
  };

  make_rows(
    terms, T, [&](PetscInt row) { return T.aggregate[row]; }, // -1: none
    [&](PetscInt row, PetscInt a, PetscScalar sum) { return -omega * dinv[row] * sum + (a == T.aggregate[row] ? T.T[row] : PetscScalar(0)); }, P,
    FewAggregates{A, T, dinv, omega});
}

} // namespace goza::saamg
