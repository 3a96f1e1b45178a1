#include "level_rows.hpp"
#include "mat/common/errors.hpp"
#include "pc/saamg/hierarchy.hpp"

namespace goza
{

PetscErrorCode LevelRows::open(const Grid &grid, bool original)
{
  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    MapPtr columns = grid.level->columns;
    Csr    A       = grid.level->A;

    first_ = columns->start();
    if (original && grid.transposed) {
      original_ = transpose(A, *columns, columns, columns);
      A         = original_.view();
    }
    if (columns->size() == 1) {
      diagonal_ = A;
      return;
    }
    split_columns(A, columns->n(), own_, others_);
    diagonal_     = own_.view();
    off_diagonal_ = others_.view();
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
