/* The memory of a set-up: told before it, and what it came to. */
#include "core/device/properties.hpp"
#include "mat/common/format_mat.hpp"
#include "pc/saamg/cycle/level_format.hpp"
#include "pc/saamg/cycle/trial_solve.hpp"
#include "pc/saamg/setup/near_null.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

static PetscErrorCode TellFreeMemory(PC pc, const SAAMG *mg)
{
  PetscBool listens;

  PetscFunctionBegin;
  PetscCall(PetscInfoEnabled(PC_CLASSID, &listens));
  if (mg->space == Space::Cuda && listens) { /* it takes the driver a while */
    std::size_t available = 0;

    PetscCall(Guarded([&] { available = device::free_memory(); }));
    PetscCall(PetscInfo(pc, "Device memory that is free: %.3f MB\n", available / 1e6));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of rows of q's figures: what share of their entries aggregates follow. */
static void find_strong(const SAAMG &mg, const Csr &A, PetscInt bs, MemoryQuestion &q)
{
  const HierarchyOptions &options   = mg.hierarchy_options;
  const Couplings        &couplings = mg.couplings;

  if (options.threshold > 0 && bs == 1 && A.ptr) q.strong = share_of_strong(A, options.threshold);
  q.by_signs = options.strong_share > 0 && couplings.rows > 0;
  if (!q.by_signs || q.nonzeros <= q.rows) return;
  const double strong = static_cast<double>(couplings.edges - couplings.minor) / static_cast<double>(couplings.rows);

  q.strong = std::min(q.strong, strong * q.rows / (q.nonzeros - q.rows));
}

/* rows: what the set-up reads, their places on a grid. */
PetscErrorCode PredictMemory(PC pc, SAAMG *mg, const OwnRows &rows, const Lattice &lattice, const NearNull &modes)
{
  const PetscInt         bs = modes.bs, k = modes.k;
  const PCSAAMGPrecision precision = WantedPrecision(*mg);
  const bool             half = precision == PC_SAAMG_HALF, narrow = precision == PC_SAAMG_SINGLE || half;
  const PetscInt         mcgs   = smoother_named("mcgs");
  FormatMat             *format = format_of(pc->pmat);
  MatNullSpace           near;
  MemoryQuestion         q;

  PetscFunctionBegin;
  PetscCall(MatGetNearNullSpace(pc->pmat, &near));
  q.rows = rows.A.nrows;
  q.ones = !near && k == 1;
  PetscCall(Guarded([&] { q.nonzeros = entries(rows.A); }));
  if (mg->by_diagonals) { /* a PetscInt may not count them */
    std::shared_ptr<ParOperator<PetscScalar>> op;

    PetscCall(MatFormatGetOperator(pc->pmat, &op));
    q.nonzeros = op->nnz();
  }
  q.bs                          = bs;
  q.vectors                     = k;
  q.max_levels                  = mg->hierarchy_options.max_levels;
  q.coarse_limit                = mg->hierarchy_options.coarse_limit;
  q.aggressive_levels           = mg->hierarchy_options.aggressive_levels;
  q.coarse_interpolation_degree = mg->hierarchy_options.coarse_interpolation_degree;
  if (narrow) q.fine_value = sizeof(float);
  if (precision != PC_SAAMG_DOUBLE) q.coarse_value = sizeof(float);
  q.fine_operator   = half ? 2 : q.fine_value;
  q.coarse_operator = half ? 2 : q.coarse_value;
  q.transfer_value  = half ? 2 : q.coarse_value;
  q.fine_lent       = ((format && !format->petscs_own && !mg->converted) || mg->owner) && !narrow;
  q.fine_like       = mg->by_diagonals;
  q.copy            = (PetscLogDouble)(rows.bytes() + modes.left);
  if (mg->space == Space::Cuda) q.choice = (PetscLogDouble)locality::bytes_of_decision(rows.A.nrows);
  if (narrow && mg->precision == PC_SAAMG_AUTO && !mg->automatic.tried) q.trial = 2. * q.rows * sizeof(PetscScalar);
  if (mg->tune == PC_SAAMG_TUNE_FULL) q.tuning = static_cast<PetscLogDouble>(TrialSolve::most_vectors) * q.rows * sizeof(PetscScalar);
  q.several    = rows.columns->size() > 1;
  q.device     = mg->space == Space::Cuda;
  q.directions = (lattice.points[0] > 1) + (lattice.points[1] > 1) + (lattice.points[2] > 1);
  q.stars      = mg->hierarchy_options.further && mg->hierarchy_options.stars;
  q.boxes      = lattice.known() && !q.several && bs == 1 && k == 1 && mg->hierarchy_options.threshold == 0 && mg->hierarchy_options.strong_share == 0 &&
            !mg->hierarchy_options.by_heaviest && !q.aggressive_levels;
  q.kept       = mg->reuse != PC_SAAMG_REUSE_NONE && mg->reuse != PC_SAAMG_REUSE_AUTO; // hardly anything in a first set-up
  q.aggregates = mg->hierarchy_options.keep == Keep::Aggregates;
  if (q.trial > 0 && k > 1) q.compared = q.directions && q.nonzeros > 20. * q.rows * bs ? 0.5 : 1; // see saamg_precision.cxx: 0.4 of an error may be left
  q.half_stored = mg->found.symmetric && q.directions > 0;
  if (mg->space == Space::Host) PetscCall(Guarded([&] { q.full_below = locality::machine_for(mg->space).l2; }));
  q.wide_below = half && mg->space == Space::Cuda ? least_halved_bytes : 0;
  PetscCall(Guarded([&] { find_strong(*mg, rows.A, bs, q); }));
  q.rows_lent      = mg->space == Space::Host && !q.several && bs == 1 && k == 1 && precision == PC_SAAMG_DOUBLE;
  q.tested         = mg->hierarchy_options.adjoint;
  q.fine_colored   = mg->taken.smoothers[PC_SAAMG_FINEST].which == mcgs;
  q.coarse_colored = mg->taken.smoothers[PC_SAAMG_INTERMEDIATE].which == mcgs;
  mg->predicted    = estimate_memory(q);
  PetscCall(PetscInfo(pc, "Memory of the set-up, predicted: %.3f MB at most, %.3f MB after it, beside the matrix's format\n", mg->predicted.during / 1e6,
                      mg->predicted.after / 1e6));
  PetscCall(TellFreeMemory(pc, mg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TellMemory(PC pc, std::size_t before, std::size_t most)
{
  FormatMat  *format = format_of(pc->pmat);
  std::size_t lent   = 0;

  PetscFunctionBegin;
  if (format && format->op && format->op->built() && format->op->space() == Space::Cuda) lent = format->op->bytes();
  PetscCall(PetscInfo(pc, "Device memory of Goza: %.3f MB before the set-up, %.3f MB at most, %.3f MB after it; of these %.3f MB are the matrix's format\n",
                      before / 1e6, most / 1e6, device::bytes_in_use() / 1e6, lent / 1e6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewMemory(PC pc, SAAMG *mg, PetscViewer viewer)
{
  PetscLogDouble mine[] = {(PetscLogDouble)mg->hierarchy.bytes(), (PetscLogDouble)mg->cycle->bytes(), mg->predicted.after, (PetscLogDouble)mg->most,
                           mg->predicted.during},
                 all[5];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(mine, all, 5, MPIU_PETSCLOGDOUBLE, MPI_SUM, comm_of(pc)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  memory: levels %.3f MB, cycle %.3f MB; predicted for both %.3f MB\n", all[0] / 1e6, all[1] / 1e6, all[2] / 1e6));
  if (mg->space == Space::Cuda)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  at most %.3f MB on the device during the set-up, with what Goza had there before; predicted %.3f MB beside that and "
                                     "the matrix's format\n",
                                     all[3] / 1e6, all[4] / 1e6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
