/* Relaxed Jacobi: x += omega D^-1 (b - A x). */
#pragma once
#include "smoother.hpp"
#include <cstdio>

namespace goza
{

template <class V> class JacobiSmoother final : public Smoother<V> {
public:
  JacobiSmoother(const SmootherInput<V> &input, const SmootherOptions &options) : A_(input.A), D_(input.D), options_(options) { }

  static PetscErrorCode create(const SmootherInput<V> &input, const SmootherOptions &options, std::unique_ptr<Smoother<V>> &smoother)
  {
    PetscFunctionBegin;
    PetscCallCXX(smoother = std::make_unique<JacobiSmoother>(input, options));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  int    steps(bool zero_guess) const override { return static_cast<int>(options_.sweeps) - zero_guess; }
  double products(bool zero_guess) const override { return steps(zero_guess); }

  PetscErrorCode apply(const V *b, V *const x[2], int at, Pass pass, int *end) override
  {
    const bool from_zero = pass == Pass::FromZero;

    PetscFunctionBegin;
    if (from_zero) PetscCallCXX(first_step(A_.space(), D_.n, omega(), D_.inv, D_.alone, b, x[at]));
    PetscCall(go_on(steps(from_zero), b, x, at, end));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode start(const PetscScalar *given, V *b, V *const x[2], int at, int *end) override
  {
    PetscFunctionBegin;
    PetscCallCXX(first_step(A_.space(), D_.n, omega(), D_.inv, D_.alone, given, b, x[at]));
    PetscCall(go_on(steps(true), b, x, at, end));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string describe() const override
  {
    char text[80];

    std::snprintf(text, sizeof(text), "jacobi, %d sweep(s), relaxation %.3g", static_cast<int>(options_.sweeps), static_cast<double>(options_.jacobi_relax));
    return text;
  }

private:
  V omega() const { return static_cast<V>(options_.jacobi_relax); }

  PetscErrorCode go_on(int steps, const V *b, V *const x[2], int at, int *end)
  {
    PetscFunctionBegin;
    for (; steps > 0; steps--, at = 1 - at) PetscCall(A_.apply(x[at], JacobiStep<V>{omega(), D_.inv, b, x[at], x[1 - at]}));
    *end = at;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  ParOperator<V>    &A_;
  InverseDiagonal<V> D_;
  SmootherOptions    options_;
};

} // namespace goza
