#include "coarse.hpp"
#include "mat/common/errors.hpp"
#include <petscblaslapack.h>

namespace goza
{

PetscErrorCode DensePseudoInverse(PetscInt n, std::vector<PetscScalar> &M, bool *singular)
{
  PetscBLASInt              bn, info, lwork;
  std::vector<PetscBLASInt> pivot(n);
  std::vector<PetscReal>    scale(n, 1), sigma(n);
  std::vector<PetscScalar>  LU, work, U, Vt;
  PetscReal                 smallest = PETSC_MAX_REAL, largest = 0;

  PetscFunctionBegin;
  *singular = false;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscBLASIntCast(n, &bn));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal d = PetscAbsScalar(M[i * n + i]);

    if (d > 0) scale[i] = 1 / PetscSqrtReal(d);
  }
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) M[i * n + j] *= scale[i] * scale[j];
  }
  LU = M;
  PetscCall(PetscFPTrapPush(PETSC_FP_TRAP_OFF));
  PetscCallBLAS("LAPACKgetrf", LAPACKgetrf_(&bn, &bn, LU.data(), &bn, pivot.data(), &info));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal u = PetscAbsScalar(LU[i * n + i]);

    smallest = PetscMin(smallest, u);
    largest  = PetscMax(largest, u);
  }
  *singular = info != 0 || !(smallest > 1e4 * PETSC_MACHINE_EPSILON * largest);
  if (!*singular) {
    lwork = 64 * bn;
    work.resize(lwork);
    PetscCallBLAS("LAPACKgetri", LAPACKgetri_(&bn, LU.data(), &bn, pivot.data(), work.data(), &lwork, &info));
    *singular = info != 0;
    M         = LU;
  }
  if (*singular) {
    lwork = 8 * bn;
    work.resize(lwork);
    U.resize(n * n);
    Vt.resize(n * n);
#if PetscDefined(USE_COMPLEX)
    std::vector<PetscReal> rwork(5 * n);
    PetscCallBLAS("LAPACKgesvd", LAPACKgesvd_("A", "A", &bn, &bn, M.data(), &bn, sigma.data(), U.data(), &bn, Vt.data(), &bn, work.data(), &lwork, rwork.data(), &info));
#else
    PetscCallBLAS("LAPACKgesvd", LAPACKgesvd_("A", "A", &bn, &bn, M.data(), &bn, sigma.data(), U.data(), &bn, Vt.data(), &bn, work.data(), &lwork, &info));
#endif
    PetscCheck(info == 0, PETSC_COMM_SELF, PETSC_ERR_LIB, "Singular values of the coarsest operator: LAPACK gesvd() returned %d", (int)info);
    std::fill(M.begin(), M.end(), 0.0);
    for (PetscInt s = 0; s < n && sigma[s] > 1e5 * PETSC_MACHINE_EPSILON * sigma[0]; s++) { /* M^+ = sum v_s u_s^H / sigma_s */
      for (PetscInt j = 0; j < n; j++) {
        const PetscScalar u = PetscConj(U[s * n + j]) / sigma[s];

        for (PetscInt i = 0; i < n; i++) M[j * n + i] += PetscConj(Vt[i * n + s]) * u;
      }
    }
  }
  PetscCall(PetscFPTrapPop());
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) M[i * n + j] *= scale[i] * scale[j];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::vector<PetscScalar> dense(const Csr &A)
{
  const PetscInt           n = A.nrows, nnz = entries(A);
  std::vector<PetscScalar> M((std::size_t)n * n, 0.0);
  const Array<PetscInt>    ptr(Space::Host, A.ptr, n + 1), col(Space::Host, A.col, nnz);
  const Array<PetscScalar> val(Space::Host, A.val, nnz);

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt p = ptr.data()[i]; p < ptr.data()[i + 1]; p++) M[(std::size_t)i * n + col.data()[p]] = val.data()[p];
  }
  return M;
}

/* M[n][n] is A by rows, on every rank. */
template <class V> PetscErrorCode CoarseSolver<V>::gather(Mat A, Space space, std::vector<PetscScalar> &M, PetscInt *rstart)
{
  PetscInt                 rend;
  PetscMPIInt              size, count;
  const PetscInt          *ranges;
  std::vector<PetscScalar> rows;

  PetscFunctionBegin;
  comm_ = PetscObjectComm((PetscObject)A);
  PetscCall(MatGetSize(A, &n_, NULL));
  PetscCall(MatGetLocalSize(A, &m_, NULL));
  PetscCall(MatGetOwnershipRange(A, rstart, &rend));
  PetscCall(MatGetOwnershipRanges(A, &ranges));
  PetscCallMPI(MPI_Comm_size(comm_, &size));
  PetscCallCXX(rows.assign((std::size_t)m_ * n_, 0.0));
  for (PetscInt i = *rstart; i < rend; i++) {
    PetscInt           nc;
    const PetscInt    *cols;
    const PetscScalar *vals;

    PetscCall(MatGetRow(A, i, &nc, &cols, &vals));
    for (PetscInt k = 0; k < nc; k++) rows[(i - *rstart) * n_ + cols[k]] = vals[k];
    PetscCall(MatRestoreRow(A, i, &nc, &cols, &vals));
  }
  if (size == 1) {
    M.swap(rows);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::vector<PetscMPIInt> counts(size), offsets(size);

  PetscCallCXX(M.resize((std::size_t)n_ * n_));
  for (PetscMPIInt r = 0; r < size; r++) {
    PetscCall(PetscMPIIntCast((ranges[r + 1] - ranges[r]) * n_, &counts[r]));
    PetscCall(PetscMPIIntCast(ranges[r] * n_, &offsets[r]));
    PetscCallCXX(counts_.push_back((PetscMPIInt)((ranges[r + 1] - ranges[r]) * sizeof(V))));
    PetscCallCXX(offsets_.push_back((PetscMPIInt)(ranges[r] * sizeof(V))));
  }
  PetscCall(PetscMPIIntCast(m_ * n_, &count));
  PetscCallMPI(MPI_Allgatherv(rows.data(), count, MPIU_SCALAR, M.data(), counts.data(), offsets.data(), MPIU_SCALAR, comm_));
  PetscCall(Guarded([&] {
    all_ = Array<V>(space, n_);
    mine_.resize(m_);
    everyone_.resize(n_);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode CoarseSolver<V>::setup(const Grid &grid, Space space)
{
  PetscInt                 rstart = 0;
  std::vector<PetscScalar> M;
  std::vector<V>           inverse;

  PetscFunctionBegin;
  counts_.clear();
  offsets_.clear();
  if (grid.level) {
    m_ = n_ = grid.level->A.nrows;
    PetscCall(Guarded([&] { M = dense(grid.level->A); }));
  } else PetscCall(gather(grid.A, space, M, &rstart));
  /* M is A by rows, that is A^T as LAPACK sees it; the inverse of that, read by rows again, is A's */
  PetscCall(DensePseudoInverse(n_, M, &singular_));
  PetscCall(Guarded([&] {
    inverse.resize((std::size_t)m_ * n_);
    for (PetscInt i = 0; i < m_; i++) {
      for (PetscInt j = 0; j < n_; j++) inverse[(std::size_t)i * n_ + j] = static_cast<V>(M[(rstart + i) * n_ + j]);
    }
    inverse_ = Array<V>(space, inverse.data(), inverse.size());
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode CoarseSolver<V>::apply(const V *b, V *x)
{
  const Space space = inverse_.space();

  PetscFunctionBegin;
  if (counts_.empty()) {
    PetscCall(Guarded([&] { dense_multiply(space, m_, n_, inverse_.data(), b, x); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (space == Space::Cuda && m_) PetscCall(Guarded([&] { device::copy(mine_.data(), b, m_ * sizeof(V)); }));
  PetscCallMPI(MPI_Allgatherv(space == Space::Cuda ? mine_.data() : b, (PetscMPIInt)(m_ * sizeof(V)), MPI_BYTE, everyone_.data(), counts_.data(), offsets_.data(), MPI_BYTE, comm_));
  PetscCall(Guarded([&] {
    all_.assign(everyone_.data());
    dense_multiply(space, m_, n_, inverse_.data(), all_.data(), x);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template class CoarseSolver<PetscScalar>;
#if !PetscDefined(USE_REAL_SINGLE)
template class CoarseSolver<float>;
#endif

} // namespace goza
