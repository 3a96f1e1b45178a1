/* The rows of a level's operator in the space of the cycle, as a smoother that reads entries wants them: the diagonal and the off-diagonal block. */
#pragma once
#include "core/csr_matrix.hpp"
#include "mat/common/compat.hpp"

namespace goza
{

struct Grid;

class LevelRows {
public:
  LevelRows()                             = default;
  LevelRows(const LevelRows &)            = delete;
  LevelRows &operator=(const LevelRows &) = delete;

  /* original: where the grid's operator is the transpose of another, that one's rows. Lent by the grid on one rank. Collective. */
  PetscErrorCode open(const Grid &grid, bool original = false);

  const Csr &diagonal_block() const { return diagonal_; }
  const Csr &off_diagonal_block() const { return off_diagonal_; } // no rows on one rank
  PetscInt   first() const { return first_; }                     // global number of the first row

private:
  CsrMatrix original_, own_, others_;
  Csr       diagonal_{}, off_diagonal_{};
  PetscInt  first_ = 0;
};

} // namespace goza
