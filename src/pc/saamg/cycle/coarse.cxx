#include "coarse.hpp"
#include "parallel/agree.hpp"
#include "pseudo_inverse.hpp"

namespace goza::saamg {

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

/* M[n][n] is A by rows, on every rank that has rows, and magnitude[n] that of the rows. */
template <class V> PetscErrorCode CoarseSolver<V>::gather(const CsrLevel &level, std::vector<PetscScalar> &M, std::vector<PetscReal> &magnitude)
{
  PetscMPIInt              size, count, owners = 0;
  const PetscInt          *ranges = level.columns->layout()->range;
  std::vector<PetscScalar> rows;
  std::vector<PetscReal>   of_rows;
  std::vector<PetscMPIInt> counts, offsets;

  PetscFunctionBegin;
  size = level.columns->size();
  for (PetscMPIInt r = 0; r < size; r++) owners += ranges[r + 1] > ranges[r];
  PetscCall(Together(comm_, "hold the coarsest level", [&] {
    rows    = dense(level);
    of_rows = level.magnitude.to_host();
    if (owners <= 1) return;
    M.resize((std::size_t)n_ * n_);
    magnitude.resize(n_);
    counts.resize(size);
    offsets.resize(size);
    counts_.reserve(size);
    offsets_.reserve(size);
  }));
  if (owners <= 1) { /* nobody else is asked, or told */
    M.swap(rows);
    magnitude.swap(of_rows);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscMPIInt r = 0; r < size; r++) {
    PetscCall(PetscMPIIntCast((ranges[r + 1] - ranges[r]) * n_, &counts[r]));
    PetscCall(PetscMPIIntCast(ranges[r] * n_, &offsets[r]));
    PetscCall(Guarded([&] { counts_.push_back((PetscMPIInt)((ranges[r + 1] - ranges[r]) * sizeof(V))); }));
    PetscCall(Guarded([&] { offsets_.push_back((PetscMPIInt)(ranges[r] * sizeof(V))); }));
  }
  PetscCall(PetscMPIIntCast(m_ * n_, &count));
  PetscCallMPI(MPI_Allgatherv(rows.data(), count, MPIU_SCALAR, M.data(), counts.data(), offsets.data(), MPIU_SCALAR, comm_));
  for (PetscMPIInt r = 0; r < size; r++) {
    counts[r] /= n_;
    offsets[r] /= n_;
  }
  PetscCallMPI(MPI_Allgatherv(of_rows.data(), count / n_, MPIU_REAL, magnitude.data(), counts.data(), offsets.data(), MPIU_REAL, comm_));
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

    *done = level.columns->all(m_ == 0 || (m_ == n_ && dense_inverse(level.A, level.magnitude, inverse)));
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
  std::vector<PetscReal>   magnitude;
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
  PetscCall(gather(level, M, magnitude));
  const std::size_t first = counts_.empty() ? 0 : level.columns->start();
  /* M is A by rows, that is A^T as LAPACK sees it; the inverse of that, read by rows again, is A's */
  const PetscErrorCode failed = M.empty() ? PETSC_SUCCESS : DensePseudoInverse(n_, M, magnitude, &singular_);
  PetscCall(FailTogether(comm_, failed, "invert the coarsest level"));
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
  PetscCallMPI(MPI_Allgatherv(space == Space::Cuda ? mine_.data() : b, (PetscMPIInt)(m_ * sizeof(V)), MPI_BYTE, everyone_.data(), counts_.data(),
                              offsets_.data(), MPI_BYTE, comm_));
  PetscCall(Guarded([&] {
    all_.assign(everyone_.data());
    dense_multiply(space, m_, n_, inverse_.data(), all_.data(), x);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

FOR_EACH_VECTOR(INSTANTIATE, CoarseSolver)

} // namespace goza::saamg
