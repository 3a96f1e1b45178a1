/* Factors, all of them powers of two and thus exact, that bring the values of a matrix into the range of a type with few bits of exponent:
   A = factor R S C with S stored, R and C diagonal. The first that serves is taken:
     uniform     R = C = I, where the largest entries of all rows are near enough to each other;
     symmetric   R = C = D^1/2, D the diagonal of A: S is symmetric where A is, and its entries are at most about 1 where A is positive definite;
     rows        R the largest entry of each row, C = I: serves always.
   Infinities and NaNs stay what they are. */
#pragma once
#include "core/device/array.hpp"
#include "csr.hpp"
#include "core/util/scalar_types.hpp"
#include "core/launch/row_out.hpp"
#include <cstdint>

namespace goza {

struct StoreRange {
  int least, most; // exponents of two
};

/* The exponents of two of the rows' largest entries: of the largest of them, and of the smallest, negated; both from far above 0, which stands for rows without
   a finite entry other than 0. Found by joining over all rows with Most. */
struct RowExponents {
  static constexpr std::int64_t far_above = 4096;

  std::int64_t most = 0, least = 0, smallest = 0; // smallest: as least, of the smallest of all entries that are not rounding; 0: not looked for

  static constexpr double rounding = 135 * PETSC_MACHINE_EPSILON; // of the largest entry of a row: what is less is what sums that cancel leave

  HD static std::int64_t high(double largest) { return largest > 0 ? far_above + ilogb(largest) : 0; }
  HD static std::int64_t low(double largest) { return largest > 0 ? far_above - ilogb(largest) : 0; }
};

/* Of some matrices in one space, for which the host waits once. */
std::vector<RowExponents> exponents_of(const std::vector<Csr> &matrices);

template <class V> class ValueScaling {
public:
  /* Whether one factor serves for all of a matrix, and every entry that is not rounding keeps all its bits. */
  static bool keeps_all(const RowExponents &rows, const StoreRange &range);
  /* A with the values to store; they live until release() or the next call. left: where one factor serves, it is left to the caller, and the values are A's.
     known: what A has, or null. */
  Csr apply(const Csr &A, const StoreRange &range, PetscScalar *left = nullptr, const RowExponents *known = nullptr);
  /* Where one factor serves, for values that are scaled by it elsewhere. */
  bool take_one_factor(const RowExponents &rows, const StoreRange &range, PetscScalar *factor);
  /* Symmetric scaling of rows whose largest entries are on the diagonal, for values that are multiplied elsewhere by inverse[row] inverse[column]; false: not
     all of the diagonal is positive. */
  bool take_roots(Space space, PetscInt n, const PetscScalar *diagonal, Array<PetscScalar> &inverse);
  void took_one_factor(PetscReal factor) // values that are scaled by it already
  {
    symmetric_ = false;
    row_       = Array<V>(row_.space());
    x_         = Array<V>(x_.space());
    factor_    = static_cast<RealOf<V>>(1 / factor);
  }
  void release() { values_ = Array<PetscScalar>(values_.space()); }

  /* A product with S: its x, and what becomes of its sums. */
  const V     *vector(const V *x) const;
  ScaledOut<V> output(const RowOut<V> &out) const { return ScaledOut<V>(out, factor_, row_.size() ? row_.data() : nullptr); }

  std::size_t bytes() const { return row_.bytes() + x_.bytes(); }
  const char *describe() const
  {
    return symmetric_ ? "symmetric scaling by the diagonal" : row_.size() ? "scaling of the rows" : factor_ != 1 ? "one scale" : "unscaled";
  }

private:
  static bool fits(const Csr &A, const StoreRange &range, const PetscScalar *row, const PetscScalar *col, bool any, int *shift);

  V                  factor_    = 1;
  bool               symmetric_ = false;
  Array<V>           row_;    // [rows] or empty
  mutable Array<V>   x_;      // C x, where C is not I
  Array<PetscScalar> values_; // of S
};

} // namespace goza
