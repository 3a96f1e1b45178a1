/* What happens to a row's sum s = (A x)_i. One body per format times one of these gives every fused kernel.

   Each is affine in s, so that a sum which arrives in two parts can be finished in two kernels: operator() with the diagonal block's part,
   more() with what the off-diagonal block adds when its halo is there. */
#pragma once
#include "space.hpp"
#include <variant>

namespace goza
{

template <class V> struct Assign { // y = A x
  V *y;

  HD void operator()(PetscInt i, V s) const { y[i] = s; }
  HD void more(PetscInt i, V s) const { y[i] += s; }
};

template <class V> struct Add { // y = z + A x; y may be z
  const V *z;
  V       *y;

  HD void operator()(PetscInt i, V s) const { y[i] = z[i] + s; }
  HD void more(PetscInt i, V s) const { y[i] += s; }
};

template <class V> struct Residual { // r = b - A x
  const V *b;
  V       *r;

  HD void operator()(PetscInt i, V s) const { r[i] = b[i] - s; }
  HD void more(PetscInt i, V s) const { r[i] -= s; }
};

template <class V> struct JacobiStep { // y = x + omega D^-1 (b - A x); y is not x
  V        omega;
  const V *dinv, *b, *x;
  V       *y;

  HD void operator()(PetscInt i, V s) const { y[i] = x[i] + omega * dinv[i] * (b[i] - s); }
  HD void more(PetscInt i, V s) const { y[i] -= omega * dinv[i] * s; }
};

template <class V> struct ChebyshevStep { // d = c1 d + c2 D^-1 (b - A x); y = x + d; y is not x
  V        c1, c2;
  const V *dinv, *b, *x;
  V       *d, *y;

  HD void operator()(PetscInt i, V s) const
  {
    V di = c2 * dinv[i] * (b[i] - s);

    if (c1 != V(0)) di += c1 * d[i]; // the first step must not see what an earlier solve left in d
    d[i] = di;
    y[i] = x[i] + di;
  }
  HD void more(PetscInt i, V s) const
  {
    const V di = c2 * dinv[i] * s;

    d[i] -= di;
    y[i] -= di;
  }
};

template <class V> using RowOut = std::variant<Assign<V>, Add<V>, Residual<V>, JacobiStep<V>, ChebyshevStep<V>>;

} // namespace goza
