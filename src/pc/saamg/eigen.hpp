/* The diagonal's inverse, and how large the eigenvalues of D^-1 A get. */
#pragma once
#include "graph.hpp"

namespace goza
{

/* dinv_i = 1 / a_ii; 0 where a_ii is zero, not stored, or too small to invert: a smoother leaves such rows alone. */
PetscErrorCode DiagonalInverse(Mat A, Vec dinv);

/* The largest |eigenvalue| of D^-1 A seen by its steps of Lanczos from a vector hashed from global row numbers: the same on any number of ranks, but for
   rounding. Where A turns out not to be symmetric, or D is indefinite, Arnoldi. A Ritz value lies below the truth: smoothers multiply it by a safety factor.
   The result is finite and positive; 1 if A is zero. */
PetscErrorCode EstimateLambdaMax(Mat A, Vec dinv, PetscInt its, PetscReal *lambda);

constexpr PetscInt max_lanczos_steps = 100;

/* A new direction shorter than this, relative to what was seen, is noise: the space is invariant, and its Ritz values are eigenvalues to that accuracy. */
constexpr PetscReal lanczos_breakdown = PETSC_SQRT_MACHINE_EPSILON;

/* The vector that the estimate starts from: numbers in (-1, 1) of the size that D^(1/2) gives the entries of an eigenvector's residual; 0 where dinv is. */
HD inline PetscScalar hashed_entry(PetscInt global_row, PetscScalar dinv)
{
  const PetscReal uniform = static_cast<PetscReal>(hash62(global_row) >> 9) / static_cast<PetscReal>(std::uint64_t(1) << 52) - 1;

  return dinv != PetscScalar(0) ? uniform / PetscSqrtReal(PetscAbsScalar(dinv)) : 0;
}

PetscReal TridiagonalRadius(PetscInt n, PetscReal *a, const PetscReal *b); // the largest |eigenvalue| of a symmetric tridiagonal matrix: diagonal, off-diagonal
PetscReal DenseRadius(PetscInt n, std::vector<PetscScalar> H);             // the spectral radius of a small matrix H[n][n]

} // namespace goza
