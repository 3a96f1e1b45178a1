/* Row bodies of Lanczos for D^-1 A in the inner product of |D|, D of one sign. Its vectors are not normalised by themselves: whoever reads one divides by
   its length. All coefficients stay where the vectors are until all steps are done. V is the type of the vectors; sums are in PetscScalar. */
#pragma once
#include "core/launch/row_sums.hpp"
#include "core/util/half.hpp"
#include "lanczos.hpp"
#include <cmath>

namespace goza::saamg {

/* From a squared length, which rounding may make negative. */
template <class Real = PetscReal> HD inline Real length_of(PetscScalar length2) { return std::sqrt(static_cast<Real>(PetscMax(PetscRealPart(length2), 0))); }

template <class Real> HD inline Real inverse_length(PetscScalar length2)
{
  const Real length = length_of<Real>(length2);

  return length > 0 ? 1 / length : 0;
}

struct ExactInverse {
  const PetscScalar *dinv;

  HD PetscScalar operator()(PetscInt i) const { return dinv[i]; }
};

/* Of a copy in half precision by its own diagonal, a quarter of what the inverse takes: eigenvalues are then those of one matrix. */
struct RoughInverse {
  const HalfScalar *diagonal;

  HD PetscScalar operator()(PetscInt i) const
  {
    const SingleScalar d = static_cast<SingleScalar>(diagonal[i]);

    return d != SingleScalar(0) ? static_cast<PetscScalar>(SingleScalar(1) / d) : PetscScalar(0);
  }
};

/* v_i^H |d_i| v_i, d_i the diagonal entry; 0 where there is none. */
HD inline PetscScalar part_of_length2(PetscReal sign, PetscScalar v, PetscScalar dinv)
{
  return dinv != PetscScalar(0) ? sign * PetscConj(v) * v / dinv : PetscScalar(0);
}

/* v, |v|^2, and zeros before it. Rows alone keep their zeros in every step: what they do to other rows, where their columns were not eliminated, is not
   symmetric, and their own eigenvalues are 1. */
template <class V, class Inverse>
HD void start_at(PetscInt i, PetscScalar *sum, const NodeIds &ids, PetscReal sign, const Inverse &inverse, const unsigned char *isolated, V *v, V *v_old)
{
  const PetscScalar dinv = inverse(i);

  v_old[i] = V(0);
  v[i]     = isolated[i] ? V(0) : static_cast<V>(sign * dinv * hashed_entry(ids.of_row(i), dinv));
  *sum += part_of_length2(sign, static_cast<PetscScalar>(v[i]), dinv);
}

template <class V> struct Product {
  const V *w, *v;

  HD void operator()(PetscInt i, PetscScalar *sum) const { *sum += static_cast<PetscScalar>(w[i]) * PetscConj(static_cast<PetscScalar>(v[i])); }
};

/* What one step finds, in this order: w^T v, w = A v; w^T v_old; and of the parts that rows have in the squared length of the next v the sum of squares, and
   the sum. */
constexpr PetscInt numbers_of_lanczos = 4;

template <class V> constexpr int rows_to_advance = sizeof(V) < 16 ? 16 / sizeof(V) : 1; // of a thread, of a long vector
constexpr PetscInt               few_to_advance  = 1 << 20;                             // of a shorter one each has a thread

/* With w and v divided by |v|: the next v = |D|^-1 w - (w^T v) v - |v| v_old / |v_old| in the place of v_old. Sums: w^T v_old, and two of the
   parts of the next |v|^2. */
template <class V, class Inverse> struct Advance {
  RealOf<V> sign, length, by, by_old; // |v|, 1 / |v|, 1 / |v_old|; of the first step v_old is zero
  V         wv;
  const V  *w, *v;
  Inverse   inverse;
  V        *v_old;

  struct Row {
    V           w, v, before;
    PetscScalar dinv;
  };

  HD Row  read(PetscInt i) const { return {w[i], v[i], v_old[i], inverse(i)}; }
  HD void write(PetscInt i, const Row &row, PetscScalar *sum) const
  {
    const V           next = by * (sign * static_cast<V>(row.dinv) * row.w - wv * by * by * row.v) - length * by_old * row.before;
    const PetscScalar part = part_of_length2(static_cast<PetscReal>(sign), static_cast<PetscScalar>(next), row.dinv);

    v_old[i] = next;
    sum[0] += static_cast<PetscScalar>(row.w) * PetscConj(static_cast<PetscScalar>(row.before));
    sum[1] += part * part;
    sum[2] += part;
  }
  HD void operator()(PetscInt i, PetscScalar *sum) const { write(i, read(i), sum); }
};

/* Its numbers are where the vectors are. For rows k, k + stride, ...: what a device reads of them is on its way before it writes, and waits for nothing. */
template <class V, class Inverse> struct AdvanceBy {
  PetscReal          sign;
  const PetscScalar *wv, *length2, *length2_old;
  const V           *w, *v;
  Inverse            inverse;
  V                 *v_old;
  PetscInt           n, stride;

  HD Advance<V, Inverse> read() const
  {
    using Real = RealOf<V>;

    return {static_cast<Real>(sign),
            length_of<Real>(*length2),
            inverse_length<Real>(*length2),
            inverse_length<Real>(*length2_old),
            static_cast<V>(*wv),
            w,
            v,
            inverse,
            v_old};
  }
  HD void operator()(PetscInt k, PetscScalar *sum) const
  {
    const Advance<V, Inverse>         advance = read();
    typename Advance<V, Inverse>::Row rows[rows_to_advance<V>]{};

    UNROLL()
    for (int r = 0; r < rows_to_advance<V>; r++)
      if (k + r * stride < n) rows[r] = advance.read(k + r * stride);
    UNROLL()
    for (int r = 0; r < rows_to_advance<V>; r++)
      if (k + r * stride < n) advance.write(k + r * stride, rows[r], sum);
  }
};

} // namespace goza::saamg
