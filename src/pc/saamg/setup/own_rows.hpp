/* Between PETSc's matrices and a rank's CSR rows. */
#pragma once
#include "mat/cds/cds.hpp"
#include "mat/common/borrowed_csr.hpp"
#include "mat/common/par_operator.hpp"
#include "parallel/par_csr.hpp"

namespace goza::saamg {

/* This rank's rows of an AIJ-based matrix in a space, columns ascending by the map's local numbers, for as long as this lives. They are lent by the matrix
   where there is one rank, else joined from its two blocks. */
struct OwnRows {
  Csr    A{};
  MapPtr columns;
  bool   ascend = false; // columns did, as they came

  std::shared_ptr<ParOperator<PetscScalar>> held; // by diagonals, of a host's matrix of which nobody else has such: see HoldDiagonals()

  /* same: nullptr, or the format of the diagonal block there, which holds the same values; where its entries, of diagonals those that are not 0, are all that
     the block has, they are read instead of the block's. Collective. */
  PetscErrorCode open(Mat aij, Space space, bool known_to_ascend = false, const Format<PetscScalar> *same = nullptr);
  /* Of a matrix that is nothing but its diagonals: rows made of these, collective; and of one rank's the number of rows, and no entries. */
  PetscErrorCode open_made(Mat A);
  PetscErrorCode open_diagonals(Mat A, Space space, PetscLogDouble nnz);
  PetscErrorCode close();                                                    // what was made to be read goes, what is lent is given back
  std::size_t    bytes() const { return made_.bytes() + diagonal_.bytes(); } // of what is not lent

private:
  PetscErrorCode open_diagonal_block(Mat block, Space space, const Format<PetscScalar> *same, bool *known_to_ascend);
  void           put_in_order(bool known_to_ascend);

  BorrowedCsr diagonal_, off_diagonal_;
  CsrMatrix   made_; // joined, or sorted: a user's own arrays may be in any order
};

/* A host AIJ matrix of a rank's rows, columns by the map's local numbers. Collective. */
PetscErrorCode CopyToMat(const Csr &M, const LocalColumns &columns, Mat *A);

} // namespace goza::saamg
