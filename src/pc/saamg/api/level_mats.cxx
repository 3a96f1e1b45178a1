/* PCGetInterpolations() and PCGetCoarseOperators(): the hierarchy as host matrices, for whoever looks into it or builds another cycle from it. */
#include "pc/saamg/setup/own_rows.hpp"
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg
{

static PetscErrorCode GetGrids(PC pc, PetscInt *levels, Mat *mats[], const std::vector<Grid> **grids)
{
  *grids = &static_cast<SAAMG *>(pc->data)->hierarchy.grids();

  PetscFunctionBegin;
  PetscCheck(!(*grids)->empty(), PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER, "PC of type saamg has no levels: call PCSetUp() first");
  *levels = (PetscInt)(*grids)->size();
  PetscCall(PetscMalloc1(*levels, mats));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CopyInterpolations(const std::vector<Grid> &grids, Mat interpolations[])
{
  PetscFunctionBegin;
  for (std::size_t l = 0; l + 1 < grids.size(); l++) {
    const Grid &fine = grids[grids.size() - 2 - l];

    PetscCall(CopyToMat(fine.transfer->P.view(), *fine.transfer->coarse, interpolations + l));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CopyOperators(const std::vector<Grid> &grids, Mat operators[])
{
  PetscFunctionBegin;
  for (std::size_t l = 0; l + 1 < grids.size(); l++) {
    const Grid &grid = grids[grids.size() - 1 - l];

    PetscCall(CopyToMat(grid.level->own.view(), *grid.level->columns, operators + l));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of rows that were spared the values are those of the matrix as it is. */
static PetscErrorCode CopyLevels(PC pc, PetscErrorCode (*copy)(const std::vector<Grid> &, Mat[]), PetscInt *levels, Mat *mats[])
{
  SAAMG                   *mg = static_cast<SAAMG *>(pc->data);
  const std::vector<Grid> *grids;
  OwnRows                  rows;
  PetscObjectState         nonzerostate;

  PetscFunctionBegin;
  PetscCall(GetGrids(pc, levels, mats, &grids));
  if (mg->hierarchy.whole()) {
    PetscCall(copy(*grids, *mats));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetNonzeroState(pc->pmat, &nonzerostate));
  PetscCheck(nonzerostate == mg->nonzerostate, PetscObjectComm((PetscObject)pc), PETSC_ERR_ORDER, "The matrix has got another pattern: call PCSetUp() first");
  PetscErrorCode failed = BorrowLevels(pc, mg, &rows);
  if (!failed) failed = mg->hierarchy.restore(mg->hierarchy_options);
  if (!failed) failed = copy(*grids, *mats);
  PetscCall(ReturnLevels(mg));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc counts from the coarsest level: [l] leads from level l to l + 1. */
PetscErrorCode PCGetInterpolations_SAAMG(PC pc, PetscInt *levels, Mat *interpolations[])
{
  PetscFunctionBegin;
  if (GroupPC *group = static_cast<SAAMG *>(pc->data)->group.get()) {
    PetscCall(group->get_levels(PetscObjectComm((PetscObject)pc), PCGetInterpolations_SAAMG, true, levels, interpolations));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CopyLevels(pc, CopyInterpolations, levels, interpolations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All but the finest, from the coarsest up. */
PetscErrorCode PCGetCoarseOperators_SAAMG(PC pc, PetscInt *levels, Mat *operators[])
{
  PetscFunctionBegin;
  if (GroupPC *group = static_cast<SAAMG *>(pc->data)->group.get()) {
    PetscCall(group->get_levels(PetscObjectComm((PetscObject)pc), PCGetCoarseOperators_SAAMG, false, levels, operators));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CopyLevels(pc, CopyOperators, levels, operators));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
