/* What happens to a row's sum s = (A x)_i. One body per format times one of these gives every fused kernel.

   Each is affine in s, so that a sum which arrives in two parts can be finished in two kernels: the output with the diagonal block's part, its rest() with what
   the off-diagonal block adds when its halo is there.

   Where a row is short, a kernel waits longer for what the output reads than for the sum: early() reads it before, put() is operator() with that. */
#pragma once
#include "core/device/space.hpp"
#include <variant>

namespace goza {

template <class V> struct Assign { // y = A x
  V *y;

  HD void operator()(PetscInt i, V s) const { y[i] = s; }
};

template <class V> struct Add { // y = z + A x; y may be z
  const V *z;
  V       *y;

  HD void operator()(PetscInt i, V s) const { y[i] = z[i] + s; }
  HD V    early(PetscInt i) const { return z[i]; }
  HD void put(PetscInt i, V s, V zi) const { y[i] = zi + s; }
};

template <class V> struct Residual { // r = b - A x
  const V *b;
  V       *r;

  HD void operator()(PetscInt i, V s) const { r[i] = b[i] - s; }
  HD V    early(PetscInt i) const { return b[i]; }
  HD void put(PetscInt i, V s, V bi) const { r[i] = bi - s; }
};

template <class V> struct JacobiStep { // y = x + omega D^-1 (b - A x); y is not x
  V        omega;
  const V *dinv, *b, *x;
  V       *y;
  bool     divide = false; // dinv is D itself, which the product has brought into the caches; D^-1 is 0 where it would not be finite

  HD V relaxation(PetscInt i) const
  {
    if (!divide) return omega * dinv[i];
    const V quotient = omega / dinv[i];

    return quotient - quotient == 0 ? quotient : V(0);
  }
  HD void operator()(PetscInt i, V s) const { y[i] = x[i] + relaxation(i) * (b[i] - s); }
};

template <class Out, class = void> constexpr bool reads_early                                                           = false;
template <class Out> constexpr bool               reads_early<Out, std::void_t<decltype(std::declval<Out>().early(0))>> = true;

/* Two numbers for each thread of a block, added up when all are through: see for_each_row.hpp. On the host there is one thread. */
template <class V> HD inline V &thread_sum(int d)
{
#if defined(__CUDA_ARCH__)
  __shared__ V sums[2][1024];
  unsigned     thread;

  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread)); // anew: see end_sums()
  return sums[d][thread];
#else
  static thread_local V sums[2];

  return sums[d];
#endif
}

class FusedSums;

/* y = A x, and this rank's parts of w^H y and, if asked for, of y^H y: the same in every run. They are left in `sums`, for
   add_up() or a pass. */
template <class V> struct WithDots {
  const V   *w;
  V         *y;
  bool       squares = false;
  FusedSums *sums    = nullptr;
  V         *part    = nullptr; // [2] of each warp: where the launcher wants them

  HD void operator()(PetscInt i, V s) const
  {
    y[i] = s;
    thread_sum<V>(0) += PetscConj(w[i]) * s;
    if (squares) thread_sum<V>(1) += PetscConj(s) * s;
  }
};

template <class V> using RowOut = std::variant<Assign<V>, Add<V>, Residual<V>, JacobiStep<V>>;

/* Any of them, chosen when the kernel runs: a branch at the end of a row that all rows take alike. For values that are stored in less than V, whose
   products come in too many kinds to compile one for each output; and with the factor by which such values were scaled: s is factor * scale[i] * sum. */
template <class V> struct ScaledOut {
  enum Kind { assign, add, residual, jacobi };

  Kind     kind   = assign;
  V        factor = 1;
  const V *scale  = nullptr; // [rows] or none
  V        omega  = 0;
  const V *dinv = nullptr, *b = nullptr, *x = nullptr;
  V       *y      = nullptr;
  bool     divide = false;

  explicit ScaledOut(const RowOut<V> &out, V factor = 1, const V *scale = nullptr) : factor(factor), scale(scale)
  {
    std::visit([this](const auto &o) { take(o); }, out);
  }

  HD void operator()(PetscInt i, V sum) const { put(i, sum, early(i)); }
  HD V    early(PetscInt i) const { return b ? b[i] : V(0); }
  HD void put(PetscInt i, V sum, V bi) const
  {
    const V s = scaled(i, sum);

    if (kind == add) y[i] = bi + s;
    else if (kind == residual) y[i] = bi - s;
    else if (kind == jacobi) y[i] = x[i] + JacobiStep<V>{omega, dinv, b, x, y, divide}.relaxation(i) * (bi - s);
    else y[i] = s;
  }

  /* What remains of this output when it has had the first part of a sum: it adds to what it has written. */
  ScaledOut rest() const
  {
    ScaledOut other = *this;

    other.kind                           = kind == assign ? add : kind;
    (kind == jacobi ? other.x : other.b) = y;
    if (kind == jacobi) other.b = nullptr;
    return other;
  }

private:
  HD V scaled(PetscInt i, V sum) const { return scale ? factor * scale[i] * sum : factor * sum; }

  void take(const Assign<V> &o) { y = o.y; }
  void take(const Add<V> &o)
  {
    kind = add;
    b    = o.z;
    y    = o.y;
  }
  void take(const Residual<V> &o)
  {
    kind = residual;
    b    = o.b;
    y    = o.r;
  }
  void take(const JacobiStep<V> &o)
  {
    kind   = jacobi;
    omega  = o.omega;
    dinv   = o.dinv;
    b      = o.b;
    x      = o.x;
    y      = o.y;
    divide = o.divide;
  }
};

} // namespace goza
