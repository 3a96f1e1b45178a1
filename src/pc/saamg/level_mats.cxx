/* PCGetInterpolations() and PCGetCoarseOperators(): the hierarchy as host matrices, for whoever looks into it or builds another cycle from it. */
#include "mat/common/errors.hpp"
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza
{

static PetscErrorCode CopyToMat(MPI_Comm comm, const CsrMatrix &M, Mat *A)
{
  std::vector<PetscInt>    ptr, col;
  std::vector<PetscScalar> val;

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    ptr = M.ptr.to_host();
    col = M.col.to_host();
    val = M.val.to_host();
  }));
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, M.nrows, M.ncols, M.nrows, M.ncols));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, ptr.data(), col.data(), val.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Reference(Mat M, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectReference((PetscObject)M));
  *A = M;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetGrids(PC pc, PetscInt *levels, Mat *mats[], const std::vector<Grid> **grids)
{
  *grids = &static_cast<SAAMG *>(pc->data)->hierarchy.grids();

  PetscFunctionBegin;
  PetscCheck(!(*grids)->empty(), PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER, "PC of type saamg has no levels: call PCSetUp() first");
  *levels = (PetscInt)(*grids)->size();
  PetscCall(PetscMalloc1(*levels, mats));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc counts from the coarsest level: [l] leads from level l to l + 1. */
PetscErrorCode PCGetInterpolations_SAAMG(PC pc, PetscInt *levels, Mat *interpolations[])
{
  const std::vector<Grid> *grids;

  PetscFunctionBegin;
  PetscCall(GetGrids(pc, levels, interpolations, &grids));
  for (PetscInt l = 0; l + 1 < *levels; l++) {
    const Grid &fine = (*grids)[*levels - 2 - l];

    if (fine.transfer) PetscCall(CopyToMat(PetscObjectComm((PetscObject)pc), fine.transfer->P, *interpolations + l));
    else PetscCall(Reference(fine.P, *interpolations + l));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All but the finest, from the coarsest up. */
PetscErrorCode PCGetCoarseOperators_SAAMG(PC pc, PetscInt *levels, Mat *operators[])
{
  const std::vector<Grid> *grids;

  PetscFunctionBegin;
  PetscCall(GetGrids(pc, levels, operators, &grids));
  for (PetscInt l = 0; l + 1 < *levels; l++) {
    const Grid &grid = (*grids)[*levels - 1 - l];

    if (grid.level) PetscCall(CopyToMat(PetscObjectComm((PetscObject)pc), grid.level->own, *operators + l));
    else PetscCall(Reference(grid.A, *operators + l));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
