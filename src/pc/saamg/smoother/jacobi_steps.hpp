/* Smoothers that are steps of relaxed Jacobi: x += omega D^-1 (b - A x), each step with an omega of its own. */
#pragma once
#include "smoother.hpp"
#include <vector>

namespace goza::saamg
{

template <class V> class JacobiSteps : public Smoother<V> {
public:
  int    steps(bool zero_guess) const override { return static_cast<int>(omega_.size()) - zero_guess; }
  double products(bool zero_guess) const override { return steps(zero_guess); }

  PetscErrorCode apply(const V *b, V *const x[2], int at, Pass pass, int *end) override
  {
    const bool from_zero = pass == Pass::FromZero;

    PetscFunctionBegin;
    if (from_zero) PetscCallCXX(first_step(A_.space(), D_.n, omega_[0], D_.inv, D_.alone, b, x[at]));
    PetscCall(go_on(from_zero, b, x, at, end));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode start(const PetscScalar *given, V *b, V *const x[2], int at, int *end) override
  {
    PetscFunctionBegin;
    PetscCallCXX(first_step(A_.space(), D_.n, omega_[0], D_.inv, D_.alone, given, b, x[at]));
    PetscCall(go_on(1, b, x, at, end));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

protected:
  /* omega: of a sweep */
  JacobiSteps(const SmootherInput<V> &input, PetscInt sweeps, const std::vector<double> &omega) : A_(input.A), D_(input.D)
  {
    for (PetscInt sweep = 0; sweep < sweeps; sweep++) omega_.insert(omega_.end(), omega.begin(), omega.end());
  }

private:
  PetscErrorCode go_on(std::size_t step, const V *b, V *const x[2], int at, int *end)
  {
    PetscFunctionBegin;
    for (; step < omega_.size(); step++, at = 1 - at) PetscCall(A_.apply(x[at], JacobiStep<V>{omega_[step], D_.inv, b, x[at], x[1 - at]}));
    *end = at;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  ParOperator<V>    &A_;
  InverseDiagonal<V> D_;
  std::vector<V>     omega_; // of all sweeps
};

} // namespace goza::saamg
