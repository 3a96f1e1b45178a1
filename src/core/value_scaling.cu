#include "value_scaling.hpp"
#include "algorithm.hpp"
#include "csr_matrix.hpp"
#include "row_sums.hpp"
#include "staged_rows.hpp"
#include <cmath>

namespace goza
{

namespace
{

constexpr std::int64_t no_exponent = 4096;  // added to exponents, so that 0 stands for a row without a finite entry other than 0
constexpr int          inside_rows = 10;    // powers of two that entries may be below the largest of their row and keep all bits
constexpr double       rounding    = 3e-14; // of the largest entry of a row: what is less is what sums that cancel leave

HD inline bool is_finite(double v)
{
  return v - v == 0;
}

HD inline double size_of(double v)
{
  return v < 0 ? -v : v;
}

/* Exponent of the row's largest entry after division by row[i] col[j]; high for the largest over all rows, low for the smallest. */
struct RowExponent {
  const PetscInt    *ptr;
  Columns            col;
  Values             val;
  const PetscScalar *inverse_row, *inverse_col; // or no scaling
  std::int64_t      *high, *low;

  HD RowExponent on(Columns c, Values v) const { return {ptr, c, v, inverse_row, inverse_col, high, low}; }

  HD void operator()(PetscInt i) const
  {
    double largest = 0;

    for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) {
      double a = size_of(val[k]);

      if (inverse_row) a *= inverse_row[i];
      if (inverse_col) a *= inverse_col[col[k]];
      if (a > largest && is_finite(a)) largest = a;
    }
    high[i] = largest > 0 ? no_exponent + ilogb(largest) : 0;
    low[i]  = largest > 0 ? no_exponent - ilogb(largest) : 0;
  }
};

struct MostOfBoth {
  const std::int64_t *high, *low;

  HD void operator()(PetscInt i, std::int64_t *most) const
  {
    most[0] = Most::join(most[0], high[i]);
    most[1] = Most::join(most[1], low[i]);
  }
};

/* low of the row's smallest entry that is not rounding. */
struct LeastExponent {
  const PetscInt *ptr;
  Columns         col;
  Values          val;
  std::int64_t   *low;

  HD LeastExponent on(Columns c, Values v) const { return {ptr, c, v, low}; }

  HD void operator()(PetscInt i) const
  {
    double largest = 0, least = 0;

    for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) {
      const double a = size_of(val[k]);

      if (a > largest && is_finite(a)) largest = a;
    }
    for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) {
      const double a = size_of(val[k]);

      if (a > rounding * largest && is_finite(a) && (least == 0 || a < least)) least = a;
    }
    low[i] = least > 0 ? no_exponent - ilogb(least) : 0;
  }
};

/* Powers of two near the roots of the diagonal and their inverses; bad: no such root. */
struct DiagonalRoots {
  const PetscInt    *ptr, *col;
  const PetscScalar *val;
  PetscScalar       *inverse;
  std::int64_t      *bad;

  HD void operator()(PetscInt i) const
  {
    double d = 0;

    for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) {
      if (col[k] == i) d += val[k];
    }
    d      = size_of(d);
    bad[i] = !(d > 0 && is_finite(d));
    if (ptr[i] == ptr[i + 1]) bad[i] = 0;
    inverse[i] = d > 0 && is_finite(d) ? ldexp(1.0, -(ilogb(d) / 2)) : 1;
  }
};

struct RowInverse {
  const std::int64_t *high;
  PetscScalar        *inverse;

  HD void operator()(PetscInt i) const { inverse[i] = high[i] ? ldexp(1.0, -static_cast<int>(high[i] - no_exponent)) : 1; }
};

template <class V> struct Invert {
  const PetscScalar *inverse;
  V                 *result;

  HD void operator()(PetscInt i) const { result[i] = static_cast<V>(1 / inverse[i]); }
};

struct ScaleValues {
  PetscInt           nrows;
  const PetscInt    *ptr, *col;
  const PetscScalar *val, *inverse_row, *inverse_col;
  int                shift;
  PetscScalar       *to;

  HD void operator()(PetscInt i) const
  {
    for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) scale(i, k);
  }

#if defined(__CUDACC__)
  static constexpr int lanes = 8; // of a warp to a row: a thread a row would write words that lie a row's length apart

  __device__ void operator()(PetscInt group, int lane) const
  {
    const std::int64_t i = static_cast<std::int64_t>(group) * (32 / lanes) + lane / lanes;

    if (i >= nrows) return;
    for (PetscInt k = ptr[i] + lane % lanes; k < ptr[i + 1]; k += lanes) scale(static_cast<PetscInt>(i), k);
  }
#endif

private:
  HD void scale(PetscInt i, PetscInt k) const
  {
    double a = val[k];

    if (inverse_row) a *= inverse_row[i];
    if (inverse_col) a *= inverse_col[col[k]];
    to[k] = ldexp(a, shift);
  }
};

void scale_values(const Csr &A, const PetscScalar *inverse_row, const PetscScalar *inverse_col, int shift, PetscScalar *to)
{
  const ScaleValues body{A.nrows, A.ptr, A.col, A.val, inverse_row, inverse_col, shift, to};

#if defined(__CUDACC__)
  if (A.space == Space::Cuda) {
    constexpr PetscInt rows = 32 / ScaleValues::lanes;

    for_each_warp(A.nrows / rows + (A.nrows % rows > 0), body);
    return;
  }
#endif
  for_each_row(A.space, A.nrows, body);
}

template <class V> struct Multiply {
  const V *a, *x;
  V       *y;

  HD void operator()(PetscInt i) const { y[i] = a[i] * x[i]; }
};

} // namespace

/* Whether the largest entries of all rows lie inside the range after a shift by a power of two; any: the smallest do not matter. */
template <class V> bool ValueScaling<V>::fits(const Csr &A, const StoreRange &range, const PetscScalar *row, const PetscScalar *col, bool any, int *shift)
{
  Array<std::int64_t> high(A.space, A.nrows), low(A.space, A.nrows), extremes(A.space, 2);

  for_each_csr_row(A, 1, RowExponent{A.ptr, A.col, A.val, row, col, high.data(), low.data()});
  join_rows<Most, 2>(A.space, A.nrows, MostOfBoth{high.data(), low.data()}, extremes.data());
  const std::vector<std::int64_t> both = extremes.to_host();
  const std::int64_t              most = both[0] - no_exponent, least = no_exponent - both[1];

  *shift = 0;
  if (most == -no_exponent) return true; // no entry to scale
  if (most > range.most || least - inside_rows < range.least) *shift = static_cast<int>(range.most - most);
  return any || least + *shift - inside_rows >= range.least;
}

template <class V> bool ValueScaling<V>::keeps_all(const Csr &A, const StoreRange &range)
{
  Array<std::int64_t> low(A.space, A.nrows);
  int                 shift;

  if (!fits(A, range, nullptr, nullptr, false, &shift)) return false;
  for_each_csr_row(A, 1, LeastExponent{A.ptr, A.col, A.val, low.data()});
  const std::int64_t most = largest(A.space, low.data(), low.size());

  return most == 0 || no_exponent - most + shift >= range.least;
}

template <class V> Csr ValueScaling<V>::apply(const Csr &A, const StoreRange &range, PetscScalar *left)
{
  Csr                 S = A;
  Array<PetscScalar>  inverse(A.space);
  const PetscScalar  *row = nullptr, *col = nullptr;
  int                 shift = 0;
  Array<std::int64_t> rows(A.space);

  symmetric_ = false;
  row_       = Array<V>(A.space);
  x_         = Array<V>(A.space);
  values_    = Array<PetscScalar>(A.space);
  if (!fits(A, range, nullptr, nullptr, false, &shift)) {
    inverse = Array<PetscScalar>(A.space, A.nrows);
    rows    = Array<std::int64_t>(A.space, A.nrows);
    if (A.nrows == A.ncols) {
      for_each_row(A.space, A.nrows, DiagonalRoots{A.ptr, A.col, A.val, inverse.data(), rows.data()});
      symmetric_ = !sum(A.space, rows.data(), rows.size()) && fits(A, range, inverse.data(), inverse.data(), false, &shift);
    }
    if (!symmetric_) {
      Array<std::int64_t> low(A.space, A.nrows);

      for_each_csr_row(A, 1, RowExponent{A.ptr, A.col, A.val, nullptr, nullptr, rows.data(), low.data()});
      for_each_row(A.space, A.nrows, RowInverse{rows.data(), inverse.data()});
      fits(A, range, inverse.data(), nullptr, true, &shift);
    }
    row  = inverse.data();
    col  = symmetric_ ? row : nullptr;
    row_ = Array<V>(A.space, A.nrows);
    for_each_row(A.space, A.nrows, Invert<V>{row, row_.data()});
    if (symmetric_) x_ = Array<V>(A.space, A.ncols);
  }
  factor_ = static_cast<V>(std::ldexp(1.0, -shift));
  if (left) *left = row ? 1 : std::ldexp(1.0, shift);
  if (!row && (left || !shift)) return S;
  values_ = Array<PetscScalar>(A.space, entries(A));
  scale_values(A, row, col, shift, values_.data());
  S.val = values_.data();
  return S;
}

template <class V> const V *ValueScaling<V>::vector(const V *x) const
{
  if (!x_.size()) return x;
  for_each_row(x_.space(), static_cast<PetscInt>(x_.size()), Multiply<V>{row_.data(), x, x_.data()});
  return x_.data();
}

template class ValueScaling<PetscScalar>;
#if !PetscDefined(USE_REAL_SINGLE)
template class ValueScaling<float>;
#endif

} // namespace goza
