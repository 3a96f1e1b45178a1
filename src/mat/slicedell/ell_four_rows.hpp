/* Sliced ELL, four rows a thread: for short rows whose slices share their columns, as those of interpolations between grids. A row a thread waits for its chain of loads: the head
   of the slice, columns, x. */
#pragma once
#include "core/launch/four_rows.hpp"
#include "slicedell_view.hpp"

namespace goza::mat
{

/* Whether rows stand in slices of 32 in their own order, and are short. stored: all entries. */
template <class Store> bool fits_four_rows(const EllView<Store> &A, std::size_t stored)
{
  return A.head && A.shift == 5 && !A.row && !A.length && A.nplaces % 4 == 0 && stored <= static_cast<std::size_t>(most_of_four_rows) * A.nplaces;
}

#if defined(__CUDACC__)
template <class Store, class V> struct EllFourRows {
  EllView<Store> A;
  const V       *x;
  ScaledOut<V>   out;

  __device__ void operator()(PetscInt four) const
  {
    const PetscInt     place = 4 * four, offset = place & 31;
    const EllHead      head   = A.head[place >> 5];
    const Store       *val    = A.val + (static_cast<std::int64_t>(head.begin) * 32 + offset);
    const LocalColumn *col    = A.col + (head.at + offset);
    const V           *from   = x + head.base;
    V                  sum[4] = {};
    PetscInt           n      = head.width;

    for (; n >= 2; n -= 2, col += 64, val += 64) add<2>(val, col, from, sum);
    if (n) add<1>(val, col, from, sum);
    FourRows<V>::finish(out, place, sum);
  }

private:
  template <int n> static __device__ void add(const Store *val, const LocalColumn *col, const V *from, V *sum)
  {
    LocalColumn c[n][4];
    V           a[n][4], xs[n][4];

    for (int k = 0; k < n; k++) load_four(col + 32 * k, c[k]);
    for (int k = 0; k < n; k++) load_four(val + 32 * k, a[k]);
    for (int k = 0; k < n; k++) {
      const V *p = from + c[k][0];

      /* neighbours in a line mostly read neighbours */
      if (c[k][1] == c[k][0] + 1 && c[k][2] == c[k][0] + 2 && c[k][3] == c[k][0] + 3 && reinterpret_cast<std::uintptr_t>(p) % (4 * sizeof(V)) == 0)
        load_four(p, xs[k]);
      else
        for (int r = 0; r < 4; r++) xs[k][r] = cached_load(from + c[k][r]);
    }
    for (int k = 0; k < n; k++) {
      for (int r = 0; r < 4; r++) sum[r] += a[k][r] * xs[k][r];
    }
  }
};
#endif

} // namespace goza::mat
