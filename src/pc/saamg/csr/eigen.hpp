/* The diagonal of one rank's matrix and the spectrum of D^-1 A, in the space where the matrix is: as eigen.hpp. */
#pragma once
#include "core/csr_ops.hpp"

namespace goza
{

/* What one pass over the rows tells. */
struct CsrFacts {
  bool                finite = true, squares_finite = true; // no NaN or Inf among the values, among their squares
  std::int64_t        nalone   = 0;                         // rows that are coupled to nothing
  bool                positive = false, negative = false;   // is there such a diagonal entry
  Array<PetscScalar>  dinv;                                 // [rows] 1 / a_ii, 0 where that is not to be had
  Array<std::int64_t> alone;                                // [rows] 1 or 0
};

CsrFacts row_facts(const Csr &A);

/* As EstimateLambdaMax(). */
PetscReal lambda_max(const Csr &A, const CsrFacts &facts, PetscInt its);

} // namespace goza
