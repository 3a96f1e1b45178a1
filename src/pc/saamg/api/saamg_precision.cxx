/* The cycle in its precision, and PC_SAAMG_AUTO: half precision where it does no harm. */
#include "mat/common/format_kind.hpp"
#include "parallel/agree.hpp"
#include "pc/saamg/cycle/contraction.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "petsc/plugin.hpp"
#include "pcsaamg.hpp"
#include "saamg_data.hpp"
#include <petsc/private/kspimpl.h>
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

/* A cycle that leaves so little of an error is good enough in low precision without another look: one in double would have to save half of the iterations to be
   faster. */
static constexpr PetscReal good_contraction = 0.4;

/* The same of its first error, of which a cycle that rounding has spoiled may reduce more: 0.43 and then 1.4 for constants with a jump. */
static constexpr PetscReal good_at_once = 0.3;

/* Of a trial's noise. Where so much remains, the matrix is nearly singular, and a cycle in double may leave far less of what dominates an error: coarse
   operators lose in low precision what keeps them regular. Of the league's problems that pass at once less than a third of it remains, but where many cells are
   each 1e6 times as stiff as what is between them. */
static constexpr PetscReal most_remaining = 100;

/* So much of the rate of the cycle in double, -log of its contraction, is enough: a solve in half precision takes two thirds of the time. */
static constexpr PetscReal enough_of_the_rate = 0.8;

/* Iterations to a set-up from which on a cycle in single precision saves a host more than its copies take. */
static constexpr PetscInt worth_copies = 16;

/* The degree of a Chebyshev smoother from which on that is so in a first solve, too: it is chosen where rows outweigh their diagonals, and solves take 30
   iterations and more. */
static constexpr PetscInt degree_of_slivers = 5;

void WatchPrecision(SAAMG *mg, bool known_pattern)
{
  AutoPrecision &automatic = mg->automatic;
  const bool     asked_for = mg->tune == PC_SAAMG_TUNE_QUICK && known_pattern, pays = automatic.iterations >= worth_copies && automatic.digits > 0;

  automatic.watched    = asked_for && (automatic.watched || pays) && mg->space == Space::Host && !PetscDefined(USE_REAL_SINGLE);
  automatic.iterations = 0;
}

static PetscErrorCode ExactOperator(Mat A, Space space, ParOperator<PetscScalar> **exact)
{
  std::shared_ptr<ParOperator<PetscScalar>> op;

  PetscFunctionBegin;
  PetscCall(MatFormatGetOperator(A, &op));
  *exact = op && op->space() == space && op->diagonal_block().rounding() <= PETSC_MACHINE_EPSILON ? op.get() : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

OperatorSource ExactSource(SAAMG *mg, const OwnRows &rows)
{
  if (rows.held)
    return [held = rows.held](ParOperator<PetscScalar> **found) {
      *found = held.get();
      return PETSC_SUCCESS;
    };
  if (mg->converted && !mg->owner) return {};
  return [mg](ParOperator<PetscScalar> **found) { return ExactOperator(mg->matrix, mg->space, found); };
}

static bool takes_long(const SAAMG &mg)
{
  const SmootherChoice    &finest = mg.taken.smoothers[PC_SAAMG_FINEST];
  const std::vector<Grid> &grids  = mg.hierarchy.grids();

  return mg.space == Space::Host && !PetscDefined(USE_REAL_SINGLE) && finest.which == smoother_named("chebyshev") &&
         finest.options.chebyshev_degree >= degree_of_slivers && (grids.size() < 2 || grids[0].transfer->smoothed); /* not of hubs */
}

PCSAAMGPrecision LowPrecision(const SAAMG &mg) { return mg.automatic.watched || takes_long(mg) ? PC_SAAMG_SINGLE : mg.automatic.low[(int)mg.space]; }

PCSAAMGPrecision WantedPrecision(const SAAMG &mg)
{
  if (mg.precision != PC_SAAMG_AUTO) return mg.precision;
  if (!mg.automatic.keeps_residuals || !mg.automatic.refused.empty()) return PC_SAAMG_DOUBLE;
  if (mg.tuned.precision != PC_SAAMG_AUTO) return mg.tuned.precision;
  if (mg.automatic.few) return PC_SAAMG_DOUBLE;
  return LowPrecision(mg);
}

static void is_in(SAAMG *mg, PCSAAMGPrecision precision)
{
  mg->cycle_precision = precision;
  mg->taken.half      = precision == PC_SAAMG_HALF;
}

/* The cycle of the hierarchy in this precision; what it holds already is only refilled where patterns are the same. */
static PetscErrorCode FillCycle(PC pc, SAAMG *mg, PCSAAMGPrecision precision, std::unique_ptr<Cycle> &cycle, const CycleOptions &options)
{
  std::shared_ptr<ParOperator<PetscScalar>> fine;
  const MPI_Comm                            comm = comm_of(pc);

  PetscFunctionBegin;
  PetscCall(FailTogether(comm, mg->converted && !mg->owner ? PETSC_SUCCESS : MatFormatGetOperator(mg->matrix, &fine), "lend its product with the matrix"));
  if (!fine) fine = mg->held.lock();
  PetscCall(Together(comm, "begin a cycle", [&] {
    if (!cycle) cycle = make_cycle(precision);
    for (const Grid &grid : mg->hierarchy.grids()) { /* as release() left it */
      if (grid.transfer && !grid.transfer->transposed() && !(precision == PC_SAAMG_DOUBLE && grid.transfer->lends_rows())) grid.transfer->transpose();
    }
  }));
  PetscCall(cycle->setup(mg->hierarchy.grids(), mg->space, fine, options, [mg] { return mg->hierarchy.restore(mg->hierarchy_options); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetUpCycle(PC pc, SAAMG *mg, PCSAAMGPrecision precision)
{
  PetscFunctionBegin;
  if (mg->cycle_precision != precision) mg->cycle.reset();
  is_in(mg, precision);
  mg->taken.spares = !mg->hierarchy.keeps_transposes(mg->hierarchy_options);
  PetscCall(FillCycle(pc, mg, precision, mg->cycle, mg->taken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ExactProduct(SAAMG *mg, ParOperator<PetscScalar> **exact)
{
  const CsrLevel &level = *mg->hierarchy.grids()[0].level;

  PetscFunctionBegin;
  *exact = nullptr;
  if (level.exact) PetscCall(FailTogether(level.columns->comm(), level.exact(exact), "hold its rows in the matrix's format"));
  if (!level.columns->all(*exact)) *exact = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether of a cycle that leaves `low` of an error one that leaves so much more is not worth it; false for NaN. */
static bool serves(PetscReal low, PetscReal in_double) { return low < 1 && -PetscLogReal(low) >= -enough_of_the_rate * PetscLogReal(in_double); }

/* The cycle is in low precision: is it as good as in double? A cycle that is good anyhow need not be compared. The one in double, which stands beside it, reads
   the hierarchy's rows; where it makes nearly the same of an error, it is not tried further. */
static PetscErrorCode Compare(PC pc, SAAMG *mg, PetscReal *in_double, bool *good)
{
  PetscReal                &mine = mg->automatic.contraction, share;
  ParOperator<PetscScalar> *exact;
  std::unique_ptr<Cycle>    lent;
  CycleOptions              options = mg->taken;

  PetscFunctionBegin;
  PetscCall(ExactProduct(mg, &exact));
  TrialCycles trial(mg->hierarchy.grids()[0], exact);

  PetscCall(trial.contraction(*mg->cycle, good_at_once, &mine));
  const bool nearly_singular = trial.remaining() > most_remaining;
  *good                      = mine <= good_contraction && !nearly_singular;
  if (*good) PetscFunctionReturn(PETSC_SUCCESS);
  options.half = options.spares = false;
  options.lent                  = true;
  PetscCall(FillCycle(pc, mg, PC_SAAMG_DOUBLE, lent, options));
  PetscCall(trial.difference(*mg->cycle, *lent, &share));
  PetscCall(PetscInfo(pc, "A trial cycle leaves %g of a smooth error; one in double differs by %g of what it does\n", (double)mine, (double)share));
  *good = serves(mine, mine - share * (1 - mine));
  if (*good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(trial.contraction(*lent, nearly_singular ? good_at_once : 0, in_double));
  *good = serves(mine, *in_double);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TryPrecision(PC pc, SAAMG *mg)
{
  const PetscReal &mine      = mg->automatic.contraction;
  PetscReal        in_double = 0;
  bool             good      = false;

  PetscFunctionBegin;
  PetscCall(Compare(pc, mg, &in_double, &good));
  mg->automatic.tried = true;
  if (good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    mg->automatic.refused = std::string("a trial cycle in ") + PCSAAMGPrecisions[mg->cycle_precision] + " leaves " + std::to_string(mine) +
                            " of a smooth error, one in double " + std::to_string(in_double);
  }));
  PetscCall(PetscInfo(pc, "The cycle is in double precision: %s\n", mg->automatic.refused.c_str()));
  PetscCall(SetUpCycle(pc, mg, PC_SAAMG_DOUBLE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeCycle(PC pc, SAAMG *mg)
{
  PetscFunctionBegin;
  PetscCall(SetUpCycle(pc, mg, WantedPrecision(*mg)));
  if (mg->precision == PC_SAAMG_AUTO && mg->cycle_precision != PC_SAAMG_DOUBLE && !mg->automatic.tried && !mg->automatic.watched &&
      mg->tuned.precision == PC_SAAMG_AUTO)
    PetscCall(TryPrecision(pc, mg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BorrowLevels(SAAMG *mg, OwnRows *rows)
{
  PetscFunctionBegin;
  PetscCall(use_petsc_stream());
  PetscCall(OpenRows(mg, mg->ascending != 0, rows));
  mg->hierarchy.borrow(rows->A, ExactSource(mg, *rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReturnLevels(SAAMG *mg)
{
  PetscFunctionBegin;
  mg->hierarchy.release(mg->hierarchy_options);
  PetscCall(CloseRows(mg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As in a set-up, for a hierarchy that is there. */
static PetscErrorCode MakeCycleAnew(PC pc, SAAMG *mg)
{
  OwnRows rows;

  PetscFunctionBegin;
  PetscCall(BorrowLevels(mg, &rows));
  mg->transposed.reset();
  const PetscErrorCode failed = MakeCycle(pc, mg);

  PetscCall(ReturnLevels(mg));
  if (failed) {
    mg->cycle.reset();
    pc->setupcalled = PETSC_FALSE; /* a later set-up begins anew */
  }
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do residuals and solution follow from the vectors that the preconditioner really returned? Left-preconditioned methods, and those that apply it to a sum of
   vectors at the end, take it for linear to the last bit. */
static bool keeps_residuals(KSP ksp)
{
  return is_type(ksp, KSPCG, KSPFCG, KSPFBCGS, KSPFBCGSR, KSPFGMRES, KSPGCR, KSPRICHARDSON, KSPFUSEDCG, KSPFUSEDBCGS, KSPFUSEDGMRES);
}

/* The set-up comes before PETSc says which method the preconditioner is for. Behind a method that says it in its own set-up, or that is the same as in the last
   solve, the cycle is made once. */
static PetscErrorCode ChooseForSolve(PC pc, KSP ksp)
{
  SAAMG     *mg    = static_cast<SAAMG *>(pc->data);
  const bool first = !std::exchange(mg->automatic.used, true);

  PetscFunctionBegin;
  mg->automatic.gone_astray = 0;
  if (mg->precision == PC_SAAMG_AUTO && mg->group) {
    PetscCall(mg->group->solve_begins(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (mg->precision != PC_SAAMG_AUTO || !mg->cycle) PetscFunctionReturn(PETSC_SUCCESS);
  mg->automatic.keeps_residuals = keeps_residuals(ksp);
  const PCSAAMGPrecision wanted = WantedPrecision(*mg);

  if (nonzero_state_of(mg->matrix) != mg->nonzerostate) PetscFunctionReturn(PETSC_SUCCESS); /* another pattern than its levels', which are reused */
  if (wanted == mg->cycle_precision || (first && wanted != PC_SAAMG_DOUBLE && !takes_long(*mg)))
    PetscFunctionReturn(PETSC_SUCCESS); /* one solve gains less than another cycle costs */
  PetscCall(MakeCycleAnew(pc, mg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void set_range(SAAMG *mg, Range range)
{
  mg->range = range;
  if (mg->group && mg->group->there()) static_cast<SAAMG *>(mg->group->there()->data)->range = range;
}

/* Residuals of a solve are in range where its right-hand side is. Ranks that share a GPU would take turns there to look at it, which they do not. */
PetscErrorCode PCPreSolve_SAAMG(PC pc, KSP ksp, Vec b, Vec)
{
  SAAMG *mg       = static_cast<SAAMG *>(pc->data);
  int    exponent = 0;

  PetscFunctionBegin;
  PetscCall(ChooseForSolve(pc, ksp));
  if (!b || (!mg->group && mg->cycle_precision == PC_SAAMG_DOUBLE)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!mg->group || !petsc_on_device()) PetscCall(LargestExponent(b, true, &exponent));
  set_range(mg, range_of(exponent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A method that takes a cycle in low precision for linear to the last bit may stop where the true residual is far behind its own: with so many times what was
   asked for, a solve has gone astray. */
static constexpr PetscReal astray = 1000;

static PetscErrorCode CheckTrueResidual(PC pc, KSP ksp, Vec b, Vec x)
{
  SAAMG      *mg = static_cast<SAAMG *>(pc->data);
  KSPNormType norm;
  PetscReal   rtol, residual, whole;
  Mat         A;
  Vec         r;

  PetscFunctionBegin;
  PetscCall(KSPGetNormType(ksp, &norm));
  if (keeps_residuals(ksp) || norm == KSP_NORM_NONE || ksp->transpose_solve) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatResidual(A, b, x, r));
  PetscCall(VecNorm(r, NORM_2, &residual));
  PetscCall(VecNorm(b, NORM_2, &whole));
  PetscCall(VecDestroy(&r));
  if (!(residual > astray * rtol * whole)) PetscFunctionReturn(PETSC_SUCCESS);
  mg->automatic.gone_astray = residual / (rtol * whole);
  PetscCall(PetscInfo(pc, "The true residual is %g times what was asked for: the method takes the cycle in %s precision for linear\n",
                      (double)mg->automatic.gone_astray, PCSAAMGPrecisions[mg->precision]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve that is the user's is a trial that costs nothing. */
static PetscErrorCode WatchSolve(SAAMG *mg, KSP ksp, KSPConvergedReason reason)
{
  AutoPrecision &automatic = mg->automatic;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(KSPGetIterationNumber(ksp, &n));
  const bool   reduced = n && ksp->rnorm > 0 && ksp->rnorm < ksp->rnorm0;
  const double digits  = reduced ? std::log10(static_cast<double>(ksp->rnorm0 / ksp->rnorm)) / static_cast<double>(n) : 0;

  if (reduced || reason < 0) mg->serving.solved(n, digits, reason < 0 && reason != KSP_DIVERGED_ITS);
  if (mg->precision != PC_SAAMG_AUTO) PetscFunctionReturn(PETSC_SUCCESS);
  automatic.iterations += n;
  if (!reduced) PetscFunctionReturn(PETSC_SUCCESS);
  if (mg->cycle_precision == PC_SAAMG_DOUBLE) automatic.digits = digits;
  else automatic.low_digits = digits;
  if (!automatic.watched || mg->cycle_precision == PC_SAAMG_DOUBLE || digits >= enough_of_the_rate * automatic.digits) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded(
    [&] { automatic.refused = ShortText("an iteration with the cycle in single gained %.2g digits, one in double %.2g", digits, automatic.digits).c_str(); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCPostSolve_SAAMG(PC pc, KSP ksp, Vec b, Vec x)
{
  SAAMG             *mg = static_cast<SAAMG *>(pc->data);
  KSPConvergedReason reason;

  PetscFunctionBegin;
  set_range(mg, Range::Unknown);
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (b && mg->precision != PC_SAAMG_AUTO && mg->precision != PC_SAAMG_DOUBLE && reason == KSP_CONVERGED_RTOL) PetscCall(CheckTrueResidual(pc, ksp, b, x));
  if (mg->group) {
    PetscCall(mg->group->solve_ends(ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(WatchSolve(mg, ksp, reason));
  if (mg->precision != PC_SAAMG_AUTO) PetscFunctionReturn(PETSC_SUCCESS);
  if (mg->cycle_precision == PC_SAAMG_DOUBLE || (reason >= 0 && mg->automatic.refused.empty())) PetscFunctionReturn(PETSC_SUCCESS);
  if (reason < 0)
    PetscCall(Guarded([&] {
      mg->automatic.refused = std::string("a solve with the cycle in ") + PCSAAMGPrecisions[mg->cycle_precision] + " ended with " + KSPConvergedReasons[reason];
    }));
  PetscCall(PetscInfo(pc, "From the next solve on the cycle is in double precision: %s\n", mg->automatic.refused.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCExpectTrueResiduals_SAAMG(PC pc)
{
  PetscFunctionBegin;
  if (PCIsSAAMG(pc)) static_cast<SAAMG *>(pc->data)->automatic.keeps_residuals = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
