/* Row bodies of the tentative prolongator: near-null vectors B cut up by aggregate and made orthonormal there.

   T^T T = I and T Bcoarse = B on the rows that have an aggregate; other rows of T are empty. CholeskyQR, twice: the Gram matrices of an aggregate are summed
   over its ranks and factored by the rank that owns it. A vector that depends on the earlier ones in an aggregate (zero, or too few rows) gives a column of
   stored zeros, and a zero row of Bcoarse. */
#pragma once
#include "core/launch/for_each_row.hpp"

namespace goza::saamg {

/* Triangular matrices are stored [k][k], row by row, the lower part zero. */

/* Cholesky G = R^H R of a Gram matrix, relative to its diagonal. A column without a part of its own is dropped: its row of R is zero. */
struct Factor {
  PetscInt     k;
  PetscScalar *gram; // [aggregates][k][k], R on return

  HD void operator()(PetscInt a) const
  {
    PetscScalar    *R         = gram + static_cast<std::size_t>(a) * k * k;
    const PetscReal dependent = 1e3 * k * PETSC_MACHINE_EPSILON; // squared sine of the angle to the earlier columns

    for (PetscInt j = 0; j < k; j++) {
      const PetscReal length2 = PetscRealPart(R[j * k + j]);
      PetscReal       pivot   = length2;

      for (PetscInt i = 0; i < j; i++) {
        PetscScalar sum = R[i * k + j];

        for (PetscInt l = 0; l < i; l++) sum -= PetscConj(R[l * k + i]) * R[l * k + j];
        R[i * k + j] = R[i * k + i] != PetscScalar(0) ? sum / R[i * k + i] : PetscScalar(0);
        pivot -= PetscRealPart(R[i * k + j] * PetscConj(R[i * k + j]));
      }
      R[j * k + j] = pivot > dependent * length2 ? PetscSqrtReal(pivot) : 0;
      for (PetscInt i = j + 1; i < k; i++) R[i * k + j] = 0;
    }
  }
};

/* q := q R^-1 for one row, zero in dropped columns. leaf: [rows] which R, -1: none */
HD inline void solve_row(PetscInt row, PetscInt k, const PetscInt *leaf, const PetscScalar *R, PetscScalar *Q, PetscInt bs)
{
  PetscScalar       *q = Q + static_cast<std::size_t>(row) * k;
  const PetscInt     a = leaf[row / bs];
  const PetscScalar *r = R + static_cast<std::size_t>(a < 0 ? 0 : a) * k * k;

  for (PetscInt j = 0; j < k; j++) {
    PetscScalar sum = q[j];

    if (a < 0 || r[j * k + j] == PetscScalar(0)) {
      q[j] = 0;
      continue;
    }
    for (PetscInt i = 0; i < j; i++) sum -= q[i] * r[i * k + j];
    q[j] = sum / r[j * k + j];
  }
}

/* R := R2 R1, upper triangular. */
HD inline void multiply_factors(PetscInt a, PetscInt k, const PetscScalar *R2, PetscScalar *R1)
{
  const std::size_t at = static_cast<std::size_t>(a) * k * k;

  for (PetscInt i = 0; i < k; i++) { // row i needs rows i.. of R1 only
    for (PetscInt j = k - 1; j >= i; j--) {
      PetscScalar sum = 0;

      for (PetscInt l = i; l <= j; l++) sum += R2[at + i * k + l] * R1[at + l * k + j];
      R1[at + i * k + j] = sum;
    }
  }
}

} // namespace goza::saamg
