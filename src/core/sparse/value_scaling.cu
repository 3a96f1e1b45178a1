#include "value_scaling.hpp"
#include "core/util/algorithm.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/launch/staged_rows.hpp"
#include <limits>

namespace goza {
namespace {

constexpr std::int64_t no_exponent = RowExponents::far_above;
constexpr int          inside_rows = 10; // powers of two that entries may be below the largest of their row and keep all bits
constexpr int          most_shift  = std::numeric_limits<PetscReal>::max_exponent - 2; // a power of two that is finite, and so is its inverse
constexpr double       rounding    = RowExponents::rounding;

using Exponent = std::int16_t; // of a row; far_above and more than a double's fit in

HD inline bool is_finite(double v) { return v - v == 0; }

/* Exponent of the row's largest entry after division by row[i] col[j]; high for the largest over all rows, low for the smallest. least: low of the row's
   smallest entry that is not rounding, or null. */
struct RowExponent {
  const PetscInt    *ptr;
  Columns            col;
  Values             val;
  const PetscScalar *inverse_row, *inverse_col; // or no scaling
  Exponent          *high, *low, *least;

  HD RowExponent on(Columns c, Values v) const { return {ptr, c, v, inverse_row, inverse_col, high, low, least}; }

  HD void operator()(PetscInt i) const { (*this)(i, 0, 1); }
  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    Exponent found[3];

    find(i, lane, lanes, least, found);
    if (lane) return;
    high[i] = found[0];
    low[i]  = found[1];
    if (least) least[i] = found[2];
  }

  /* high, low and, where it is asked for, least, of one lane. */
  HD void find(PetscInt i, int lane, int lanes, bool with_least, Exponent *found) const
  {
    constexpr double none    = -1.7e308;
    double           largest = 0, minus_least = none;

    for (PetscInt k = ptr[i] + lane; k < ptr[i + 1]; k += lanes) {
      const double a = size(i, k);

      if (a > largest && is_finite(a)) largest = a;
    }
    largest = most_of_lanes(largest, lanes);
    for (PetscInt k = ptr[i] + lane; with_least && k < ptr[i + 1]; k += lanes) {
      const double a = size(i, k);

      if (a > rounding * largest && is_finite(a) && -a > minus_least) minus_least = -a;
    }
    if (with_least) minus_least = most_of_lanes(minus_least, lanes);
    found[0] = static_cast<Exponent>(RowExponents::high(largest));
    found[1] = static_cast<Exponent>(RowExponents::low(largest));
    found[2] = static_cast<Exponent>(minus_least > none ? no_exponent - ilogb(minus_least) : 0);
  }

private:
  HD double size(PetscInt i, PetscInt k) const
  {
    double a = size_of(val[k]);

    if (inverse_row) a *= PetscRealPart(inverse_row[i]);
    if (inverse_col) a *= PetscRealPart(inverse_col[col[k]]);
    return a;
  }
};

/* The most of all rows that are short. */
struct MostOfShortRows {
  RowExponent row;
  bool        with_least;

  HD void operator()(PetscInt i, std::int64_t *most) const
  {
    Exponent found[3];

    row.find(i, 0, 1, with_least, found);
    for (int k = 0; k < 2 + with_least; k++) most[k] = Most::join<std::int64_t>(most[k], found[k]);
  }
};

constexpr std::int64_t few = 5; // entries of a short row

/* Rows that are long are for a warp each; of very short ones a warp's threads read what lies together. */
void for_each_row_of_values(Csr A, const RowExponent &body)
{
  constexpr std::int64_t long_row = 40, some = 10;
  const std::int64_t     n = entries(A);

  if (!body.inverse_col) A.col = nullptr;
  if (A.space == Space::Cuda && n > long_row * A.nrows) for_each_row_by_lanes(A.space, A.nrows, body);
  else if (A.space == Space::Cuda && n > some * A.nrows) for_each_row_by_few_lanes(A.space, A.nrows, body);
  else if (A.space == Space::Cuda && n <= few * A.nrows) for_each_row(A.space, A.nrows, body);
  else for_each_csr_row(A, 1, body);
}

/* least: or null */
HD void most_of_rows(PetscInt i, std::int64_t *most, const Exponent *high, const Exponent *low, const Exponent *least)
{
  most[0] = Most::join<std::int64_t>(most[0], high[i]);
  most[1] = Most::join<std::int64_t>(most[1], low[i]);
  if (least) most[2] = Most::join<std::int64_t>(most[2], least[i]);
}

/* Of a power of two near the root of a diagonal entry; 1: there is no such root. */
HD bool        has_root(double d) { return d > 0 && is_finite(d); }
HD PetscScalar inverse_root(double d) { return has_root(d) ? ldexp(1.0, -(ilogb(d) / 2)) : 1; }

template <class V> HD void root_at(PetscInt i, std::int64_t *bad, const PetscScalar *diagonal, PetscScalar *inverse, V *root)
{
  const double d = size_of(DoubleScalar(diagonal[i]));

  *bad += !has_root(d);
  inverse[i] = inverse_root(d);
  root[i]    = static_cast<V>(PetscReal(1) / inverse[i]);
}

/* bad: no such root. */
HD void diagonal_roots(PetscInt i, const PetscInt *ptr, const PetscInt *col, const PetscScalar *val, PetscScalar *inverse, std::int64_t *bad)
{
  DoubleScalar sum = 0;

  for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++)
    if (col[k] == i) sum += val[k];
  const double d = size_of(sum);

  bad[i]     = !has_root(d) && ptr[i] < ptr[i + 1];
  inverse[i] = inverse_root(d);
}

HD inline int inside(std::int64_t shift) { return static_cast<int>(PetscMax(-most_shift, PetscMin(most_shift, shift))); }

HD void row_inverse(PetscInt i, const Exponent *high, PetscScalar *inverse) { inverse[i] = high[i] ? ldexp(1.0, inside(no_exponent - high[i])) : 1; }

template <class V> HD void invert_scale(PetscInt i, const PetscScalar *inverse, V *result) { result[i] = static_cast<V>(PetscReal(1) / inverse[i]); }

HD void scale_row(PetscInt i, int lane, int lanes, const Csr &A, const PetscScalar *inverse_row, const PetscScalar *inverse_col, int shift, PetscScalar *to)
{
  for (PetscInt k = A.ptr[i] + lane; k < A.ptr[i + 1]; k += lanes) {
    DoubleScalar a = A.val[k];

    if (inverse_row) a *= PetscRealPart(inverse_row[i]);
    if (inverse_col) a *= PetscRealPart(inverse_col[A.col[k]]);
    to[k] = static_cast<PetscScalar>(times_power(a, shift));
  }
}

template <class V> struct Multiply {
  const V *a, *x;
  V       *y;

  HD void operator()(PetscInt i) const { y[i] = a[i] * x[i]; }
};

} // namespace

/* Whether the largest entries of all rows lie inside the range after a shift by a power of two; any: the smallest do not matter. extremes: the most of high and
   of low. */
static bool shift_into(const std::int64_t *extremes, const StoreRange &range, bool any, int *shift)
{
  const std::int64_t most = extremes[0] - no_exponent, least = no_exponent - extremes[1];

  *shift = 0;
  if (most == -no_exponent) return true; // no entry to scale
  if (most > range.most || least - inside_rows < range.least) *shift = inside(range.most - most);
  return any || least + *shift - inside_rows >= range.least;
}

static bool shift_into(const RowExponents &rows, const StoreRange &range, int *shift)
{
  const std::int64_t extremes[2] = {rows.most, rows.least};

  return shift_into(extremes, range, false, shift);
}

/* The most of high, low and, where it is asked for, least over all rows: most[3], in the space. */
static void find_extremes(const Csr &A, const PetscScalar *row, const PetscScalar *col, bool with_least, std::int64_t *most)
{
  if (A.space == Space::Cuda && entries(A) <= few * A.nrows) {
    join_rows<Most, 3>(A.space, A.nrows, MostOfShortRows{{A.ptr, A.col, A.val, row, col, nullptr, nullptr, nullptr}, with_least}, most);
    return;
  }
  Array<Exponent> high(A.space, A.nrows), low(A.space, A.nrows), least(A.space, with_least ? A.nrows : 0);

  for_each_row_of_values(A, RowExponent{A.ptr, A.col, A.val, row, col, high.data(), low.data(), least.data()});
  join_rows<Most, 3>(A.space, A.nrows, bound<most_of_rows>(high.data(), low.data(), least.data()), most);
}

std::vector<RowExponents> exponents_of(const std::vector<Csr> &matrices)
{
  const std::size_t         n = matrices.size();
  Array<std::int64_t>       most(n ? matrices[0].space : Space::Host, 3 * n);
  std::vector<RowExponents> all;

  for (std::size_t k = 0; k < n; k++) find_extremes(matrices[k], nullptr, nullptr, true, most.data() + 3 * k);
  const std::vector<std::int64_t> found = most.to_host();
  for (std::size_t k = 0; k < n; k++) all.push_back({found[3 * k], found[3 * k + 1], found[3 * k + 2]});
  return all;
}

template <class V> bool ValueScaling<V>::fits(const Csr &A, const StoreRange &range, const PetscScalar *row, const PetscScalar *col, bool any, int *shift)
{
  Array<std::int64_t> most(A.space, 3);

  find_extremes(A, row, col, false, most.data());
  return shift_into(most.to_host().data(), range, any, shift);
}

template <class V> bool ValueScaling<V>::keeps_all(const RowExponents &rows, const StoreRange &range)
{
  int shift;

  return shift_into(rows, range, &shift) && (rows.smallest == 0 || no_exponent - rows.smallest + shift >= range.least);
}

template <class V> Csr ValueScaling<V>::apply(const Csr &A, const StoreRange &range, PetscScalar *left, const RowExponents *known)
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
  if (!(known ? shift_into(*known, range, &shift) : fits(A, range, nullptr, nullptr, false, &shift))) {
    inverse = Array<PetscScalar>(A.space, A.nrows);
    rows    = Array<std::int64_t>(A.space, A.nrows);
    if (A.nrows == A.ncols) {
      for_each_row(A.space, A.nrows, bound<diagonal_roots>(A.ptr, A.col, A.val, inverse.data(), rows.data()));
      symmetric_ = !sum(A.space, rows.data(), rows.size()) && fits(A, range, inverse.data(), inverse.data(), false, &shift);
    }
    if (!symmetric_) {
      Array<Exponent> high(A.space, A.nrows), low(A.space, A.nrows);

      for_each_row_of_values(A, RowExponent{A.ptr, A.col, A.val, nullptr, nullptr, high.data(), low.data(), nullptr});
      for_each_row(A.space, A.nrows, bound<row_inverse>(high.data(), inverse.data()));
      fits(A, range, inverse.data(), nullptr, true, &shift);
    }
    row  = inverse.data();
    col  = symmetric_ ? row : nullptr;
    row_ = Array<V>(A.space, A.nrows);
    for_each_row(A.space, A.nrows, bound<invert_scale<V>>(row, row_.data()));
    if (symmetric_) x_ = Array<V>(A.space, A.ncols);
  }
  factor_ = static_cast<RealOf<V>>(std::ldexp(1.0, -shift));
  if (left) *left = row ? 1 : std::ldexp(1.0, shift);
  if (!row && (left || !shift)) return S;
  values_ = Array<PetscScalar>(A.space, entries(A));
  for_each_row_by_few_lanes(A.space, A.nrows, bound<scale_row>(A, row, col, shift, values_.data()));
  S.val = values_.data();
  return S;
}

template <class V> bool ValueScaling<V>::take_one_factor(const RowExponents &rows, const StoreRange &range, PetscScalar *factor)
{
  int shift;

  if (!shift_into(rows, range, &shift)) return false;
  took_one_factor(static_cast<PetscReal>(std::ldexp(1.0, shift)));
  *factor = std::ldexp(1.0, shift);
  return true;
}

template <class V> bool ValueScaling<V>::take_roots(Space space, PetscInt n, const PetscScalar *diagonal, Array<PetscScalar> &inverse)
{
  inverse    = Array<PetscScalar>(space, n, unset);
  row_       = Array<V>(space, n, unset);
  x_         = Array<V>(space, n, unset);
  factor_    = 1;
  symmetric_ = joined_rows<Plus, 1, std::int64_t>(space, n, bound<root_at<V>>(diagonal, inverse.data(), row_.data()))[0] == 0;
  return symmetric_;
}

template <class V> const V *ValueScaling<V>::vector(const V *x) const
{
  if (!x_.size()) return x;
  for_each_row(x_.space(), static_cast<PetscInt>(x_.size()), Multiply<V>{row_.data(), x, x_.data()});
  return x_.data();
}

FOR_EACH_VECTOR(INSTANTIATE, ValueScaling)

} // namespace goza
