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

} // namespace goza
