/* Aggregates: the coarse unknowns of smoothed aggregation, from a distance-2 maximal independent set. */
#pragma once
#include "graph.hpp"

namespace goza
{

struct Aggregates {
  PetscInt              n     = 0; // aggregates of this rank: those whose root it owns
  PetscInt              start = 0; // global number of the first; numbers ascend with the root's
  std::vector<PetscInt> of_node;   // [owned nodes] global number of the aggregate, -1: isolated
  std::vector<PetscInt> root;      // [n] global node numbers, ascending
};

/* The same aggregates for any number of ranks: priorities are hashed from global node numbers, aggregates cross ranks.

   1. Roots: a distance-2 MIS by rounds of "am I the largest within distance two?" (Bell, Dalton, Olson 2012).
   2. Nodes that are not next to a root: again a distance-2 MIS among them; the roots with enough such neighbours count (Kelley, Rajamanickam 2022).
   3. Neighbours of a root join it; the rest join the aggregate they are most strongly connected to. */
PetscErrorCode Aggregate(const Graph &G, Aggregates &aggregates);

} // namespace goza
