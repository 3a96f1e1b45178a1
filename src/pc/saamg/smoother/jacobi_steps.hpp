/* Smoothers that are steps of relaxed Jacobi: x += omega D^-1 (b - A x), each step with an omega of its own. */
#pragma once
#include "petsc/errors.hpp"
#include "smoother.hpp"

namespace goza::saamg {

template <class V> class JacobiSteps : public Smoother<V> {
public:
  int    steps(bool zero_guess) const override { return static_cast<int>(omega_.size()) - zero_guess; }
  double products(bool zero_guess) const override { return steps(zero_guess); }

  bool first_step(FirstStep<V> *step) const override
  {
    step->c        = omega_[0];
    step->dinv     = D_.inv;
    step->isolated = D_.isolated;
    return true;
  }

  PetscErrorCode apply(const V *b, V *const x[2], int at, Pass pass, int *end) override
  {
    PetscFunctionBegin;
    if (pass == Pass::FromZero) PetscCall(Guarded([&] { take_first_step(A_.space(), D_.n, FirstStep<V>{omega_[0], D_.inv, D_.isolated, x[at]}, b); }));
    for (std::size_t step = pass == Pass::FromZero || pass == Pass::Begun; step < omega_.size(); step++, at = 1 - at)
      PetscCall(take_step(step, b, x[at], x[1 - at]));
    *end = at;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

protected:
  /* omega: of a sweep */
  JacobiSteps(const SmootherInput<V> &input, PetscInt sweeps, const std::vector<double> &omega) : A_(input.A), D_(input.relaxing)
  {
    for (PetscInt sweep = 0; sweep < sweeps; sweep++) omega_.insert(omega_.end(), omega.begin(), omega.end());
  }

private:
  PetscErrorCode take_step(std::size_t step, const V *b, const V *x, V *y)
  {
    const V *const diagonal = D_.of_A ? A_.diagonal_block().main_diagonal() : nullptr;

    return A_.apply(x, JacobiStep<V>{omega_[step], diagonal ? diagonal : D_.inv, b, x, y, diagonal != nullptr});
  }

  ParOperator<V>    &A_;
  InverseDiagonal<V> D_;
  std::vector<V>     omega_; // of all sweeps
};

} // namespace goza::saamg
