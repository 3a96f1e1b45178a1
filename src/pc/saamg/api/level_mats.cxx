/* PCGetInterpolations() and PCGetCoarseOperators(): the hierarchy as host matrices, for whoever looks into it or builds another cycle from it. */
#include "pc/saamg/setup/own_rows.hpp"
#include "pcsaamg.hpp"
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

static PetscErrorCode GetGrids(PC pc, PetscInt *levels, Mat *mats[], const std::vector<Grid> **grids)
{
  *grids = &static_cast<SAAMG *>(pc->data)->hierarchy.grids();

  PetscFunctionBegin;
  PetscCheck(!pc->failedreason, comm_of(pc), PETSC_ERR_ORDER, "PC of type saamg has no levels: its set-up has failed, as that of a matrix with a NaN or Inf");
  PetscCheck(!(*grids)->empty(), comm_of(pc), PETSC_ERR_ORDER, "PC of type saamg has no levels: call PCSetUp() first");
  *levels = (PetscInt)(*grids)->size();
  PetscCall(PetscMalloc1(*levels, mats));
  PetscFunctionReturn(PETSC_SUCCESS);
}

using CopyOfTwo = PetscErrorCode(const Grid &fine, const Grid &coarse, Mat *);

static PetscErrorCode CopyInterpolation(const Grid &fine, const Grid &, Mat *interpolation)
{
  return CopyToMat(fine.transfer->P.view(), *fine.transfer->coarse, interpolation);
}

static PetscErrorCode CopyOperator(const Grid &, const Grid &coarse, Mat *coarse_operator)
{
  return CopyToMat(coarse.level->own.view(), *coarse.level->columns, coarse_operator);
}

/* From the coarsest two levels up. */
static PetscErrorCode CopyEach(const std::vector<Grid> &grids, CopyOfTwo *copy, Mat mats[])
{
  PetscFunctionBegin;
  for (std::size_t l = grids.size() - 1; l > 0; l--, mats++) PetscCall(copy(grids[l - 1], grids[l], mats));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of rows that were spared the values are those of the matrix as it is. */
static PetscErrorCode CopyLevels(PC pc, CopyOfTwo *copy, PetscInt *levels, Mat *mats[])
{
  SAAMG                   *mg = static_cast<SAAMG *>(pc->data);
  const std::vector<Grid> *grids;
  OwnRows                  rows;

  PetscFunctionBegin;
  PetscCall(GetGrids(pc, levels, mats, &grids));
  if (mg->hierarchy.whole()) {
    PetscCall(CopyEach(*grids, copy, *mats));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const PetscObjectState nonzerostate = nonzero_state_of(mg->matrix);
  PetscCheck(nonzerostate == mg->nonzerostate, comm_of(pc), PETSC_ERR_ORDER, "The matrix has got another pattern: call PCSetUp() first");
  PetscErrorCode failed = BorrowLevels(mg, &rows);
  if (!failed) failed = mg->hierarchy.restore(mg->hierarchy_options);
  if (!failed) failed = CopyEach(*grids, copy, *mats);
  PetscCall(ReturnLevels(mg));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

using GetLevels = PetscErrorCode(PC, PetscInt *, Mat *[]);

/* A group's leader's, or this rank's own. */
static PetscErrorCode GetEach(PC pc, GetLevels *get, CopyOfTwo *copy, PetscInt *levels, Mat *mats[])
{
  GroupPC *const group = group_of(pc);
  const auto    &inner = static_cast<SAAMG *>(pc->data)->inner;

  if (inner) return get(inner->pc(), levels, mats);
  return group ? group->get_levels(comm_of(pc), get, copy == CopyInterpolation, levels, mats) : CopyLevels(pc, copy, levels, mats);
}

/* PETSc counts from the coarsest level: [l] leads from level l to l + 1. */
PetscErrorCode PCGetInterpolations_SAAMG(PC pc, PetscInt *levels, Mat *interpolations[])
{
  return GetEach(pc, PCGetInterpolations_SAAMG, CopyInterpolation, levels, interpolations);
}

/* All but the finest, from the coarsest up. */
PetscErrorCode PCGetCoarseOperators_SAAMG(PC pc, PetscInt *levels, Mat *operators[])
{
  return GetEach(pc, PCGetCoarseOperators_SAAMG, CopyOperator, levels, operators);
}

} // namespace goza::saamg
