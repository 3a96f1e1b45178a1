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

/* P = (I - omega D^-1 A) T, row by row. */
class SmoothedOnHost {
public:
  SmoothedOnHost(const Csr &A, const TentativeRows &T, const PetscScalar *dinv, PetscReal omega, PetscInt naggregates) :
    A_(A), T_(T), dinv_(dinv), omega_(omega), sums_(naggregates), col_(Space::Host, naggregates, unset), val_(Space::Host, naggregates, unset)
  {
  }

  void make(CsrMatrix &P)
  {
    Grown<PetscInt>    cols(P.nrows);
    Grown<PetscScalar> vals(P.nrows);

    P.ptr = Array<PetscInt>(Space::Host, P.nrows + 1, unset);
    for (PetscInt row = 0; row < P.nrows; row++) {
      const bool     is_short = A_.ptr[row + 1] - A_.ptr[row] <= few;
      const PetscInt n        = T_.aggregate[row] < 0 ? 0 : is_short ? make_short(row, cols.room(few + 1), vals.room(few + 1)) : make_long(row);

      if (!is_short) sums_.sort(n, col_.data(), val_.data(), cols.room(n), vals.room(n));
      cols.take(n);
      vals.take(n);
      P.ptr.data()[row] = n;
    }
    lengths_to_pointer(Space::Host, P.ptr);
    P.val = vals.all();
    P.col = cols.all();
  }

private:
  static constexpr PetscInt few = 8; // entries of a row whose columns are looked for one by one

  /* The sums of other aggregates in the order in which they come, and that of the node's own apart: most entries are of the one that came last or of that. */
  PetscInt make_short(PetscInt row, PetscInt *to_col, PetscScalar *to_val) const
  {
    const PetscInt    own = T_.aggregate[row];
    const PetscScalar f   = -omega_ * dinv_[row];
    PetscInt          col[few + 1], n      = 0;
    PetscScalar       sum[few + 1], of_own = 0;

    for (PetscInt p = A_.ptr[row]; p < A_.ptr[row + 1]; p++) {
      const PetscInt    j = A_.col[p], a = T_.aggregate[j];
      const PetscScalar term = A_.val[p] * T_.T[j];
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
      to_val[at] = f * sum[k] + (k + 1 == n ? T_.T[row] : PetscScalar(0));
    }
    return n;
  }

  /* Unsorted, in col_ and val_. */
  PetscInt make_long(PetscInt row)
  {
    const PetscInt own = T_.aggregate[row], n = sums_.add_up(terms_of(A_, row), T_, own, col_.data(), val_.data());

    for (PetscInt k = 0; k < n; k++) val_.data()[k] = -omega_ * dinv_[row] * val_.data()[k] + (col_.data()[k] == own ? T_.T[row] : PetscScalar(0));
    return n;
  }

  const Csr                A_;
  const TentativeRows      T_;
  const PetscScalar *const dinv_;
  const PetscReal          omega_;
  RowSums                  sums_;
  Array<PetscInt>          col_;
  Array<PetscScalar>       val_;
};

} // namespace goza::saamg
