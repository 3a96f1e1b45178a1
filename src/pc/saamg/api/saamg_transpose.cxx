/* PCApplyTranspose(): the cycle of the matrix's mirror image, made when it is first asked for. */
#include "parallel/agree.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

/* A: the level's rows, with the map of their columns. conjugated: of A^H instead of A^T */
static std::shared_ptr<CsrLevel> transposed_level(const CsrLevel &level, const Csr &A, const MapPtr &columns, bool conjugated)
{
  auto t = std::make_shared<CsrLevel>();

  t->own       = transpose(A, *columns, columns, t->columns);
  t->A         = t->own.view();
  t->nnz       = level.nnz;
  t->dinv      = level.dinv.copied(A.space);
  t->balanced  = level.balanced.copied(A.space);
  t->isolated  = level.isolated.copied(A.space);
  t->name      = level.name.copied(A.space);
  t->lattice   = level.lattice;
  t->magnitude = level.magnitude.copied(A.space);
  if (conjugated) {
    conjugate(A.space, t->own.val.size(), t->own.val.data());
    conjugate(A.space, t->dinv.size(), t->dinv.data());
    conjugate(A.space, t->balanced.size(), t->balanced.data());
  }
  t->stamp.new_pattern();
  return t;
}

/* Interpolation and test functions in each other's place, without the transpose. */
static std::shared_ptr<CsrTransfer> exchanged(const CsrTransfer &from)
{
  auto t = std::make_shared<CsrTransfer>();

  t->P          = from.W.copied(from.W.space());
  t->W          = from.P.copied(from.P.space());
  t->coarse     = from.wcoarse;
  t->wcoarse    = from.coarse;
  t->fine       = from.fine;
  t->bs         = from.bs;
  t->k          = from.k;
  t->conjugated = from.conjugated;
  t->smoothed   = from.smoothed;
  t->bounded    = from.bounded;
  t->stamp.new_pattern();
  return t;
}

/* The transposed cycle is the cycle of A^T with the same transfers, (P^T A P)^T = P^T A^T P, or with test functions in the place of P, (W^T A P)^T = P^T A^T W,
   and the smoother after is the transpose of the one before. Where restriction is P^H it is that of A^H, whose transfers are the same again: of its
   conjugate. Of a preconditioner that is reused the matrix may have got another pattern since, and its columns another map than the finest level's. */
static PetscErrorCode MakeTransposed(PC pc, SAAMG *mg)
{
  OwnRows rows;

  PetscFunctionBegin;
  PetscCheck(mg->hierarchy.whole() || nonzero_state_of(mg->matrix) == mg->nonzerostate, comm_of(pc), PETSC_ERR_ORDER,
             "The matrix has got another pattern than its preconditioner, which is to be applied transposed: call PCSetUp() first");
  const bool           kept   = std::exchange(mg->by_diagonals, false); /* a transpose is of rows */
  const PetscErrorCode opened = OpenRows(mg, false, &rows);

  mg->by_diagonals = kept;
  PetscCall(opened);
  mg->hierarchy.borrow(rows.A, ExactSource(mg, rows));
  PetscCall(mg->hierarchy.restore(mg->hierarchy_options));
  for (const Grid &grid : mg->hierarchy.grids()) {
    const bool finest = &grid == mg->hierarchy.grids().data();
    Grid       t      = grid;

    t.transposed = true;
    PetscCall(Together(rows.columns->comm(), "transpose its rows", [&] {
      t.level = transposed_level(*grid.level, finest ? rows.A : grid.level->A, finest ? rows.columns : grid.level->columns, mg->hierarchy_options.conjugated);
      if (t.transfer && t.transfer->W.ptr.size()) t.transfer = exchanged(*t.transfer);
      if (t.transfer && !t.transfer->transposed() && !(mg->cycle_precision == PC_SAAMG_DOUBLE && t.transfer->lends_rows())) t.transfer->transpose();
      mg->transposed.grids.push_back(t);
    }));
  }
  PetscCall(Together(rows.columns->comm(), "begin a transposed cycle", [&] { mg->transposed.cycle = make_cycle(mg->cycle_precision); }));
  PetscCall(mg->transposed.cycle->setup(mg->transposed.grids, mg->space, nullptr, mg->taken, [] { return PETSC_SUCCESS; }));
  mg->hierarchy.release(mg->hierarchy_options);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = the conjugate of what the cycle makes of b's. */
static PetscErrorCode ApplyConjugated(SAAMG *mg, Cycle &cycle, Vec b, Vec x)
{
  Vec conjugated;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &conjugated));
  PetscErrorCode failed = VecCopy(b, conjugated);
  if (!failed) failed = VecConjugate(conjugated);
  if (!failed) failed = ApplyCycle(mg, cycle, conjugated, x);
  if (!failed) failed = VecConjugate(x);
  PetscCall(VecDestroy(&conjugated));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckSizes(PC pc, Vec b, Vec x)
{
  PetscInt rows, cols;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(pc->pmat, &rows, &cols));
  const PetscInt nb = local_size(b), nx = local_size(x);
  PetscCheck(nb == rows && nx == cols, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "PC saamg is of %" PetscInt_FMT " x %" PetscInt_FMT " on this rank, the input vector of %" PetscInt_FMT " and the output vector of %" PetscInt_FMT,
             rows, cols, nb, nx);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCApply() looks at the vectors, PCApplyTranspose() does not. A solver applies it to the same two, which all ranks have looked at then. */
static PetscErrorCode CheckVectors(PC pc, SAAMG *mg, Vec b, Vec x)
{
  const std::array<PetscObjectId, 3> now{id_of(pc->pmat), id_of(b), id_of(x)};

  PetscFunctionBegin;
  if (now == mg->transposed_fits) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FailTogether(comm_of(pc), CheckSizes(pc, b, x), "apply the preconditioner transposed"));
  mg->transposed_fits = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApplyTranspose_SAAMG(PC pc, Vec b, Vec x)
{
  SAAMG     *mg         = static_cast<SAAMG *>(pc->data);
  const bool conjugated = PetscDefined(USE_COMPLEX) && mg->hierarchy_options.conjugated;

  PetscFunctionBegin;
  PetscCall(CheckVectors(pc, mg, b, x));
  if (mg->group) {
    PetscCall(mg->group->apply(PCApplyTranspose, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (mg->inner) {
    PetscCall(mg->inner->apply(PCApplyTranspose, true, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!mg->cycle || (mg->told && !conjugated)) {
    PetscCall(PCApply_SAAMG(pc, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (mg->told) {
    PetscCall(ApplyConjugated(mg, *mg->cycle, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!mg->transposed.cycle) {
    const PetscErrorCode failed = FailTogether(comm_of(pc), MakeTransposed(pc, mg), "make the transposed cycle");

    if (failed) { /* half of it would pass for the whole, and a transpose that one rank has made and another has not is made by one of them alone */
      mg->transposed.reset();
      mg->hierarchy.release(mg->hierarchy_options);
    }
    PetscCall(CloseRows(mg)); /* the matrix may change before rows are wanted again */
    PetscCall(failed);
  }
  PetscCall(conjugated ? ApplyConjugated(mg, *mg->transposed.cycle, b, x) : ApplyCycle(mg, *mg->transposed.cycle, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
