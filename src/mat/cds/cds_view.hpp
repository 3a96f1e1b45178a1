/* Compressed diagonal storage (paper P1): diagonal d with offset o holds a(i, i + o) at val[d * ld + i]. No indices; a place outside the matrix, or
   where the matrix has no entry, holds 0.

     full     a b . .    offset -1 0 1      half               offset 0 1     rows gather the lower part from the rows above:
              b c d .    val    . a b                          val    a b     y_i = sum_d val_d[i] x[i + o_d] + val_d[i - o_d] x[i - o_d]
              . d e f           b c d                                 c d     (the paper's half form, which it stores as the lower part)
              . . f g           d e f                                 e f
                                f g .                                 g .

   With blocks of bs unknowns a node, i, o and ld count nodes, and entry (r, c) of the block stands at val[((d * bs + r) * bs + c) * ld + i]. */
#pragma once
#include "core/launch/for_each_row.hpp"
#include "diagonals.hpp"
#include "mat/tuning.hpp"

namespace goza::mat {

template <class Store> struct CdsView {
  PetscInt     nrows, ncols; // in nodes
  PetscInt     ndiag;
  std::int64_t ld;
  const Store *val;                   // [ndiag][bs][bs][ld]
  PetscInt     offset[max_diagonals]; // [ndiag], ascending; half: from 0 up
#if PetscDefined(USE_COMPLEX)
  bool hermitian = false; // half: an entry below the main diagonal is the conjugate of its mirror image, and not the same
#endif
};

/* An entry below the main diagonal from its mirror image in A, and the other way round. */
template <class View, class T> HD T mirrored([[maybe_unused]] const View &A, T value)
{
#if PetscDefined(USE_COMPLEX)
  if (A.hermitian) return conj(value);
#endif
  return value;
}

/* One node's rows. A group of its own values is asked for before the first is used: the device's memory is far away. Nodes whose diagonals all lie inside
   the matrix, nearly all of them, need no test. N: the number of diagonals where it is known when this is compiled, so that all loops unroll; else 0.
   In half storage of doubles, where L2 is the limit, it is a loop over pairs of diagonals. */
template <class Store, class V, class Out, int bs, bool half, int N> struct CdsRow {
  CdsView<Store> A;
  const V       *x;
  Out            out;

  static constexpr bool in_pairs = half && bs == 1 && N == 14 && std::is_same_v<Store, V> && sizeof(V) == 8;
  /* diagonals in a group */
  static constexpr int together = N == 0   ? (bs == 1 ? cds_together_any : 1)
                                : bs > 3   ? 1
                                : bs > 1   ? cds_together_blocks
                                : in_pairs ? 2
                                : N == 27  ? cds_together_27
                                           : N;
  static constexpr int brick    = in_pairs ? cds_brick_in_pairs : bs == 1 ? cds_brick : cds_brick_blocks; // nodes to a block of the device
  static constexpr int resident = in_pairs ? cds_resident_in_pairs : cds_resident;                        // blocks to a multiprocessor

  HD void operator()(PetscInt i) const
  {
    const PetscInt highest = A.offset[A.ndiag - 1], lowest = half ? -highest : A.offset[0];
    V              sum[bs] = {};

    if (A.ndiag && i + lowest >= 0 && i + highest < A.ncols) add<false>(i, sum);
    else if (A.ndiag) add<true>(i, sum);
    for (int r = 0; r < bs; r++) out(i * bs + r, sum[r]);
  }

private:
  template <bool guarded> HD void add(PetscInt i, V *sum) const
  {
    const int n = N ? N : static_cast<int>(A.ndiag);

    if constexpr (!N && together > 1) {
      int first = 0;

      add_groups<guarded, together>(i, &first, sum);
      add_groups<guarded, cds_together_rest>(i, &first, sum);
      add_groups<guarded, 1>(i, &first, sum);
    } else if constexpr (in_pairs) {
      UNROLL(1)
      for (int first = 0; first < n; first += together) add_group<guarded, together>(i, first, sum);
    } else {
      UNROLL()
      for (int first = 0; first < n; first += together) add_group<guarded, together>(i, first, sum);
    }
  }

  template <bool guarded, int group> HD void add_groups(PetscInt i, int *first, V *sum) const
  {
    UNROLL(1)
    for (; *first + group <= A.ndiag; *first += group) add_group<guarded, group>(i, *first, sum);
  }

  template <bool guarded, int group> HD void add_group(PetscInt i, int first, V *sum) const
  {
    Store own[group][bs * bs];

    UNROLL()
    for (int u = 0; u < group; u++) load(own[u], first + u, i);
    UNROLL()
    for (int u = 0; u < group; u++) {
      const PetscInt j = i + A.offset[first + u];

      if (guarded && (j < 0 || j >= A.ncols)) continue;
      for (int r = 0; r < bs; r++)
        for (int c = 0; c < bs; c++) sum[r] += static_cast<V>(own[u][r * bs + c]) * cached_load(x + j * bs + c);
    }
    if constexpr (half) {
      UNROLL()
      for (int u = 0; u < group; u++) {
        const PetscInt j = i - A.offset[first + u];
        Store          above[bs * bs];

        if (N ? first + u == 0 : j == i) continue; // the main diagonal: in the compiled counts it is there, and the first
        if (guarded && j < 0) continue;
        load(above, first + u, j);
        for (int r = 0; r < bs; r++)
          for (int c = 0; c < bs; c++) sum[r] += mirrored(A, static_cast<V>(above[c * bs + r])) * cached_load(x + j * bs + c);
      }
    }
  }

  HD void load(Store *block, int d, PetscInt i) const
  {
    const Store *p = A.val + d * (bs * bs) * A.ld + i;

    for (int e = 0; e < bs * bs; e++) block[e] = cached_load(p + e * A.ld);
  }
};

} // namespace goza::mat
