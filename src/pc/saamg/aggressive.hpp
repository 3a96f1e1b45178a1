/* Aggressive coarsening: aggregates of aggregates. */
#pragma once
#include "aggregate.hpp"

namespace goza
{

/* The aggregates of G are the nodes of another graph, whose edges weigh as many edges of G as they stand for; its aggregates, by Aggregate() again, are the result.
   Weights are counts, so that the result is the same for any number of ranks. An aggregate without neighbours, a component of G, stays. */
PetscErrorCode AggregateTwice(const Graph &G, Aggregates &aggregates);

} // namespace goza
