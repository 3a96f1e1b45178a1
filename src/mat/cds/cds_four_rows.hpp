/* Half storage of a grid's matrix, four rows a thread: for values of less than 8 bytes, whose products wait for load instructions and not for memory.

   The offsets are 0, 1 and groups around c, multiples of 4, as is i: c alone or c - 1, c, c + 1. Own values a[i .. i + 3] come in one load; x[i + c - 1 ..
   i + c + 4] serves three diagonals; of the lower values a[j .. j + 3] with j = i - c + 1, i - c, i - c - 1, all but one stand in the aligned four at i - c. 27
   points: 62 loads for four rows instead of 216; 7 points: 14 instead of 56. */
#pragma once
#include "cds_view.hpp"
#include "core/launch/four_rows.hpp"

namespace goza::mat {

/* How many diagonals the groups have, by ascending offset: 1 or 3. */
template <int... sizes> struct DiagonalGroups {
  static constexpr int      ndiag = 2 + (sizes + ...), points = 2 * ndiag - 1;
  static constexpr bool     few        = ndiag < 14;
  static constexpr PetscInt least_line = few ? four_rows_line_few : four_rows_line_27;

  /* Where it pays, by the bytes of values and vectors: float values under double vectors wait for x, as double ones do; of few diagonals the vectors' bytes are
     most. */
  static constexpr bool pays(std::size_t store, std::size_t v) { return v == 4 || (!few && store == 2); }
  static constexpr bool fits_line(std::int64_t line) { return line >= least_line && line % 4 == 0; }
  /* The line of a grid whose least stored offset above 1 is this one, in the first group */
  static constexpr std::int64_t line_of(std::int64_t beyond)
  {
    constexpr int size[] = {sizes...};

    return beyond + size[0] / 2;
  }
};

using Groups27  = DiagonalGroups<3, 3, 3, 3>; // line, plane - line, plane, plane + line
using Groups7   = DiagonalGroups<1, 1>;       // line, plane
using GroupsFan = DiagonalGroups<1, 1, 3, 1>; // 7 points whose lines along the third direction were coarsened: line, plane - line, plane, plane + line

/* Whether the matrix is of that kind. */
template <class Store, class V, int... sizes> bool fits_four_rows(DiagonalGroups<sizes...>, const CdsView<Store> &A, const GridStrides &grid, const V *x)
{
  using Groups     = DiagonalGroups<sizes...>;
  int        d     = 2;
  const auto group = [&](int size) {
    const int      centre = d + size / 2;
    const PetscInt c      = A.offset[centre];
    bool           fits   = c % 4 == 0;

    for (int k = d; k < d + size; k++) fits = fits && A.offset[k] == c + k - centre;
    d += size;
    return fits;
  };

  if (A.ndiag != Groups::ndiag || !Groups::fits_line(grid.line) || grid.plane % 4 || A.nrows % 4 || A.nrows != A.ncols ||
      reinterpret_cast<std::uintptr_t>(x) % 16)
    return false;
  return A.offset[0] == 0 && A.offset[1] == 1 && (group(sizes) && ...);
}

#if defined(__CUDACC__)
/* Out: ScaledOut or WithDots. */
template <class Store, class V, class Out, class Groups> struct CdsFourRows;
template <class Store, class V, class Out, int... sizes> struct CdsFourRows<Store, V, Out, DiagonalGroups<sizes...>> {
  static constexpr int ndiag = DiagonalGroups<sizes...>::ndiag;

  CdsRow<Store, V, Out, 1, true, ndiag> row; // for rows near the ends, one at a time
  Out                                   out;

  CdsFourRows(const CdsView<Store> &A, const V *x, const Out &out) : row{A, x, out}, out(out) { }

  static constexpr int brick = 512; // groups of four rows to a block of the device

  __device__ void operator()(PetscInt four) const
  {
    const PetscInt i = 4 * four, reach = row.A.offset[ndiag - 1];

    if (i >= reach && i + 3 + reach < row.A.nrows) {
      V   sum[4] = {};
      int d      = 2;

      add_main(i, sum);
      ((add_upper<sizes>(i, d, sum), add_lower<sizes>(i, d, sum), d += sizes), ...);
      FourRows<V>::finish(out, i, sum);
    } else {
  #pragma unroll 1
      for (int r = 0; r < 4; r++) row(i + r);
    }
  }

private:
  /* p[-1 .. 4] */
  static __device__ void load_window(const V *p, V *v)
  {
    v[0] = cached_load(p - 1);
    load_four(p, v + 1);
    v[5] = cached_load(p + 4);
  }

  __device__ const Store *diagonal(int d) const { return row.A.val + d * row.A.ld; }

  __device__ void add_main(PetscInt i, V *sum) const
  {
    V xs[6], a[4];

    load_window(row.x + i, xs);
    load_four(diagonal(0) + i, a);
    for (int r = 0; r < 4; r++) sum[r] += a[r] * xs[r + 1];
    load_four(diagonal(1) + i, a);
    for (int r = 0; r < 4; r++) sum[r] += a[r] * xs[r + 2];
    sum[0] += static_cast<V>(cached_load(diagonal(1) + i - 1)) * xs[0];
    for (int r = 1; r < 4; r++) sum[r] += a[r - 1] * xs[r];
  }

  /* A diagonal alone, of own values or of lower ones: those of rows k .. k + 3. */
  __device__ void add_single(PetscInt k, int d, PetscInt j, V *sum) const
  {
    V xs[4], a[4];

    load_four(row.x + j, xs);
    load_four(diagonal(d) + k, a);
    for (int r = 0; r < 4; r++) sum[r] += a[r] * xs[r];
  }

  template <int size> __device__ void add_upper(PetscInt i, int d, V *sum) const
  {
    V xs[6], a[4];

    if constexpr (size == 1) {
      add_single(i, d, i + row.A.offset[d], sum);
      return;
    }
    load_window(row.x + i + row.A.offset[d + 1], xs);
    for (int e = 0; e < 3; e++) {
      load_four(diagonal(d + e) + i, a);
      for (int r = 0; r < 4; r++) sum[r] += a[r] * xs[r + e];
    }
  }

  template <int size> __device__ void add_lower(PetscInt i, int d, V *sum) const
  {
    const PetscInt j = i - row.A.offset[d + size / 2];
    V              xs[6], a[4];

    if constexpr (size == 1) {
      add_single(j, d, j, sum);
      return;
    }
    load_window(row.x + j, xs);
    load_four(diagonal(d) + j, a);
    for (int r = 0; r < 3; r++) sum[r] += a[r + 1] * xs[r + 2];
    sum[3] += static_cast<V>(cached_load(diagonal(d) + j + 4)) * xs[5];
    load_four(diagonal(d + 1) + j, a);
    for (int r = 0; r < 4; r++) sum[r] += a[r] * xs[r + 1];
    load_four(diagonal(d + 2) + j, a);
    sum[0] += static_cast<V>(cached_load(diagonal(d + 2) + j - 1)) * xs[0];
    for (int r = 1; r < 4; r++) sum[r] += a[r - 1] * xs[r];
  }
};
#endif

} // namespace goza::mat
