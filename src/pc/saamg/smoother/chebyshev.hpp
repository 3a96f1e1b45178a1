/* Chebyshev polynomials of D^-1 A: of the first kind over [beta/ratio, beta], beta = lambda_max (Araya, Fujii, Tanaka: paper P5; Saad, Iterative Methods,
   algorithm 12.1), or over less where no eigenvalue is so small; or of the fourth with optimal weights, which need no lower end of an interval. Their roots
   being known, both are as many steps of relaxed Jacobi: these read and write two vectors less than the recurrence of three terms does, and keep none from step
   to step. The same polynomial before and after the coarse correction keeps a symmetric preconditioner symmetric. */
#pragma once
#include "chebyshev_roots.hpp"
#include "jacobi_steps.hpp"
#include <cstdio>

namespace goza::saamg {

template <class V> class ChebyshevSmoother final : public JacobiSteps<V> {
public:
  ChebyshevSmoother(const SmootherInput<V> &input, const SmootherOptions &options) :
    JacobiSteps<V>(input, options.sweeps, relaxations(options, static_cast<double>(input.lambda))), beta_(input.lambda), options_(options)
  {
  }

  static PetscErrorCode create(const SmootherInput<V> &input, const SmootherOptions &options, std::unique_ptr<Smoother<V>> &smoother)
  {
    SmootherOptions  taken = options;
    SmootherInput<V> over  = input;

    PetscFunctionBegin;
    if (options.chebyshev_ratio == PETSC_DECIDE) {
      taken.chebyshev_ratio = ratio_for(input);
      if (const PetscReal wide = ratio_on_slivers(input, options.chebyshev_degree); wide > taken.chebyshev_ratio) {
        taken.chebyshev_ratio = wide;
        over.lambda           = input.grid.bound;
      }
    }
    if (input.grid.least > 0) taken.chebyshev_ratio = PetscMax(1, PetscMin(taken.chebyshev_ratio, over.lambda / input.grid.least));
    PetscCall(Guarded([&] { smoother = std::make_unique<ChebyshevSmoother>(over, taken); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string describe() const override
  {
    const int    sweeps = static_cast<int>(options_.sweeps), degree = static_cast<int>(options_.chebyshev_degree);
    const double beta = static_cast<double>(beta_);
    char         text[120];

    if (options_.chebyshev_fourth) std::snprintf(text, sizeof(text), "chebyshev of the fourth kind, %d sweep(s) of degree %d up to %.4g", sweeps, degree, beta);
    else
      std::snprintf(text, sizeof(text), "chebyshev, %d sweep(s) of degree %d on [%.4g, %.4g]", sweeps, degree,
                    beta / static_cast<double>(options_.chebyshev_ratio), beta);
    return text;
  }

private:
  /* Where no row outweighs its diagonal much, what is below a seventh of the spectrum is smooth enough for the coarse space: with 10 CG takes 5 iterations for
     4 of 27 points. Boxes of 7 points leave what is above a tenth of it to the smoother: with 7 CG takes a twentieth more iterations. On slivers and thin
     elements, whose beta is 3 or so, more of it is left to the smoother: with 6 CG takes a tenth more of them. */
  static PetscReal ratio_for(const SmootherInput<V> &input)
  {
    if (input.grid.transfer && input.grid.transfer->on_stars()) return 10;
    return PetscMin(15, 7 + 8 * PetscMax(0, input.lambda - static_cast<PetscReal>(2.2)));
  }

  /* And the more the higher the degree. Beyond an interval that wide a polynomial grows so fast that its upper end must be a bound; 0: there is none. */
  static PetscReal ratio_on_slivers(const SmootherInput<V> &input, PetscInt degree)
  {
    const bool bounded = input.grid.bound < PETSC_MAX_REAL;

    return bounded && input.lambda > static_cast<PetscReal>(2.4) ? static_cast<PetscReal>(0.8 * degree * degree) : 0;
  }

  /* Of a sweep: one over each root, in D^-1 A's scale. */
  static std::vector<double> relaxations(const SmootherOptions &options, double beta)
  {
    const int           degree = static_cast<int>(options.chebyshev_degree);
    std::vector<double> omega  = leja_order(options.chebyshev_fourth ? optimal_roots(degree)
                                                                     : first_kind_roots(degree, static_cast<double>(options.chebyshev_ratio)));

    for (double &root : omega) root = 1 / (beta * root);
    return omega;
  }

  PetscReal       beta_;
  SmootherOptions options_;
};

} // namespace goza::saamg
