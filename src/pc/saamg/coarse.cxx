#include "coarse.hpp"
#include "dense_inverse.hpp"
#include "mat/common/halo/agree.hpp"
#include <petscblaslapack.h>

namespace goza
{

/* M [n][n] becomes its inverse, or, where it is singular to working precision, its pseudo-inverse, after symmetric scaling to a unit diagonal. */
static PetscErrorCode DensePseudoInverse(PetscInt n, std::vector<PetscScalar> &M, bool *singular)
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

/* The rank's rows of the level, dense [rows][columns of all ranks]. */
static std::vector<PetscScalar> dense(const CsrLevel &level)
{
  const Csr                A       = level.A;
  const LocalColumns      &columns = *level.columns;
  const PetscInt           nnz     = entries(A);
  const std::size_t        n       = columns.nglobal();
  std::vector<PetscScalar> M(A.nrows * n, 0.0);
  const Array<PetscInt>    ptr(Space::Host, A.ptr, A.nrows + 1), col(Space::Host, A.col, nnz);
  const Array<PetscScalar> val(Space::Host, A.val, nnz);

  for (PetscInt i = 0; i < A.nrows; i++) {
    for (PetscInt p = ptr.data()[i]; p < ptr.data()[i + 1]; p++) {
      const PetscInt c = col.data()[p];

      M[i * n + (c < columns.n() ? columns.start() + c : columns.ghosts()[c - columns.n()])] = val.data()[p];
    }
  }
  return M;
}

/* M[n][n] is A by rows, on every rank that has rows. */
template <class V> PetscErrorCode CoarseSolver<V>::gather(const CsrLevel &level, std::vector<PetscScalar> &M)
{
  PetscMPIInt              size, count, owners = 0;
  const PetscInt          *ranges = level.columns->layout()->range;
  std::vector<PetscScalar> rows;
  std::vector<PetscMPIInt> counts, offsets;

  PetscFunctionBegin;
  size = level.columns->size();
  for (PetscMPIInt r = 0; r < size; r++) owners += ranges[r + 1] > ranges[r];
  PetscCall(Together(comm_, "hold the coarsest level", [&] {
    rows = dense(level);
    if (owners <= 1) return;
    M.resize((std::size_t)n_ * n_);
    counts.resize(size);
    offsets.resize(size);
    counts_.reserve(size);
    offsets_.reserve(size);
  }));
  if (owners <= 1) { /* nobody else is asked, or told */
    M.swap(rows);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscMPIInt r = 0; r < size; r++) {
    PetscCall(PetscMPIIntCast((ranges[r + 1] - ranges[r]) * n_, &counts[r]));
    PetscCall(PetscMPIIntCast(ranges[r] * n_, &offsets[r]));
    PetscCallCXX(counts_.push_back((PetscMPIInt)((ranges[r + 1] - ranges[r]) * sizeof(V))));
    PetscCallCXX(offsets_.push_back((PetscMPIInt)(ranges[r] * sizeof(V))));
  }
  PetscCall(PetscMPIIntCast(m_ * n_, &count));
  PetscCallMPI(MPI_Allgatherv(rows.data(), count, MPIU_SCALAR, M.data(), counts.data(), offsets.data(), MPIU_SCALAR, comm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the device, where one rank has all rows, unless the matrix wants more than elimination. */
template <class V> PetscErrorCode CoarseSolver<V>::invert_there(const CsrLevel &level, Space space, bool *done)
{
  PetscFunctionBegin;
  *done = false;
  if (space != Space::Cuda) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Together(comm_, "invert the coarsest level", [&] {
    Array<PetscScalar> inverse(space);

    *done = level.columns->all(m_ == 0 || (m_ == n_ && dense_inverse(level.A, inverse)));
    if (!*done) return;
    inverse_ = Array<V>(space, inverse.size());
    convert(space, static_cast<PetscInt>(inverse.size()), inverse.data(), inverse_.data());
    singular_ = false;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode CoarseSolver<V>::setup(const Grid &grid, Space space)
{
  const CsrLevel          &level = *grid.level;
  std::vector<PetscScalar> M;
  std::vector<V>           inverse;
  bool                     inverted;

  PetscFunctionBegin;
  counts_.clear();
  offsets_.clear();
  comm_ = level.columns->comm();
  m_    = level.A.nrows;
  n_    = grid.rows();
  PetscCall(invert_there(level, space, &inverted));
  if (inverted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(gather(level, M));
  const std::size_t first = counts_.empty() ? 0 : level.columns->start();
  /* M is A by rows, that is A^T as LAPACK sees it; the inverse of that, read by rows again, is A's */
  PetscCall(FailTogether(comm_, M.empty() ? PETSC_SUCCESS : DensePseudoInverse(n_, M, &singular_), "invert the coarsest level"));
  PetscCall(Together(comm_, "hold the inverse of the coarsest level", [&] {
    singular_ = level.columns->any(singular_);
    inverse.resize((std::size_t)m_ * n_);
    for (std::size_t i = 0; i < inverse.size(); i++) inverse[i] = static_cast<V>(M[first * n_ + i]);
    inverse_ = Array<V>(space, inverse.data(), inverse.size());
    if (counts_.empty()) return;
    all_ = Array<V>(space, n_);
    mine_.resize(m_);
    everyone_.resize(n_);
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
