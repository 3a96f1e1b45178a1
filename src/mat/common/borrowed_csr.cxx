#include "borrowed_csr.hpp"
#include "format_mat.hpp"
#include <map>

namespace goza::mat {

PetscErrorCode BorrowedCsr::open_pattern(Mat A)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(close());
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n_, &ptr_, &col_, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Matrix type %s gives no row pointers", ((PetscObject)A)->type_name);
  if (!ptr_) PetscCall(Guarded([&] { no_entries_.assign(A->rmap->n + 1, 0); })); // nobody has set the matrix up
  PetscCall(PetscObjectReference((PetscObject)A));
  A_                  = A;
  const PetscInt *ptr = ptr_ ? ptr_ : no_entries_.data();
  nnz_                = ptr[A->rmap->n];
  csr_                = {Space::Host, A->rmap->n, A->cmap->n, ptr, col_, NULL, nnz_, ptr, col_};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BorrowedCsr::open(Mat A, Space space, bool with_columns)
{
  PetscBool host_is_truth;

  PetscFunctionBegin;
  /* values that only the host has are staged for the moment; asking an AIJCUSPARSE for device pointers would make it keep a second copy there */
#if PetscDefined(HAVE_DEVICE)
  host_is_truth = (PetscBool)(A->offloadmask == PETSC_OFFLOAD_CPU || A->offloadmask == PETSC_OFFLOAD_UNALLOCATED);
#else
  host_is_truth = PETSC_TRUE;
#endif
  PetscCall(open_pattern(A));
  if (host_is_truth || space == Space::Host) {
    PetscCall(MatSeqAIJGetArrayRead(A, &val_));
    csr_.val = val_;
  } else {
    const PetscInt *device_ptr, *device_col;
    PetscScalar    *device_val;
    PetscMemType    memtype = PETSC_MEMTYPE_HOST;

    PetscCall(MatSeqAIJGetCSRAndMemType(A, &device_ptr, &device_col, &device_val, &memtype));
    if (PetscMemTypeDevice(memtype)) csr_.space = Space::Cuda;
    csr_.col = device_col;
    csr_.val = device_val;
#if PetscDefined(HAVE_CUDA) /* that row pointer lacks the empty rows; AIJCUSPARSE makes a full one when asked, and keeps it until the pattern moves */
    PetscCall(MatAsPlain(A, [&]() -> PetscErrorCode {
      PetscFunctionBegin;
      if (is_type(A, MATSEQAIJCUSPARSE)) PetscCall(MatSeqAIJCUSPARSEGetIJ(A, PETSC_FALSE, &csr_.ptr, &csr_.col));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
#endif
  }
  if (space == Space::Cuda) PetscCall(copy(space, with_columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The copies that somebody holds now, by their matrix. */
struct Copied {
  PetscObjectState         state = -1, pattern = -1;
  std::weak_ptr<CsrMatrix> copy;
};
static std::map<PetscObjectId, Copied> copied;

PetscErrorCode BorrowedCsr::copy(Space space, bool with_columns)
{
  bool made = false;

  PetscFunctionBegin;
  const PetscObjectId    id    = id_of(A_);
  const PetscObjectState state = state_of(A_), pattern = nonzero_state_of(A_);
  PetscCall(Guarded([&] {
    Copied &known = copied[id];

    if (known.state == state && known.pattern == pattern) copy_ = known.copy.lock();
    if (!copy_ || (with_columns && csr_.space != space && !copy_->col.size())) {
      copy_ = std::make_shared<CsrMatrix>(space, csr_.nrows, csr_.ncols);
      made  = true;
      if (csr_.ptr == csr_.host_ptr) copy_->ptr = Array<PetscInt>(space, csr_.host_ptr, csr_.nrows + 1);
      if (csr_.space != space) {
        if (with_columns) copy_->col = Array<PetscInt>(space, csr_.col, nnz_);
        copy_->val = Array<PetscScalar>(space, csr_.val, nnz_);
      }
      known = {state, pattern, copy_};
    }
  }));
  if (copy_->ptr.size()) csr_.ptr = copy_->ptr.data();
  if (csr_.space != space) {
    csr_.col = copy_->col.data();
    csr_.val = copy_->val.data();
  }
  csr_.space = space;
  if (made && copy_->bytes()) PetscCall(PetscLogCpuToGpu((PetscLogDouble)copy_->bytes()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BorrowedCsr::close()
{
  PetscBool done;

  PetscFunctionBegin;
  if (!A_) PetscFunctionReturn(PETSC_SUCCESS);
  if (val_) PetscCall(MatSeqAIJRestoreArrayRead(A_, &val_));
  PetscCall(MatRestoreRowIJ(A_, 0, PETSC_FALSE, PETSC_FALSE, &n_, &ptr_, &col_, &done));
  if (copy_.use_count() == 1) copied.erase(id_of(A_));
  copy_.reset();
  PetscCall(MatDestroy(&A_));
  val_ = NULL;
  csr_ = {};
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
