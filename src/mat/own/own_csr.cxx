/* Rows as MatSeqAIJSetPreallocationCSR() and MatMPIAIJSetPreallocationCSR() give them. PETSc only tries these, so that a matrix without them stays empty, and
   nothing tells the program. */
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include <numeric>

namespace goza::mat {
namespace {

constexpr char seq_csr[] = "MatSeqAIJSetPreallocationCSR_C", mpi_csr[] = "MatMPIAIJSetPreallocationCSR_C";

/* A rank's rows as coordinates, the places of the values among them. Of a column that a row names more than once AIJ keeps the last entry: the others are given
   the column -1, which no coordinate is. */
struct RowEntries {
  std::vector<PetscInt>    row, col;
  std::vector<PetscScalar> val;

  void take(PetscInt nrows, PetscInt first_row, const PetscInt ptr[], const PetscInt columns[], const PetscScalar values[])
  {
    const PetscInt nnz = ptr[nrows];

    row.resize(nnz);
    for (PetscInt i = 0; i < nrows; i++) std::fill(row.begin() + ptr[i], row.begin() + ptr[i + 1], first_row + i);
    col.assign(columns, columns + nnz);
    val.resize(nnz);
    if (values) std::copy_n(values, nnz, val.begin());
    for (PetscInt i = 0; i < nrows; i++) leave_out_repeated(ptr[i], ptr[i + 1]);
  }

private:
  void leave_out_repeated(PetscInt begin, PetscInt end)
  {
    const auto from = col.begin() + begin, to = col.begin() + end;

    if (std::adjacent_find(from, to, std::greater_equal<PetscInt>()) == to) return; // each is greater than the one before
    order_.resize(end - begin);
    std::iota(order_.begin(), order_.end(), begin);
    std::stable_sort(order_.begin(), order_.end(), [&](PetscInt a, PetscInt b) { return col[a] < col[b]; });
    for (std::size_t k = 1; k < order_.size(); k++)
      if (col[order_[k - 1]] == col[order_[k]]) repeated_.push_back(order_[k - 1]);
    for (const PetscInt k : repeated_) col[k] = -1;
    repeated_.clear();
  }

  std::vector<PetscInt> order_, repeated_;
};

PetscErrorCode CheckRows(Mat A, const PetscInt ptr[])
{
  PetscFunctionBegin;
  PetscCheck(ptr[0] == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "The first row of CSR begins at %" PetscInt_FMT ", not at 0", ptr[0]);
  for (PetscInt i = 0; i < A->rmap->n; i++)
    PetscCheck(ptr[i + 1] >= ptr[i], PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Local row %" PetscInt_FMT " of CSR has a negative number of entries: %" PetscInt_FMT, i, ptr[i + 1] - ptr[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode OwnSetCSR(Mat A, const PetscInt ptr[], const PetscInt col[], const PetscScalar val[])
{
  RowEntries entries;

  PetscFunctionBegin;
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  PetscErrorCode failed = CheckRows(A, ptr);
  if (!failed) failed = Guarded([&] { entries.take(A->rmap->n, A->rmap->rstart, ptr, col, val); });
  PetscCall(FailTogether(comm_of(A), failed, "take the rows of a CSR matrix"));
  PetscCall(MatSetPreallocationCOO(A, static_cast<PetscCount>(entries.row.size()), entries.row.data(), entries.col.data()));
  PetscCall(MatSetValuesCOO(A, entries.val.data(), INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnComposeCSR(Mat A, bool attach)
{
  return PetscObjectComposeFunction((PetscObject)A, A->rmap->size == 1 ? seq_csr : mpi_csr, attach ? OwnSetCSR : NULL);
}

} // namespace goza::mat
