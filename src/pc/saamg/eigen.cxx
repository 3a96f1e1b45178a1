#include "eigen.hpp"
#include "mat/common/compat.hpp"
#include <algorithm>

namespace goza
{

PetscErrorCode DiagonalInverse(Mat A, Vec dinv)
{
  PetscScalar *d;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(MatGetDiagonal(A, dinv));
  PetscCall(VecGetLocalSize(dinv, &n));
  PetscCall(VecGetArray(dinv, &d));
  for (PetscInt i = 0; i < n; i++) {
    const PetscScalar inverse = d[i] != PetscScalar(0) ? PetscScalar(1) / d[i] : PetscScalar(0);

    d[i] = PetscIsInfOrNanScalar(inverse) ? PetscScalar(0) : inverse;
  }
  PetscCall(VecRestoreArray(dinv, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

constexpr PetscInt max_steps = max_lanczos_steps;

PetscErrorCode HashedVector(Vec dinv, Vec r)
{
  PetscInt           start, n;
  PetscScalar       *x;
  const PetscScalar *d;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(r, &start, nullptr));
  PetscCall(VecGetLocalSize(r, &n));
  PetscCall(VecGetArrayRead(dinv, &d));
  PetscCall(VecGetArrayWrite(r, &x));
  for (PetscInt i = 0; i < n; i++) { x[i] = hashed_entry(start + i, d[i]); }
  PetscCall(VecRestoreArrayWrite(r, &x));
  PetscCall(VecRestoreArrayRead(dinv, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

namespace
{

/* Lanczos for D^-1 A in the inner product of sign D. *symmetric tells whether the projected matrix was. */
PetscErrorCode Lanczos(Mat A, Vec dinv, PetscReal sign, PetscInt its, PetscReal *lambda, PetscBool *symmetric)
{
  Vec         work[6], r, q, q_old, v, v_old, w;
  PetscReal   a[max_steps], b[max_steps], largest = 0, beta = 0;
  PetscInt    k = 0;
  PetscScalar dot;

  PetscFunctionBegin;
  *symmetric = PETSC_TRUE;
  for (Vec &x : work) PetscCall(VecDuplicate(dinv, &x));
  r     = work[0];
  q     = work[1];
  q_old = work[2];
  v     = work[3];
  v_old = work[4];
  w     = work[5];
  PetscCall(HashedVector(dinv, r));
  while (k < its) {
    PetscReal   next;
    PetscScalar back[2];
    Vec         against[2] = {v, v_old};

    PetscCall(VecPointwiseMult(w, dinv, r)); // w = D^-1 r
    PetscCall(VecDot(r, w, &dot));
    next = PetscSqrtReal(PetscMax(sign * PetscRealPart(dot), 0));
    if (!(next > lanczos_breakdown * largest) || PetscIsInfOrNanReal(next)) break; // an invariant subspace, or a zero matrix
    if (k) b[k - 1] = next;
    std::swap(q, q_old);
    std::swap(v, v_old);
    against[0] = v;
    against[1] = v_old;
    PetscCall(VecAXPBY(v, sign / next, 0, w)); // columns of (sign D)^-1
    PetscCall(VecAXPBY(q, 1 / next, 0, r));
    PetscCall(MatMult(A, v, w));
    PetscCall(VecMDot(w, k ? 2 : 1, against, back));
    a[k] = PetscRealPart(back[0]);
    beta = k ? next : 0;
    if (k) largest = PetscMax(largest, beta);
    largest = PetscMax(largest, PetscAbsScalar(back[0]));
    if ((k && PetscAbsScalar(back[1] - beta) > 1e-3 * largest) || PetscAbsReal(PetscImaginaryPart(back[0])) > 1e-3 * largest) {
      *symmetric = PETSC_FALSE;
      break;
    }
    PetscCall(VecCopy(w, r));
    PetscCall(VecAXPY(r, -back[0], q));
    if (k) PetscCall(VecAXPY(r, -beta, q_old));
    k++;
  }
  for (Vec &x : work) PetscCall(VecDestroy(&x));
  *lambda = k ? TridiagonalRadius(k, a, b) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Arnoldi(Mat A, Vec dinv, PetscInt its, PetscReal *lambda)
{
  Vec                     *V;
  std::vector<PetscScalar> H;
  PetscScalar              h[max_steps];
  PetscReal                norm, largest = 0;
  PetscInt                 k = 0;

  PetscFunctionBegin;
  *lambda = 0;
  PetscCall(VecDuplicateVecs(dinv, its + 1, &V));
  PetscCallCXX(H.assign(its * its, 0));
  PetscCall(HashedVector(dinv, V[0]));
  PetscCall(VecPointwiseMult(V[0], V[0], dinv));
  PetscCall(VecNormalize(V[0], &norm));
  if (norm > 0 && !PetscIsInfOrNanReal(norm)) {
    while (k < its) {
      PetscCall(MatMult(A, V[k], V[k + 1]));
      PetscCall(VecPointwiseMult(V[k + 1], V[k + 1], dinv));
      PetscCall(VecMDot(V[k + 1], k + 1, V, h));
      for (PetscInt i = 0; i <= k; i++) {
        H[i * its + k] = h[i];
        largest        = PetscMax(largest, PetscAbsScalar(h[i]));
        h[i]           = -h[i];
      }
      PetscCall(VecMAXPY(V[k + 1], k + 1, h, V));
      PetscCall(VecNormalize(V[k + 1], &norm));
      k++;
      if (k == its || !(norm > lanczos_breakdown * largest) || PetscIsInfOrNanReal(norm)) break;
      H[k * its + k - 1] = norm;
    }
    for (PetscInt i = 0; i < k; i++) {
      for (PetscInt j = 0; j < k; j++) H[i * k + j] = H[i * its + j];
    }
    PetscCallCXX(H.resize(k * k), *lambda = DenseRadius(k, H));
  }
  PetscCall(VecDestroyVecs(its + 1, &V));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode EstimateLambdaMax(Mat A, Vec dinv, PetscInt its, PetscReal *lambda)
{
  PetscInt           n, N;
  const PetscScalar *d;
  PetscInt           mixed[2]  = {0, 0}; // is there a positive, a negative entry (or a complex one: both)
  PetscBool          symmetric = PETSC_FALSE;

  PetscFunctionBegin;
  *lambda = 0;
  PetscCall(VecGetSize(dinv, &N));
  PetscCall(VecGetLocalSize(dinv, &n));
  PetscCall(VecGetArrayRead(dinv, &d));
  for (PetscInt i = 0; i < n; i++) {
    const bool complex = PetscAbsReal(PetscImaginaryPart(d[i])) > 1e-3 * PetscAbsScalar(d[i]);

    if (PetscRealPart(d[i]) > 0 || complex) mixed[0] = 1;
    if (PetscRealPart(d[i]) < 0 || complex) mixed[1] = 1;
  }
  PetscCall(VecRestoreArrayRead(dinv, &d));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mixed, 2, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)dinv)));
  its = PetscMin(PetscMin(PetscMax(its, 1), N), max_steps);
  if (mixed[0] + mixed[1] == 1) PetscCall(Lanczos(A, dinv, mixed[0] ? 1 : -1, its, lambda, &symmetric));
  if (mixed[0] + mixed[1] && !symmetric) PetscCall(Arnoldi(A, dinv, its, lambda));
  if (!(*lambda > 0) || PetscIsInfOrNanReal(*lambda)) *lambda = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
