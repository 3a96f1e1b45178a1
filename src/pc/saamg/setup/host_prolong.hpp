/* Steps of the interpolation on a host, where a node is a row and there is one near-null vector. */
#pragma once
#include "core/sparse/host_block_sums.hpp"
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

/* What SmoothedRow makes of the rows of all nodes, by A's blocks, and T's, of a node. */
template <int bs, int k> struct SmoothedNodes {
  SmoothedRow<0> rows;
  Csr            blocks; // of A
  PetscScalar   *sums;   // room for those of a node: [aggregates][bs][k]

  void operator()() const
  {
    for (PetscInt node = 0; node < blocks.nrows; node++) {
      const PetscInt n = rows.begin[node + 1] - rows.begin[node];

      std::fill_n(sums, n * bs * k, PetscScalar(0));
      if (n) add_up(node, rows.reached + rows.begin[node]);
      for (PetscInt r = 0; r < bs && n; r++) write(node * bs + r, r, n, rows.reached + rows.begin[node]);
    }
  }

private:
  void add_up(PetscInt node, const PetscInt *list) const
  {
    const PetscInt     begin = blocks.ptr[node], stride = (blocks.ptr[node + 1] - begin) * bs;
    const PetscScalar *a  = blocks.val + static_cast<std::size_t>(begin) * bs * bs;
    PetscInt           at = 0;

    for (PetscInt p = begin; p < blocks.ptr[node + 1]; p++, a += bs) {
      const PetscInt j = blocks.col[p] * bs, J = rows.aggregate[j];

      if (J < 0) continue;
      while (list[at] < J) at++;
      while (list[at] > J) at--;
      add_block<k>({bs, bs, k}, Factor<bs, bs>(a, stride), rows.T + static_cast<std::size_t>(j) * k, k, sums + at * bs * k, false);
    }
  }
  void write(PetscInt row, PetscInt r, PetscInt n, const PetscInt *list) const
  {
    const PetscScalar        f   = -rows.omega * rows.dinv[row];
    const PetscScalar *const t   = rows.T + static_cast<std::size_t>(row) * k;
    PetscInt                *col = rows.col + rows.ptr[row];
    PetscScalar             *val = rows.val + rows.ptr[row];

    for (PetscInt b = 0; b < n; b++, col += k, val += k) {
      const bool own = list[b] == rows.aggregate[row];

      for (PetscInt c = 0; c < k; c++) {
        col[c] = list[b] * k + c;
        val[c] = f * sums[(b * bs + r) * k + c] + (own ? t[c] : PetscScalar(0));
      }
    }
  }
};

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
