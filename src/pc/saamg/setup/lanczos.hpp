/* What the estimates of the largest eigenvalue share: the vector that they start from, and the eigenvalues of the small matrices that they end in. */
#pragma once
#include "local_rows.hpp"
#include <vector>

namespace goza::saamg {

constexpr PetscInt least_lanczos_steps = 2; // one finds the mean of the eigenvalues of D^-1 A, which is 1; two at least 0.7 of the largest
constexpr PetscInt max_lanczos_steps   = 100;
constexpr PetscInt few_rows            = 24; // so many steps as rows cost nothing and miss no eigenvalue, where a few may fall short of the largest

/* A new direction shorter than this, relative to what was seen, is noise: the space is invariant, and its Ritz values are eigenvalues to that accuracy. */
constexpr PetscReal lanczos_breakdown = PETSC_SQRT_MACHINE_EPSILON;

/* The vector that the estimate starts from: numbers in (-1, 1) of the size that D^(1/2) gives the entries of an eigenvector's residual; 0 where dinv is. */
HD inline PetscScalar hashed_entry(std::int64_t name, PetscScalar dinv)
{
  const PetscReal uniform = static_cast<PetscReal>(hash62(name) >> 9) / static_cast<PetscReal>(std::uint64_t(1) << 52) - 1;

  return dinv != PetscScalar(0) ? uniform / PetscSqrtReal(PetscAbsScalar(dinv)) : 0;
}

/* The largest eigenvalue from the largest Ritz values after k and after k - 2 steps. From a random vector the distance to it falls as 1 / k^2 (Kuczynski,
   Wozniakowski 1992), which Richardson's extrapolation takes off: six steps are then as good as ten without. k: 0 where the steps ended by themselves, and
   there is no distance. */
PetscReal extrapolated(PetscInt k, PetscReal ritz, PetscReal earlier);

/* Of small matrices; NaN where there is none. */
// the largest |eigenvalue| of the first n rows: diagonal, off-diagonal
PetscReal TridiagonalRadius(PetscInt n, std::vector<PetscReal> a, std::vector<PetscReal> b);
PetscReal DenseRadius(PetscInt n, std::vector<PetscScalar> H); // the spectral radius of H[n][n]

} // namespace goza::saamg
