/* Sparse products on the device where a row of the left factor has a few entries, as of 5 or 7 points: a thread a row merges the rows of the right factor,
   whose columns ascend, column by column. Every sum is in the order of the terms. A warp a row, with a table or without, takes some ten times the
   instructions. */
#pragma once
#include "core/launch/for_each_row.hpp"
#include "core/util/algorithm.hpp"
#include "csr_matrix.hpp"

namespace goza::product {

constexpr int merged_terms = 8;

/* A row's length, -1 where it has more terms; or, where ptr is there, its columns and values. */
struct MergedRow {
  Csr             A, B;
  PetscInt       *length;
  const PetscInt *ptr;
  PetscInt       *col;
  PetscScalar    *val;

  HD void operator()(PetscInt row) const
  {
    const PetscInt begin = A.ptr[row], n = A.ptr[row + 1] - begin;
    PetscInt       next[merged_terms], end[merged_terms], head[merged_terms], k = ptr ? ptr[row] : 0; // head: the column that stands at next
    PetscScalar    factor[merged_terms];

    if (!ptr && n > merged_terms) {
      length[row] = -1;
      return;
    }
    UNROLL()
    for (int t = 0; t < merged_terms; t++) {
      const PetscInt j = t < n ? A.col[begin + t] : 0;

      next[t]   = t < n ? B.ptr[j] : 0;
      end[t]    = t < n ? B.ptr[j + 1] : 0;
      head[t]   = next[t] < end[t] ? B.col[next[t]] : no_column;
      factor[t] = ptr && t < n ? A.val[begin + t] : PetscScalar(0);
    }
    for (;; k++) {
      PetscInt    c   = no_column;
      PetscScalar sum = 0;

      UNROLL()
      for (int t = 0; t < merged_terms; t++) c = head[t] < c ? head[t] : c;
      if (c == no_column) break;
      UNROLL()
      for (int t = 0; t < merged_terms; t++) {
        if (head[t] != c) continue;
        if (ptr) sum += factor[t] * B.val[next[t]];
        head[t] = ++next[t] < end[t] ? B.col[next[t]] : no_column;
      }
      if (!ptr) continue;
      col[k] = c;
      val[k] = sum;
    }
    if (!ptr) length[row] = k;
  }
};

/* C = A B; false: a row has more terms, and C is nothing yet. */
inline bool make_merged(const Csr &A, const Csr &B, CsrMatrix &C)
{
  Array<PetscInt> length(A.space, A.nrows + 1, unset);
  PetscInt        nnz;

  if (entries(A) > static_cast<std::int64_t>(merged_terms) * A.nrows) return false;
  C.ptr = Array<PetscInt>(A.space, A.nrows + 1);
  for_each_row(A.space, A.nrows, MergedRow{A, B, length.data(), nullptr, nullptr, nullptr});
  if (!scan_lengths(A.space, length.data(), C.ptr, &nnz)) return false;
  C.col = Array<PetscInt>(A.space, nnz);
  C.val = Array<PetscScalar>(A.space, nnz);
  for_each_row(A.space, A.nrows, MergedRow{A, B, nullptr, C.ptr.data(), C.col.data(), C.val.data()});
  return true;
}

} // namespace goza::product
