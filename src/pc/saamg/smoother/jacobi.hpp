/* Relaxed Jacobi: x += omega D^-1 (b - A x). */
#pragma once
#include "jacobi_steps.hpp"
#include <cstdio>

namespace goza
{

template <class V> class JacobiSmoother final : public JacobiSteps<V> {
public:
  JacobiSmoother(const SmootherInput<V> &input, const SmootherOptions &options) :
    JacobiSteps<V>(input, options.sweeps, {static_cast<double>(options.jacobi_relax)}), options_(options)
  {
  }

  static PetscErrorCode create(const SmootherInput<V> &input, const SmootherOptions &options, std::unique_ptr<Smoother<V>> &smoother)
  {
    PetscFunctionBegin;
    PetscCallCXX(smoother = std::make_unique<JacobiSmoother>(input, options));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string describe() const override
  {
    char text[80];

    std::snprintf(text, sizeof(text), "jacobi, %d sweep(s), relaxation %.3g", static_cast<int>(options_.sweeps), static_cast<double>(options_.jacobi_relax));
    return text;
  }

private:
  SmootherOptions options_;
};

} // namespace goza
