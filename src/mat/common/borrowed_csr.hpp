/* The arrays of a SeqAIJ-based matrix as CSR in the space where they are wanted: lent by PETSc where they are there already, else copied for the time. Two that
   are open at a time for the same values (the set-up of saamg and the matrix's own format) share one copy. */
#pragma once
#include "core/sparse/csr_matrix.hpp"
#include <memory>
#include <petscmat.h>

namespace goza::mat {

class BorrowedCsr {
public:
  BorrowedCsr()                               = default;
  BorrowedCsr(const BorrowedCsr &)            = delete;
  BorrowedCsr &operator=(const BorrowedCsr &) = delete;
  ~BorrowedCsr() { (void)close(); }

  /* with_columns: else csr().col may be NULL. A must not change before close(). */
  PetscErrorCode open(Mat A, Space space, bool with_columns = true);
  PetscErrorCode open_pattern(Mat A); // the host's, without values
  PetscErrorCode close();
  const Csr     &csr() const { return csr_; }
  PetscInt       nnz() const { return nnz_; }
  std::size_t    bytes() const { return copy_ ? copy_->bytes() : 0; }

private:
  PetscErrorCode copy(Space space, bool with_columns); // what csr_ has elsewhere

  Mat                        A_   = NULL;
  const PetscInt            *ptr_ = NULL, *col_ = NULL; // the host's, lent
  std::vector<PetscInt>      no_entries_;               // row pointers of a matrix that has none
  const PetscScalar         *val_ = NULL;               // the same, where they were asked for
  PetscInt                   n_ = 0, nnz_ = 0;
  std::shared_ptr<CsrMatrix> copy_;
  Csr                        csr_{};
};

} // namespace goza::mat
