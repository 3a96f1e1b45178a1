/* Relaxed Jacobi: x += omega D^-1 (b - A x). */
#pragma once
#include "jacobi_steps.hpp"
#include <cstdio>

namespace goza::saamg {

template <class V> class JacobiSmoother final : public JacobiSteps<V> {
public:
  JacobiSmoother(const SmootherInput<V> &input, PetscInt sweeps, PetscReal relax) :
    JacobiSteps<V>(input, sweeps, {static_cast<double>(relax)}), sweeps_(sweeps), relax_(relax)
  {
  }

  static PetscErrorCode create(const SmootherInput<V> &input, const SmootherOptions &options, std::unique_ptr<Smoother<V>> &smoother)
  {
    PetscFunctionBegin;
    PetscCall(Guarded([&] { smoother = std::make_unique<JacobiSmoother>(input, options.sweeps, converging(options.jacobi_relax, input.grid.lambda)); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string describe() const override
  {
    char text[80];

    std::snprintf(text, sizeof(text), "jacobi, %d sweep(s), relaxation %.3g", static_cast<int>(sweeps_), static_cast<double>(relax_));
    return text;
  }

private:
  /* A step with relax * lambda > 2 lets some errors grow, and the cycle is then not positive, so that CG ends; on coarse levels of systems lambda is 7. That
     which damps the upper end most and is 2/3 where lambda is 2 takes its place. The estimate itself decides: relaxation 1 for nodes of two colours, whose
     lambda is 2 or just below, stays. */
  static PetscReal converging(PetscReal relax, PetscReal lambda) { return relax * lambda <= 2 ? relax : static_cast<PetscReal>(4) / 3 / lambda; }

  PetscInt  sweeps_;
  PetscReal relax_;
};

} // namespace goza::saamg
