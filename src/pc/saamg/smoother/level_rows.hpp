/* The rows of a level's operator in the space of the cycle, lent to a smoother that reads entries. */
#pragma once
#include "mat/common/borrowed_csr.hpp"

namespace goza
{

struct Grid;

class LevelRows {
public:
  LevelRows()                             = default;
  LevelRows(const LevelRows &)            = delete;
  LevelRows &operator=(const LevelRows &) = delete;
  ~LevelRows() { (void)close(); }

  /* original: where the grid's operator is the transpose of another, that one's rows */
  PetscErrorCode open(const Grid &grid, Space space, bool original = false);
  PetscErrorCode close();

  const Csr &diagonal_block() const { return diagonal_; }
  const Csr &off_diagonal_block() const { return off_diagonal_; } // no rows on one rank
  PetscInt   first() const { return first_; }                     // global number of the first row

private:
  BorrowedCsr diagonal_lent_, off_diagonal_lent_;
  CsrMatrix   original_;
  Mat         original_mat_ = NULL;
  Csr         diagonal_{}, off_diagonal_{};
  PetscInt    first_ = 0;
};

} // namespace goza
