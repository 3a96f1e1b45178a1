/* -pc_saamg_tune full: the fastest of a few cycles of the levels that are there, by trials of each. */
#include "parallel/agree.hpp"
#include "pc/saamg/cycle/trial_solve.hpp"
#include "petsc/plugin.hpp"
#include "tuning_candidates.hpp"
#include <petsc/private/pcimpl.h>

const char *const PCSAAMGTunes[] = {"none", "quick", "full", "PCSAAMGTune", "PC_SAAMG_TUNE_", NULL};

namespace goza::saamg {
namespace {

/* Where a solve to so many digits takes so many iterations, a weaker smoother, as of a lower degree, falls back further than its trial shows: by as much again
   on slivers and plates. */
constexpr double expected_digits = 7, many_iterations = 8;

/* What another candidate is to take of the time for the present one to be left: a smaller gain may be the clock's. */
constexpr PetscReal worth_while = 0.95;

/* The options that lead from what is set to the candidate. */
std::string typed(const SAAMG &mg, const CycleCandidate &candidate)
{
  SAAMG before, now;

  before.take_settings(mg);
  now.take_settings(mg);
  now.cycle_options = candidate.options;
  now.precision     = candidate.precision;
  return SettingsChanged(now, before);
}

class Trials {
public:
  Trials(PC pc, SAAMG *mg, ParOperator<PetscScalar> *exact) : pc_(pc), mg_(mg), by_itself_(mg->cycle_precision), solve_(mg->hierarchy.grids()[0], exact) { }

  int            done() const { return done_; }
  PetscErrorCode begin() { return solve_.begin(*mg_->cycle); }
  PetscErrorCode make(const CycleCandidate &candidate);
  PetscErrorCode time(const CycleCandidate &candidate, PetscReal *seconds); // that all ranks take for what it needs for a digit of the residual

private:
  PC               pc_;
  SAAMG           *mg_;
  PCSAAMGPrecision by_itself_;
  int              done_   = 0;
  double           as_set_ = 0; // digits an iteration
  TrialSolve       solve_;
};

PetscErrorCode Trials::make(const CycleCandidate &candidate)
{
  PetscFunctionBegin;
  PetscCall(TakeCycleOptions(pc_, mg_, candidate.options));
  PetscCall(SetUpCycle(pc_, mg_, candidate.precision == PC_SAAMG_AUTO ? by_itself_ : candidate.precision));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Trials::time(const CycleCandidate &candidate, PetscReal *seconds)
{
  const MPI_Comm     comm = comm_of(pc_);
  TrialSolve::Result mine;
  double             found[2];
  std::string        options;

  PetscFunctionBegin;
  PetscCall(make(candidate));
  PetscCall(solve_.run(*mg_->cycle, &mine));
  found[0] = mine.seconds;
  found[1] = mine.left < 1 ? static_cast<double>(mine.left) : 1; /* 1 for NaN */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_DOUBLE, MPI_MAX, comm));
  const double digits = -std::log10(PetscMax(found[1], std::numeric_limits<double>::min())) / mine.iterations;

  if (!done_++) as_set_ = digits;
  const double weaker = as_set_ * many_iterations < expected_digits ? PetscMax(1, as_set_ / digits) : 1;

  *seconds = digits > 0 ? static_cast<PetscReal>(found[0] / digits * weaker) : std::numeric_limits<PetscReal>::max();
  PetscCall(Together(comm, "name its settings", [&] { options = typed(*mg_, candidate); }));
  PetscCall(PetscInfo(pc_, "Tuning: %g digits an iteration of %g s, %g s a digit:%s\n", digits, found[0], (double)*seconds,
                      options.empty() ? " as it is set" : options.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The best of each round is what the next one changes. */
PetscErrorCode FindFastest(PC pc, SAAMG *mg, Trials &trials, CycleCandidate &best, PetscReal *share)
{
  const CycleCandidate as_set = best;
  std::vector<Change>  changes;
  PetscReal            at_first = 0, fastest = 0, seconds = 0;
  bool                 changed = false;

  PetscFunctionBegin;
  PetscCall(trials.begin());
  PetscCall(trials.time(best, &at_first));
  fastest = at_first;
  for (int round = 0; round < tuning_rounds; round++) {
    const CycleCandidate before   = best;
    int                  given_up = -1; /* a series */

    PetscCall(TakeCycleOptions(pc, mg, before.options));
    PetscCall(Together(comm_of(pc), "list what it may be tuned to", [&] { changes = changes_in(round, *mg); }));
    for (const Change &change : changes) {
      CycleCandidate candidate = before;

      if (change.series == given_up) continue;
      change.make(candidate);
      PetscCall(trials.time(candidate, &seconds));
      given_up = seconds < worth_while * fastest ? -1 : change.series;
      if (given_up >= 0) continue;
      fastest = seconds;
      best    = candidate;
      changed = true;
    }
  }
  if (changed) { /* once more: of two measurements the lower is the truer */
    PetscCall(trials.time(as_set, &seconds));
    at_first = PetscMin(at_first, seconds);
    PetscCall(trials.time(best, &seconds));
    fastest = PetscMin(fastest, seconds);
  }
  if (!(fastest < worth_while * at_first)) {
    best    = as_set;
    fastest = at_first;
    changed = false; /* and the last cycle is of another candidate */
  }
  *share = fastest / at_first;
  if (!changed) PetscCall(trials.make(best));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one level there is nothing to try. */
bool due(const SAAMG &mg) { return mg.tune == PC_SAAMG_TUNE_FULL && !mg.tuned.done && mg.hierarchy.grids().size() > 1; }

} // namespace

bool Tuned::serve(const std::string &set, PetscInt automatic) const { return done && settings == set && smoother == automatic; }

std::string Tuned::describe() const
{
  if (found.empty()) return "in " + std::to_string(trials) + " trials no candidate was faster than what is set";
  return ShortText("%.2g of the time a digit, by %d trials, with", static_cast<double>(share), trials).c_str() + found;
}

PetscErrorCode TuneCycle(PC pc, SAAMG *mg)
{
  const MPI_Comm            comm = comm_of(pc);
  ParOperator<PetscScalar> *exact;
  CycleCandidate            best;
  Tuned                     tuned;

  PetscFunctionBegin;
  if (!due(*mg)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(mg->hierarchy.restore(mg->hierarchy_options)); /* after a trial of half precision */
  PetscCall(ExactProduct(mg, &exact));
  Trials trials(pc, mg, exact);

  best = {mg->cycle_options, mg->precision};
  PetscCall(FindFastest(pc, mg, trials, best, &tuned.share));
  tuned.done      = true;
  tuned.smoother  = AutomaticSmoother(*mg);
  tuned.options   = best.options;
  tuned.precision = best.precision;
  tuned.trials    = trials.done();
  PetscCall(Together(comm, "keep what it was tuned to", [&] {
    tuned.settings              = SettingsChanged(*mg);
    tuned.found                 = typed(*mg, best);
    usage.tuned[(int)mg->space] = ", tuned: " + tuned.describe();
  }));
  mg->tuned = std::move(tuned);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
