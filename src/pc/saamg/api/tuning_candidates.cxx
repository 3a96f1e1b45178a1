#include "tuning_candidates.hpp"

namespace goza::saamg {
namespace {

/* Where the coarsest level is smoothed, that is its own matter. */
template <class Body> void on_upper_levels(CycleCandidate &candidate, Body &&body)
{
  for (PCSAAMGLevels l : {PC_SAAMG_FINEST, PC_SAAMG_INTERMEDIATE}) body(candidate.options.smoothers[l]);
}

/* What is as in a new PC. */
struct Open {
  bool smoother, degree, coarse_degree, kind, cycle, precision;

  explicit Open(const SAAMG &mg)
  {
    const SAAMG           fresh;
    const SmootherChoice *mine = mg.cycle_options.smoothers, *theirs = fresh.cycle_options.smoothers;
    const auto            same      = [&](auto value, PCSAAMGLevels l) { return value(mine[l]) == value(theirs[l]); };
    const auto            both      = [&](auto value) { return same(value, PC_SAAMG_FINEST) && same(value, PC_SAAMG_INTERMEDIATE); };
    const auto            degree_of = [](const SmootherChoice &s) { return s.options.chebyshev_degree; };

    smoother      = both([](const SmootherChoice &s) { return s.which; }) && both([](const SmootherChoice &s) { return s.options.sweeps; });
    degree        = same(degree_of, PC_SAAMG_FINEST);
    coarse_degree = same(degree_of, PC_SAAMG_INTERMEDIATE);
    kind          = both([](const SmootherChoice &s) { return s.options.chebyshev_fourth; });
    cycle         = mg.cycle_options.type == fresh.cycle_options.type;
    precision     = mg.precision == PC_SAAMG_AUTO && mg.automatic.keeps_residuals && mg.automatic.refused.empty();
  }
};

/* Away from the degree that is taken, in either direction. */
void add_polynomials(const SmootherOptions &taken, const Open &open, std::vector<Change> &changes)
{
  constexpr PetscInt most   = 6;
  int                series = 0;

  for (bool fourth : {false, true}) {
    const auto add = [&](PetscInt degree) {
      changes.push_back({series++, [=](CycleCandidate &candidate) {
                           candidate.options.smoothers[PC_SAAMG_FINEST].options.chebyshev_degree = degree;
                           if (fourth) on_upper_levels(candidate, [](SmootherChoice &s) { s.options.chebyshev_fourth = true; });
                         }});
    };

    if (fourth && !open.kind) continue;
    if (fourth)
      changes.push_back(
        {series++, [](CycleCandidate &candidate) { on_upper_levels(candidate, [](SmootherChoice &s) { s.options.chebyshev_fourth = true; }); }});
    if (!open.degree) continue;
    for (PetscInt degree = PetscMin(taken.chebyshev_degree - 1, most); degree >= 1; degree--) add(degree);
    for (PetscInt degree = taken.chebyshev_degree + 1; degree <= most; degree++) add(degree);
  }
}

void add_smoothers(const SmootherChoice &taken, std::vector<Change> &changes)
{
  int series = 100;

  for (const char *name : {"mcgs", "l1jacobi"}) {
    for (PetscInt sweeps = 1; sweeps <= 2; sweeps++) {
      const PetscInt which = smoother_named(name);

      if (which == taken.which && sweeps == taken.options.sweeps) continue;
      changes.push_back({series++, [=](CycleCandidate &candidate) {
                           on_upper_levels(candidate, [=](SmootherChoice &s) {
                             s.which          = which;
                             s.options.sweeps = sweeps;
                           });
                         }});
    }
  }
}

void add_precisions(const SAAMG &mg, std::vector<Change> &changes)
{
  int series = 0;

  for (PCSAAMGPrecision p : {PC_SAAMG_DOUBLE, PC_SAAMG_SINGLE, PC_SAAMG_HALF})
    if (p != mg.cycle_precision) changes.push_back({series++, [=](CycleCandidate &candidate) { candidate.precision = p; }});
}

} // namespace

std::vector<Change> changes_in(int round, const SAAMG &mg)
{
  const Open            open(mg);
  const SmootherChoice &taken      = mg.taken.smoothers[PC_SAAMG_FINEST];
  const bool            polynomial = taken.which == smoother_named("chebyshev");
  std::vector<Change>   changes;

  switch (round) {
  case 0:
    if (polynomial) add_polynomials(taken.options, open, changes);
    if (open.smoother && !mg.by_diagonals) add_smoothers(taken, changes); /* they read rows */
    break;
  case 1:
    if (!polynomial || !open.coarse_degree) break;
    for (PetscInt degree : {2, 3, 6})
      changes.push_back(
        {static_cast<int>(degree), [=](CycleCandidate &candidate) { candidate.options.smoothers[PC_SAAMG_INTERMEDIATE].options.chebyshev_degree = degree; }});
    break;
  case 2:
    if (open.cycle) changes.push_back({0, [](CycleCandidate &candidate) { candidate.options.type = PC_SAAMG_CYCLE_W; }});
    break;
  default:
    if (open.precision) add_precisions(mg, changes);
  }
  return changes;
}

} // namespace goza::saamg
