/* The first step of a smoother from zero: x = (c D^-1 + isolated) b. Of elements only: a pass that makes b can take it as well. */
#pragma once
#include "core/util/scalar_types.hpp"

namespace goza {

template <class V> struct FirstStep {
  V c = 0;
  // isolated, where there is any: the inverse diagonal of rows coupled to nothing, whose D^-1 is 0: they are solved once and left there
  const V *dinv = nullptr, *isolated = nullptr;
  V       *x = nullptr, *b = nullptr; // b: where the right-hand side is wanted as well

  struct Read {
    V dinv, isolated, b;
  };

  HD Read load(PetscInt i, V bi) const { return {dinv[i], isolated ? isolated[i] : V(0), bi}; }
  HD void store(PetscInt i, const Read &read) const
  {
    if (b) b[i] = read.b;
    x[i] = c * read.dinv * read.b + read.isolated * read.b;
  }
};

/* That of a finest level in either precision, for a pass of PetscScalars; or none. */
struct AnyFirstStep {
  enum Kind { none, wide, narrow };

  Kind                    kind = none;
  FirstStep<PetscScalar>  as_wide;
  FirstStep<SingleScalar> as_narrow;

  AnyFirstStep() = default;
  explicit AnyFirstStep(const FirstStep<PetscScalar> &step) : kind(wide), as_wide(step) { }
#if !PetscDefined(USE_REAL_SINGLE)
  explicit AnyFirstStep(const FirstStep<SingleScalar> &step) : kind(narrow), as_narrow(step) { }
#endif

  struct Read {
    PetscScalar dinv, isolated;
  };

  HD Read load(PetscInt i) const
  {
    if (kind == wide) {
      const auto read = as_wide.load(i, 0);

      return {read.dinv, read.isolated};
    }
    if (kind == narrow) {
      const auto read = as_narrow.load(i, 0);

      return {static_cast<PetscScalar>(read.dinv), static_cast<PetscScalar>(read.isolated)};
    }
    return {0, 0};
  }
  HD void store(PetscInt i, const Read &read, PetscScalar bi) const
  {
    if (kind == wide) as_wide.store(i, {read.dinv, read.isolated, bi});
    if (kind == narrow) as_narrow.store(i, {static_cast<SingleScalar>(read.dinv), static_cast<SingleScalar>(read.isolated), static_cast<SingleScalar>(bi)});
  }
};

} // namespace goza
