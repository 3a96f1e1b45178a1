/* Chebyshev iteration of the first kind on D^-1 A over [beta/ratio, beta], beta = lambda_max (Araya, Fujii, Tanaka: paper P5; Saad, Iterative
   Methods, algorithm 12.1). One application of degree m is a polynomial in D^-1 A, so the same before and after the coarse correction keeps a
   symmetric preconditioner symmetric. */
#pragma once
#include "chebyshev4.hpp"
#include <cstdio>

namespace goza
{

template <class V> class ChebyshevSmoother final : public Smoother<V> {
public:
  ChebyshevSmoother(const SmootherInput<V> &input, const SmootherOptions &options) : A_(input.A), D_(input.D), beta_(input.lambda), options_(options) { }

  static PetscErrorCode create(const SmootherInput<V> &input, const SmootherOptions &options, std::unique_ptr<Smoother<V>> &smoother)
  {
    PetscFunctionBegin;
    if (options.chebyshev_kind == 4) PetscCallCXX(smoother = std::make_unique<Chebyshev4Smoother<V>>(input, options));
    else PetscCallCXX(smoother = std::make_unique<ChebyshevSmoother>(input, options));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  int    steps(bool zero_guess) const override { return static_cast<int>(options_.sweeps * options_.chebyshev_degree) - zero_guess; }
  double products(bool zero_guess) const override { return steps(zero_guess); }

  PetscErrorCode apply(const V *b, const LevelVectors<V> &v, int at, Pass pass, int *end) override
  {
    const PetscReal alpha = beta_ / options_.chebyshev_ratio, theta = (beta_ + alpha) / 2, delta = (beta_ - alpha) / 2, sigma = theta / delta;

    PetscFunctionBegin;
    for (PetscInt sweep = 0; sweep < options_.sweeps; sweep++) {
      PetscReal rho = 1 / sigma, c1 = 0, c2 = 1 / theta;

      for (PetscInt k = 0; k < options_.chebyshev_degree; k++) {
        if (k == 0 && sweep == 0 && pass == Pass::FromZero) PetscCallCXX(first_step(A_.space(), D_.n, static_cast<V>(c2), D_.inv, D_.alone, b, v.x[at], v.d));
        else {
          PetscCall(A_.apply(v.x[at], ChebyshevStep<V>{static_cast<V>(c1), static_cast<V>(c2), D_.inv, b, v.x[at], v.d, v.x[1 - at]}));
          at = 1 - at;
        }
        const PetscReal next = 1 / (2 * sigma - rho);

        c1  = next * rho;
        c2  = 2 * next / delta;
        rho = next;
      }
    }
    *end = at;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string describe() const override
  {
    char text[120];

    std::snprintf(text, sizeof(text), "chebyshev, %d sweep(s) of degree %d on [%.4g, %.4g]", static_cast<int>(options_.sweeps), static_cast<int>(options_.chebyshev_degree),
                  static_cast<double>(beta_ / options_.chebyshev_ratio), static_cast<double>(beta_));
    return text;
  }

private:
  ParOperator<V>    &A_;
  InverseDiagonal<V> D_;
  PetscReal          beta_;
  SmootherOptions    options_;
};

} // namespace goza
