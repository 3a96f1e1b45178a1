/* The rows of a level's operator in the space of the cycle, as a smoother that reads entries wants them: whole, and as diagonal and off-diagonal block. */
#pragma once
#include "parallel/column_map.hpp"
#include "pc/saamg/setup/local_rows.hpp"

namespace goza::saamg {

struct Grid;

class LevelRows {
public:
  /* original: where the grid's operator is the transpose of another, that one's rows. Lent by the grid on one rank. Collective. */
  PetscErrorCode open(const Grid &grid, bool original = false);

  const Csr     &all() const { return all_; }
  const MapPtr  &columns() const { return columns_; } // of all()
  const NodeIds &ids() const { return ids_; }         // of the grid's nodes; lent by it
  const Csr     &diagonal_block() const { return diagonal_; }
  const Csr     &off_diagonal_block() const { return off_diagonal_; } // no rows on one rank

private:
  CsrMatrix original_, own_, others_;
  Csr       all_{}, diagonal_{}, off_diagonal_{};
  MapPtr    columns_;
  NodeIds   ids_;
};

} // namespace goza::saamg
