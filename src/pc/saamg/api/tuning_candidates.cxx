#include "tuning_candidates.hpp"

namespace goza::saamg
{

namespace
{

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
void add_polynomials(const SmootherOptions &taken, const Open &open, bool full, std::vector<Change> &changes)
{
  const PetscInt most   = full ? 6 : 4;
  int            series = 0;

  for (bool fourth : {false, true}) {
    const auto add = [&](PetscInt degree) {
      changes.push_back({full ? series++ : series, [=](CycleCandidate &candidate) {
                           candidate.options.smoothers[PC_SAAMG_FINEST].options.chebyshev_degree = degree;
                           if (fourth) on_upper_levels(candidate, [](SmootherChoice &s) { s.options.chebyshev_fourth = true; });
                         }});
    };

    if (fourth && !open.kind) continue;
    if (fourth)
      changes.push_back({series++, [](CycleCandidate &candidate) { on_upper_levels(candidate, [](SmootherChoice &s) { s.options.chebyshev_fourth = true; }); }});
    if (!open.degree) continue;
    for (PetscInt degree = PetscMin(taken.chebyshev_degree - 1, most); degree >= 1; degree--) add(degree);
    series++;
    for (PetscInt degree = taken.chebyshev_degree + 1; degree <= most; degree++) add(degree);
    series++;
  }
}

/* How many more iterations l1jacobi takes on slivers, say, few do not tell: where it is not taken anyhow a quick look leaves it out. */
void add_smoothers(const SmootherChoice &taken, bool full, std::vector<Change> &changes)
{
  const PetscInt weak   = smoother_named("l1jacobi");
  const bool     all    = full || taken.which != smoother_named("chebyshev");
  int            series = 100;

  for (const char *name : {"mcgs", "l1jacobi"}) {
    for (PetscInt sweeps = 1; sweeps <= (all ? 2 : 1); sweeps++) {
      const PetscInt which = smoother_named(name);

      if ((which == taken.which && sweeps == taken.options.sweeps) || (which == weak && taken.which != weak && !full)) continue;
      changes.push_back({series++, [=](CycleCandidate &candidate) {
                           on_upper_levels(candidate, [=](SmootherChoice &s) {
                             s.which          = which;
                             s.options.sweeps = sweeps;
                           });
                         }});
    }
  }
}

void add_precisions(const SAAMG &mg, bool all, std::vector<Change> &changes)
{
  const PCSAAMGPrecision lower  = mg.space == Space::Host ? PC_SAAMG_SINGLE : PC_SAAMG_HALF; /* on a host a product in half is none the faster */
  int                    series = 0;

  for (PCSAAMGPrecision p : {PC_SAAMG_DOUBLE, PC_SAAMG_SINGLE, PC_SAAMG_HALF}) {
    if (p != mg.cycle_precision && (all || p == PC_SAAMG_DOUBLE || p == lower))
      changes.push_back({series++, [=](CycleCandidate &candidate) { candidate.precision = p; }});
  }
}

} // namespace

std::vector<Change> changes_in(int round, const SAAMG &mg)
{
  const Open            open(mg);
  const SmootherChoice &taken      = mg.taken.smoothers[PC_SAAMG_FINEST];
  const bool            full       = mg.tune == PC_SAAMG_TUNE_FULL;
  const bool            polynomial = taken.which == smoother_named("chebyshev");
  std::vector<Change>   changes;

  switch (round) {
  case 0:
    if (polynomial) add_polynomials(taken.options, open, full, changes);
    if (open.smoother && !mg.by_diagonals) add_smoothers(taken, full, changes); /* they read rows */
    break;
  case 1:
    if (!full || !polynomial || !open.coarse_degree) break;
    for (PetscInt degree : {2, 3, 6})
      changes.push_back(
        {static_cast<int>(degree), [=](CycleCandidate &candidate) { candidate.options.smoothers[PC_SAAMG_INTERMEDIATE].options.chebyshev_degree = degree; }});
    break;
  case 2:
    if (full && open.cycle) changes.push_back({0, [](CycleCandidate &candidate) { candidate.options.type = PC_SAAMG_CYCLE_W; }});
    break;
  default:
    if (open.precision) add_precisions(mg, full, changes);
  }
  return changes;
}

} // namespace goza::saamg
