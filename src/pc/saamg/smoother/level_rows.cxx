#include "level_rows.hpp"
#include "parallel/agree.hpp"
#include "parallel/par_csr.hpp"
#include "pc/saamg/setup/hierarchy.hpp"

namespace goza::saamg {

PetscErrorCode LevelRows::open(const Grid &grid, bool original)
{
  PetscFunctionBegin;
  PetscCall(Together(grid.level->columns->comm(), "split its rows for a smoother", [&] {
    columns_ = grid.level->columns;
    all_     = grid.level->A;
    ids_     = grid.level->ids(grid.bs);
    if (original && grid.transposed) {
      const MapPtr rows = columns_;

      original_ = transpose(all_, *rows, rows, columns_);
      all_      = original_.view();
    }
    if (columns_->size() == 1) {
      diagonal_           = all_;
      off_diagonal_.space = all_.space;
      return;
    }
    split_columns(all_, columns_->n(), own_, others_);
    diagonal_     = own_.view();
    off_diagonal_ = others_.view();
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
