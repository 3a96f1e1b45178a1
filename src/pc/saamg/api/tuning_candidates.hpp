/* What -pc_saamg_tune full tries. */
#pragma once
#include "saamg_data.hpp"

namespace goza::saamg {

/* A cycle of the levels that are there, by settings that a user may type. */
struct CycleCandidate {
  CycleOptions     options;
  PCSAAMGPrecision precision = PC_SAAMG_AUTO;
};

/* In the place of the others of its round. What follows in the same series is worth a trial where this is faster. */
struct Change {
  int                                   series;
  std::function<void(CycleCandidate &)> make;
};

/* Smoothers; the polynomial on the levels between; W-cycles; precisions */
constexpr int tuning_rounds = 4;

/* mg.taken: what it is that they change. Of what the user has set nothing is. */
std::vector<Change> changes_in(int round, const SAAMG &mg);

} // namespace goza::saamg
