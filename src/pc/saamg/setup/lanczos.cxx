#include "lanczos.hpp"
#include <petscblaslapack.h>
#include <cmath>
#include <limits>

namespace goza::saamg {

/* By LAPACK's steqr(), which overwrites both arrays. */
PetscReal TridiagonalRadius(PetscInt n, std::vector<PetscReal> a, std::vector<PetscReal> b)
{
  const PetscBLASInt order = static_cast<PetscBLASInt>(n), one = 1;
  PetscBLASInt       info = 0;
  PetscReal          none = 0, radius = 0;

  if (n > 0) LAPACKREALsteqr_("N", &order, a.data(), b.data(), &none, &one, &none, &info);
  for (PetscInt k = 0; k < n; k++) radius = PetscMax(radius, PetscAbsReal(a[k]));
  return info ? std::numeric_limits<PetscReal>::quiet_NaN() : radius;
}

PetscReal extrapolated(PetscInt k, PetscReal ritz, PetscReal earlier)
{
  if (k < 4) return ritz;
  const PetscReal ratio = PetscSqr(static_cast<PetscReal>(k) / static_cast<PetscReal>(k - 2));

  return ritz + PetscMax(ritz - earlier, 0) / (ratio - 1);
}

/* By LAPACK's geev(); that H is stored by rows does not matter to its eigenvalues. */
PetscReal DenseRadius(PetscInt n, std::vector<PetscScalar> H)
{
  const PetscBLASInt       order = static_cast<PetscBLASInt>(n), one = 1, lwork = PetscMax(4 * order, 1);
  PetscBLASInt             info = 0;
  PetscScalar              none = 0;
  std::vector<PetscReal>   real(2 * n);
  std::vector<PetscScalar> value(n), work(lwork);
  PetscReal                radius = 0;

  if (n == 0) return 0;
#if PetscDefined(USE_COMPLEX)
  LAPACKgeev_("N", "N", &order, H.data(), &order, value.data(), &none, &one, &none, &one, work.data(), &lwork, real.data(), &info);
  for (const PetscScalar &lambda : value) radius = PetscMax(radius, PetscAbsScalar(lambda));
#else
  LAPACKgeev_("N", "N", &order, H.data(), &order, real.data(), value.data(), &none, &one, &none, &one, work.data(), &lwork, &info);
  for (PetscInt k = 0; k < n; k++) radius = PetscMax(radius, std::hypot(real[k], value[k]));
#endif
  return info ? std::numeric_limits<PetscReal>::quiet_NaN() : radius;
}

} // namespace goza::saamg
