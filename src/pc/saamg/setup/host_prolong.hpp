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

inline void smooth_host(const Csr &A, const TentativeRows &T, const PetscScalar *dinv, PetscReal omega, CsrMatrix &P)
{
  const auto terms = [&](PetscInt row) {
    RowTerms all = terms_of(A, row);

    if (T.aggregate[row] < 0) all.n = 0;
    return all;
  };

  make_rows(
    terms, T, [&](PetscInt row) { return T.aggregate[row]; }, // -1: none
    [&](PetscInt row, PetscInt a, PetscScalar sum) { return -omega * dinv[row] * sum + (a == T.aggregate[row] ? T.T[row] : PetscScalar(0)); }, P);
}

} // namespace goza::saamg
