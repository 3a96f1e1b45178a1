/* Matrices that are nothing but their diagonals (src/mat/own): on grids the set-up reads these; for what does not, rows are made while they are read. */
#include "mat/common/format_mat.hpp"
#include "mat/own/own_cds.hpp"
#include "petsc/plugin.hpp"
#include "pc/saamg/cycle/level_format.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

bool HasEntries(Mat A)
{
  PetscInt m = 0, n = 0;

  if (!is_type(A, MATNEST)) return !is_type(A, MATSHELL, MATMFFD, MATPYTHON);
  (void)MatNestGetSize(A, &m, &n);
  for (PetscInt k = 0; k < m * n; k++) {
    Mat       block = NULL;
    PetscBool rows  = PETSC_TRUE;

    (void)MatNestGetSubMat(A, k / n, k % n, &block);
    if (block && is_type(block, MATTRANSPOSEVIRTUAL)) (void)MatTransposeGetMat(block, &block);
    if (block) (void)MatHasOperation(block, MATOP_GET_ROW, &rows);
    if (!rows) return false;
  }
  return true;
}

/* Of a matrix that is said to be symmetric, or stored as one: who asks whether it is, and finds that it is not, wants rows. */
PetscErrorCode DiagonalsMayServe(PC pc, SAAMG *mg, bool *yes)
{
  std::shared_ptr<ParOperator<PetscScalar>> op;
  OwnMat                                   *own = find_own(pc->pmat);
  Space                                     space;
  PetscBool                                 known, symmetric;
  std::shared_ptr<RankGroup>                group;
  const PetscInt                            smoother = mg->cycle_options.smoothers[PC_SAAMG_FINEST].which;
  const bool by_steps = smoother == smoother_named("auto") || smoother == smoother_named("jacobi") || smoother == smoother_named("chebyshev");

  PetscFunctionBegin;
  if (own) space = space_of(pc->pmat);
  if (own) PetscCall(RankGroupGet(comm_of(pc), space, &group));
  mg->owner            = own;
  mg->makes_rows       = own && !group;
  const bool as_it_was = mg->reuse == PC_SAAMG_REUSE_NONE || mg->hierarchy.empty() || mg->by_diagonals; /* levels that are kept may be of rows */
  *yes                 = false;
  if (!own || !pc->pmat->assembled || pc->pmat->rmap->size > 1 || pc->pmat->rmap->n != pc->pmat->cmap->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatFormatGetOperator(pc->pmat, &op));
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  const PlainCds *diagonals = OwnDiagonals(*own);
  *yes                      = diagonals && own->bs == 1 && (diagonals->half() || (known && symmetric)) && !diagonals->hermitian_half() && by_steps &&
         pc->pmat->rmap->n > mg->hierarchy_options.coarse_limit && as_it_was;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindGrid(PC pc, const SAAMG *mg, GridBoxes *boxes)
{
  OwnMat        *own = find_own(pc->pmat);
  const PetscInt n   = pc->pmat->rmap->n;
  GridBox        box;

  PetscFunctionBegin;
  PetscCall(Guarded([&] { *boxes = mg->grid; }));
  if (boxes->empty()) PetscCall(FindGridBoxes(pc->pmat, boxes));
  if (!boxes->empty() || !mg->by_diagonals) PetscFunctionReturn(PETSC_SUCCESS);
  const GridStrides grid = OwnDiagonals(*own)->grid();
  const PetscInt    line = grid.line, plane = grid.plane ? grid.plane : n;

  if (line <= 0 || plane % line || n % plane) PetscFunctionReturn(PETSC_SUCCESS);
  box.slabs     = true;
  box.points[0] = box.width[0] = line;
  box.points[1] = box.width[1] = plane / line;
  box.points[2] = box.width[2] = n / plane;
  PetscCall(Guarded([&] { boxes->push_back(box); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values that only the host has would be sent to the device for each set-up. Where they are there in the matrix's format, they are read there. */
static const Format<PetscScalar> *values_there(const SAAMG *mg)
{
  const Mat        A = mg->matrix;
  const FormatMat *f = format_of(A);

  if (mg->converted || mg->space != Space::Cuda || !f || f->petscs_own || !f->op->built() || f->op->space() != mg->space || f->op->behind(A)) return nullptr;
#if PetscDefined(HAVE_DEVICE)
  if (blocks_of(A).diagonal()->offloadmask != PETSC_OFFLOAD_CPU) return nullptr;
#endif
  return &f->op->diagonal_block();
}

PetscErrorCode OpenRows(SAAMG *mg, bool known_to_ascend, OwnRows *rows)
{
  const Mat A = mg->matrix;

  PetscFunctionBegin;
  PetscCheck(mg->owner == (find_own(A) != nullptr), comm_of(A), PETSC_ERR_ARG_WRONGSTATE,
             "PC saamg: the matrix that it was set up with is of type %s now; set it up anew", ((PetscObject)A)->type_name);
  if (mg->by_diagonals) {
    PetscCall(rows->open_diagonals(A, mg->space, own_of(A)->op->nnz()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (mg->makes_rows) PetscCall(rows->open_made(A));
  else PetscCall(rows->open(mg->converted ? mg->converted : A, mg->space, known_to_ascend, values_there(mg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one rank's matrix on a host that is no format's: what the cycle is to have of it, made first where that is diagonals, since most steps read these in half
   the time. In new values it is the last set-up's, filled again. */
PetscErrorCode HoldDiagonals(PC pc, SAAMG *mg, OwnRows *rows)
{
  std::shared_ptr<ParOperator<PetscScalar>> &held = rows->held, of_matrix;
  FormatChoice                               choice;
  const FormatFactory<PetscScalar>           wide = [&](Space space) { return std::make_unique<WideCds>(space, diagonals_for_level(choice)); };

  PetscFunctionBegin;
  if (mg->space != Space::Host || rows->columns->size() > 1 || !rows->A.ptr || block_size_of(pc->pmat) > 1 || WantedPrecision(*mg) != PC_SAAMG_DOUBLE)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (!mg->converted || mg->owner) PetscCall(MatFormatGetOperator(mg->matrix, &of_matrix));
  if (of_matrix) PetscFunctionReturn(PETSC_SUCCESS);
  if (mg->again) held = mg->held.lock();
  if (held) mg->held_stamp.new_values();
  else {
    PetscCall(Guarded([&] {
      choice = decide_for_level(rows->A, 1, sizeof(PetscScalar)).choice;
      if (choice.layout == Layout::CdsFull || choice.layout == Layout::CdsHalf) held = std::make_shared<ParOperator<PetscScalar>>();
    }));
    mg->held_stamp.new_pattern();
  }
  mg->held = held;
  if (held) PetscCall(held->update(rows->A, rows->columns, mg->held_stamp, wide));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows are made of a host's matrix where no smoother and no trial reads them once there is an interpolation: more memory than the matrix and the levels. */
RowsOnDemand MakesRowsAgain(SAAMG *mg, OwnRows *rows)
{
  const PetscInt smoother = mg->taken.smoothers[PC_SAAMG_FINEST].which;
  const bool     by_steps = smoother == smoother_named("jacobi") || smoother == smoother_named("chebyshev");

  if (!mg->makes_rows || mg->by_diagonals || mg->space != Space::Host || rows->columns->size() > 1 || !by_steps || mg->tune == PC_SAAMG_TUNE_FULL)
    return nullptr;
  return [mg, rows](bool wanted, Csr *A) -> PetscErrorCode {
    Csr sizes = rows->A;

    PetscFunctionBegin;
    sizes.ptr = sizes.col = nullptr;
    sizes.val             = nullptr;
    PetscCall(rows->close());
    if (wanted) PetscCall(rows->open_made(mg->matrix));
    else rows->A = sizes;
    *A = rows->A;
    PetscFunctionReturn(PETSC_SUCCESS);
  };
}

PetscErrorCode CloseRows(SAAMG *mg)
{
  PetscFunctionBegin;
  if (mg->owner) PetscCall(MatDestroy(&mg->converted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
