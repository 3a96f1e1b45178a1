/* What a set-up takes where the user leaves the choice to saamg: from what it finds in the matrix. */
#include "goza.hpp"
#include "mat/common/halo/agree.hpp"
#include "own_rows.hpp"
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza
{

const char *const interpolation_names[] = {"auto", "smoothed", "diffusive", "unsmoothed", "PCSAAMGInterpolation", "PC_SAAMG_INTERPOLATION_", NULL};

/* Chebyshev polynomials of a nonsymmetric matrix grow where its eigenvalues are complex; Gauss-Seidel converges where the matrix is an M-matrix, symmetric or not. */
static const char *smoother_for(const Symmetry &found)
{
  return found.symmetric ? "chebyshev" : "mcgs";
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

static PetscErrorCode FindSymmetry(PC pc, SAAMG *mg, const OwnRows &rows)
{
  PetscBool known, symmetric;

  PetscFunctionBegin;
  mg->found = {};
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  mg->told = known && symmetric;
  if (mg->told) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(events.eigen, pc, 0, 0, 0));
  PetscCall(Together(rows.columns->comm(), "compare the matrix with its transpose", [&] { mg->found = symmetry_of(rows.A, rows.columns); }));
  PetscCall(PetscLogEventEnd(events.eigen, pc, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseForMatrix(PC pc, SAAMG *mg, const OwnRows &rows)
{
  const PetscInt automatic = smoother_named("auto");

  PetscFunctionBegin;
  PetscCall(FindSymmetry(pc, mg, rows));
  mg->taken      = mg->cycle_options;
  mg->taken.half = mg->precision == PC_SAAMG_HALF;
  for (SmootherChoice &s : mg->taken.smoothers) {
    if (s.which == automatic) s.which = smoother_named(smoother_for(mg->found));
  }
  const SmootherChoice &finest        = mg->taken.smoothers[PC_SAAMG_FINEST];
  mg->hierarchy_options.alternating   = finest.which == smoother_named("jacobi") && finest.options.jacobi_relax > 0.9;
  mg->hierarchy_options.smoothed_with = smoothing_for(mg->found, mg->interpolation);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
