/* The roots of aggregates. */
#pragma once
#include "graph.hpp"

namespace goza::saamg {

/* A distance-2 MIS of the nodes whose key is undecided on entry, by ways over nodes whose key is not 0. On return the roots' keys say so, no other is
   undecided, and largest[i] is a root's for nodes next to one. Collective. */
void maximal_independent_set(const CsrGraph &G, Array<Key> &key, Array<Key> &largest);

} // namespace goza::saamg
