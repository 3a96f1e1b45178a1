/* Chebyshev polynomials of D^-1 A: of the first kind over [beta/ratio, beta], beta = lambda_max (Araya, Fujii, Tanaka: paper P5; Saad, Iterative Methods, algorithm 12.1),
   or of the fourth with optimal weights, which need no lower end of an interval. Their roots being known, both are as many steps of relaxed Jacobi: these read and write two
   vectors less than the recurrence of three terms does, and keep none from step to step. The same polynomial before and after the coarse correction keeps a symmetric
   preconditioner symmetric. */
#pragma once
#include "chebyshev_roots.hpp"
#include "smoother.hpp"
#include <cstdio>

namespace goza
{

template <class V> class ChebyshevSmoother final : public Smoother<V> {
public:
  ChebyshevSmoother(const SmootherInput<V> &input, const SmootherOptions &options) :
    A_(input.A), D_(input.D), beta_(input.lambda), options_(options), roots_(leja_order(roots(options)))
  {
  }

  static PetscErrorCode create(const SmootherInput<V> &input, const SmootherOptions &options, std::unique_ptr<Smoother<V>> &smoother)
  {
    PetscFunctionBegin;
    PetscCallCXX(smoother = std::make_unique<ChebyshevSmoother>(input, options));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  int    steps(bool zero_guess) const override { return static_cast<int>(options_.sweeps * options_.chebyshev_degree) - zero_guess; }
  double products(bool zero_guess) const override { return steps(zero_guess); }

  PetscErrorCode apply(const V *b, V *const x[2], int at, Pass pass, int *end) override
  {
    const bool from_zero = pass == Pass::FromZero;

    PetscFunctionBegin;
    if (from_zero) PetscCallCXX(first_step(A_.space(), D_.n, omega(0), D_.inv, D_.alone, b, x[at]));
    PetscCall(go_on(from_zero, b, x, at, end));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode start(const PetscScalar *given, V *b, V *const x[2], int at, int *end) override
  {
    PetscFunctionBegin;
    PetscCallCXX(first_step(A_.space(), D_.n, omega(0), D_.inv, D_.alone, given, b, x[at]));
    PetscCall(go_on(1, b, x, at, end));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string describe() const override
  {
    const int    sweeps = static_cast<int>(options_.sweeps), degree = static_cast<int>(roots_.size());
    const double beta = static_cast<double>(beta_);
    char         text[120];

    if (options_.chebyshev_kind == 4)
      std::snprintf(text, sizeof(text), "chebyshev of the fourth kind, %d sweep(s) of degree %d up to %.4g", sweeps, degree, beta);
    else
      std::snprintf(text, sizeof(text), "chebyshev, %d sweep(s) of degree %d on [%.4g, %.4g]", sweeps, degree, beta / static_cast<double>(options_.chebyshev_ratio), beta);
    return text;
  }

private:
  V omega(int step) const { return static_cast<V>(1 / (beta_ * roots_[static_cast<std::size_t>(step) % roots_.size()])); }

  PetscErrorCode go_on(int step, const V *b, V *const x[2], int at, int *end)
  {
    PetscFunctionBegin;
    for (; step < steps(false); step++, at = 1 - at) PetscCall(A_.apply(x[at], JacobiStep<V>{omega(step), D_.inv, b, x[at], x[1 - at]}));
    *end = at;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* Of D^-1 A / beta. */
  static std::vector<double> roots(const SmootherOptions &options)
  {
    const int degree = static_cast<int>(options.chebyshev_degree);

    return options.chebyshev_kind == 4 ? optimal_roots(degree) : first_kind_roots(degree, static_cast<double>(options.chebyshev_ratio));
  }

  ParOperator<V>     &A_;
  InverseDiagonal<V>  D_;
  PetscReal           beta_;
  SmootherOptions     options_;
  std::vector<double> roots_;
};

} // namespace goza
