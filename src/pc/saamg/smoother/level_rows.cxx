#include "level_rows.hpp"
#include "core/csr_ops.hpp"
#include "mat/common/errors.hpp"
#include "pc/saamg/hierarchy.hpp"

namespace goza
{

PetscErrorCode LevelRows::open(const Grid &grid, Space space, bool original)
{
  Mat             A = grid.A, Ad, Ao;
  const PetscInt *garray;

  PetscFunctionBegin;
  PetscCall(close());
  if (grid.level) {
    diagonal_ = grid.level->A;
    if (original && grid.transposed) {
      PetscCall(Guarded([&] { original_ = transpose(diagonal_); }));
      diagonal_ = original_.view();
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (original && grid.transposed) {
    PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &original_mat_));
    A = original_mat_;
  }
  PetscCall(MatGetOwnershipRange(A, &first_, NULL));
  PetscCall(MatGetAIJBlocks(A, &Ad, &Ao, &garray));
  PetscCall(diagonal_lent_.open(Ad, space));
  diagonal_ = diagonal_lent_.csr();
  if (Ao) {
    PetscCall(off_diagonal_lent_.open(Ao, space));
    off_diagonal_ = off_diagonal_lent_.csr();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LevelRows::close()
{
  PetscFunctionBegin;
  PetscCall(diagonal_lent_.close());
  PetscCall(off_diagonal_lent_.close());
  PetscCall(MatDestroy(&original_mat_));
  original_ = CsrMatrix();
  diagonal_ = off_diagonal_ = {};
  first_                    = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
