#pragma once
#include "graph.hpp"

namespace goza::saamg {

/* aggregate() in one kernel, where a device has all nodes of a graph and these are few; false: it is not so. first_alone: without roots of
   the second set. */
bool aggregate_at_once(const CsrGraph &G, bool first_alone, CsrAggregates &found);

} // namespace goza::saamg
