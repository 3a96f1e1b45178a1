#include "lanczos.hpp"
#include <petscmath.h>

namespace goza::saamg
{

namespace
{

/* How many eigenvalues of the symmetric tridiagonal matrix (a, b) lie below x (Sturm). */
PetscInt CountBelow(PetscInt n, const PetscReal *a, const PetscReal *b, PetscReal x)
{
  PetscInt  count = 0;
  PetscReal q     = 1;

  for (PetscInt i = 0; i < n; i++) {
    q = a[i] - x - (i ? b[i - 1] * b[i - 1] / q : 0);
    if (q == 0) q = -PETSC_MACHINE_EPSILON * (PetscAbsReal(x) + PETSC_MACHINE_EPSILON);
    count += q < 0;
  }
  return count;
}

} // namespace

/* By bisection of the interval that Gershgorin gives. */
PetscReal TridiagonalRadius(PetscInt n, PetscReal *a, const PetscReal *b)
{
  PetscReal radius = 0;

  for (int sign = 0; sign < 2; sign++) { // of the matrix, then of minus the matrix
    PetscReal low = 0, high = 0;

    for (PetscInt i = 0; i < n; i++) high = PetscMax(high, a[i] + (i ? PetscAbsReal(b[i - 1]) : 0) + (i + 1 < n ? PetscAbsReal(b[i]) : 0));
    for (int step = 0; step < 60 && high > low * (1 + 4 * PETSC_MACHINE_EPSILON); step++) {
      const PetscReal middle = (low + high) / 2;

      if (CountBelow(n, a, b, middle) == n) high = middle;
      else low = middle;
    }
    radius = PetscMax(radius, high);
    for (PetscInt i = 0; i < n; i++) a[i] = -a[i];
  }
  return radius;
}

PetscReal extrapolated(PetscInt k, PetscReal ritz, PetscReal earlier)
{
  if (k < 4) return ritz;
  const PetscReal ratio = PetscSqr(static_cast<PetscReal>(k) / static_cast<PetscReal>(k - 2));

  return ritz + PetscMax(ritz - earlier, 0) / (ratio - 1);
}

/* |H^(2^m)|^(1 / 2^m) */
PetscReal DenseRadius(PetscInt n, std::vector<PetscScalar> H)
{
  std::vector<PetscScalar> square(H.size());
  PetscReal                log_scale = 0, power = 1;

  for (int m = 0; m < 24; m++) {
    PetscReal norm = 0;

    for (const PetscScalar &h : H) norm += PetscRealPart(h * PetscConj(h));
    norm = PetscSqrtReal(norm);
    if (!(norm > 0)) return 0;
    log_scale += PetscLogReal(norm) / power;
    power *= 2;
    for (PetscScalar &h : H) h /= norm;
    std::fill(square.begin(), square.end(), PetscScalar(0));
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt l = 0; l < n; l++) {
        for (PetscInt j = 0; j < n; j++) square[i * n + j] += H[i * n + l] * H[l * n + j];
      }
    }
    H.swap(square);
  }
  return PetscExpReal(log_scale);
}

} // namespace goza::saamg
