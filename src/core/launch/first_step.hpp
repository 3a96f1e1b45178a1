/* The first step of a smoother from zero: x = (c D^-1 + isolated) b. Of elements only: what makes b can take it as well. */
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

} // namespace goza
