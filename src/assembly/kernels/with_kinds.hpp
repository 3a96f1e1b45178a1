/* From what is known while the program runs to the types of element and equation. */
#pragma once
#include "element.hpp"
#include "equation.hpp"
#include "numeric.hpp"

namespace goza::assembly {

/* call(Element(), Equation()) */
template <class Call> void with_kinds(const Problem &problem, ElementKind element, const Call &call)
{
  const auto with = [&](auto equation) {
    if (element == ElementKind::Hex8) call(Hex8(), equation);
    else call(Tet4(), equation);
  };

  if (problem.equation == EquationKind::Diffusion) with(Diffusion());
  else if (problem.equation == EquationKind::Elasticity) with(Elasticity());
  else if (problem.bs == 3) with(Mass<3>());
  else with(Mass<1>());
}

} // namespace goza::assembly
