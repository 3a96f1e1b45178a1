/* Steps of the interpolation on a host, where a node is a row and there is one near-null vector. */
#pragma once
#include "core/sparse/host_rows.hpp"
#include "prolong_rows.hpp"

namespace goza::saamg {

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

/* What FilteredRow leaves of one rank's rows, in one pass: each entry is written, and the next one over it where it does not stay. F has room for all. */
inline void filter_host(const Csr &A, const PetscInt *gptr, const PetscInt *gcol, CsrMatrix &F)
{
  PetscInt *const ptr = F.ptr.data(), *const col = F.col.data();
  PetscScalar *const val = F.val.data();

  ptr[0] = 0;
  for (PetscInt i = 0; i < A.nrows; i++) {
    const PetscInt end = A.ptr[i + 1], edges = gptr[i + 1];
    PetscInt       p = ptr[i], g = gptr[i], own = -1;
    FilteredSums   sums;

    for (PetscInt q = A.ptr[i]; q < end; q++) {
      const PetscInt    j = A.col[q];
      const PetscScalar a = A.val[q];

      while (g < edges && gcol[g] < j) g++;
      const bool diagonal = j == i, stays = diagonal || (g < edges && gcol[g] == j);

      sums.add(a, diagonal, stays);
      if (diagonal) own = p;
      col[p] = j;
      val[p] = a;
      p += stays;
    }
    if (sums.keeps_all()) {
      std::copy(A.col + A.ptr[i], A.col + end, col + ptr[i]);
      std::copy(A.val + A.ptr[i], A.val + end, val + ptr[i]);
      p = ptr[i] + end - A.ptr[i];
    } else if (own >= 0) val[own] += sums.lumped;
    ptr[i + 1] = p;
  }
}

} // namespace goza::saamg
