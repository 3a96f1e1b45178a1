/* The Chebyshev polynomial of the fourth kind with optimal weights (chebyshev_roots.hpp) in D^-1 A / lambda_max. It needs no lower end of an interval. Its roots
   being known, it is as many steps of relaxed Jacobi. */
#pragma once
#include "chebyshev_roots.hpp"
#include "smoother.hpp"
#include <cstdio>

namespace goza
{

template <class V> class Chebyshev4Smoother final : public Smoother<V> {
public:
  Chebyshev4Smoother(const SmootherInput<V> &input, const SmootherOptions &options) :
    A_(input.A), D_(input.D), beta_(input.lambda), roots_(leja_order(optimal_roots(static_cast<int>(options.chebyshev_degree)))), sweeps_(options.sweeps)
  {
  }

  int    steps(bool zero_guess) const override { return static_cast<int>(sweeps_) * degree() - zero_guess; }
  double products(bool zero_guess) const override { return steps(zero_guess); }

  PetscErrorCode apply(const V *b, const LevelVectors<V> &v, int at, Pass pass, int *end) override
  {
    bool from_zero = pass == Pass::FromZero;

    PetscFunctionBegin;
    for (PetscInt sweep = 0; sweep < sweeps_; sweep++) {
      for (double root : roots_) {
        const V omega = static_cast<V>(1 / (beta_ * root));

        if (from_zero) PetscCallCXX(first_step(A_.space(), D_.n, omega, D_.inv, D_.alone, b, v.x[at], static_cast<V *>(nullptr)));
        else {
          PetscCall(A_.apply(v.x[at], JacobiStep<V>{omega, D_.inv, b, v.x[at], v.x[1 - at]}));
          at = 1 - at;
        }
        from_zero = false;
      }
    }
    *end = at;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string describe() const override
  {
    char text[120];

    std::snprintf(text, sizeof(text), "chebyshev of the fourth kind, %d sweep(s) of degree %d up to %.4g", static_cast<int>(sweeps_), degree(), static_cast<double>(beta_));
    return text;
  }

private:
  int degree() const { return static_cast<int>(roots_.size()); }

  ParOperator<V>     &A_;
  InverseDiagonal<V>  D_;
  PetscReal           beta_;
  std::vector<double> roots_;
  PetscInt            sweeps_;
};

} // namespace goza
