/* The roots of aggregates. */
#pragma once
#include "graph.hpp"

namespace goza::saamg {

/* A distance-2 MIS of the nodes whose key is undecided on entry, by ways over nodes whose key is not 0. On return the roots' keys say so, no other is
   undecided, and largest[i] is a root's for nodes next to one. laid_out: nodes of the same rank, the upper six bits of a key below its state, are mostly too
   far apart for their order to count. Collective. */
void maximal_independent_set(const CsrGraph &G, bool laid_out, Array<Key> &key, Array<Key> &largest);

} // namespace goza::saamg
