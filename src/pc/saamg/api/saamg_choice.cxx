/* What a set-up takes where the user leaves the choice to saamg: from what it finds in the matrix. */
#include "petsc/plugin.hpp"
#include "parallel/agree.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg
{

/* Chebyshev polynomials of a nonsymmetric matrix grow where its eigenvalues are complex. Gauss-Seidel converges where the matrix is an M-matrix, symmetric or not, and diverges where
   convection outweighs the diagonal, in few rows as in many; l1-Jacobi does not. */
static const char *smoother_for(const Symmetry &found)
{
  return found.symmetric ? "chebyshev" : found.opposed > found.rows / 1000 ? "l1jacobi" : "mcgs";
}

static SmoothedWith smoothing_for(const Symmetry &found, PCSAAMGInterpolation interpolation)
{
  switch (interpolation) {
  case PC_SAAMG_INTERPOLATION_SMOOTHED:
    return SmoothedWith::Matrix;
  case PC_SAAMG_INTERPOLATION_DIFFUSIVE:
    return SmoothedWith::DiffusivePart;
  case PC_SAAMG_INTERPOLATION_UNSMOOTHED:
    return SmoothedWith::Nothing;
  default:
    return found.symmetric ? SmoothedWith::Matrix : SmoothedWith::DiffusivePart;
  }
}

/* What is not set is looked for; couplings: whether they are. facts: of the rows, where they have been found on the way. */
static PetscErrorCode LookAt(PC pc, SAAMG *mg, const OwnRows &rows, const OperatorSource &exact, bool couplings, std::shared_ptr<CsrFacts> *facts)
{
  PetscBool                 known, symmetric;
  ParOperator<PetscScalar> *op = nullptr;

  PetscFunctionBegin;
  mg->found = {};
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  mg->told = known && symmetric;
  if (mg->told && !couplings) PetscFunctionReturn(PETSC_SUCCESS);
  if (exact) PetscCall(FailTogether(rows.columns->comm(), exact(&op), "hold its rows in the matrix's format"));
  PetscCall(PetscLogEventBegin(events.eigen, pc, 0, 0, 0));
  PetscCall(Together(rows.columns->comm(), "look at the matrix", [&] {
    const StoredRows stored(rows.A, op ? &op->diagonal_block() : nullptr);

    *facts = std::make_shared<CsrFacts>(row_facts(stored, *rows.columns));
    if (!(*facts)->finite || !(*facts)->squares_finite) return; // as the set-up will find
    if (!mg->told) mg->found = symmetry_of(stored, rows.columns, **facts);
    if (mg->found.symmetric && couplings) mg->couplings = couplings_of(stored, *rows.columns, **facts);
  }));
  PetscCall(PetscLogEventEnd(events.eigen, pc, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseForMatrix(PC pc, SAAMG *mg, const OwnRows &rows, const OperatorSource &exact, bool kept, std::shared_ptr<CsrFacts> *facts)
{
  const PetscInt automatic = smoother_named("auto");
  PetscInt       bs;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(pc->pmat, &bs));
  if (!kept) mg->couplings = {};
  PetscCall(LookAt(pc, mg, rows, exact, !kept && mg->threshold < 0 && bs == 1, facts));
  mg->taken = mg->cycle_options;
  for (SmootherChoice &s : mg->taken.smoothers) {
    if (s.which == automatic) s.which = smoother_named(smoother_for(mg->found));
  }
  const SmootherChoice &finest      = mg->taken.smoothers[PC_SAAMG_FINEST];
  mg->hierarchy_options.alternating = finest.which == smoother_named("jacobi") && finest.options.jacobi_relax > 0.9;
  if (!kept) mg->hierarchy_options.threshold = mg->threshold >= 0 ? mg->threshold : mg->couplings.threshold();
  if (!kept) mg->hierarchy_options.diagonal_sign = mg->couplings.of_both_signs() ? mg->couplings.diagonal_sign : 0;
  if (!kept || mg->reuse != PC_SAAMG_REUSE_INTERPOLATION) mg->hierarchy_options.smoothed_with = smoothing_for(mg->found, mg->interpolation);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
