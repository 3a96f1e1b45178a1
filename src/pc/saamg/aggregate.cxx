#include "aggregate.hpp"
#include "aggregate_rows.hpp"
#include "mat/common/compat.hpp"
#include <algorithm>

namespace goza
{
namespace
{

/* A distance-2 MIS of the nodes whose key is undecided on entry, and of the edges between them. On return the roots' keys say so, the others' are 0, and
   largest[i] is a root's for the nodes next to one. */
PetscErrorCode MaximalIndependentSet(const Graph &G, std::vector<Key> &key, std::vector<Key> &largest)
{
  const Edges           edges{G.ptr.data(), G.col.data(), nullptr};
  std::vector<PetscInt> open, unsettled; // undecided nodes; nodes whose largest key may still change
  PetscInt              left;

  PetscFunctionBegin;
  PetscCallCXX(largest.assign(key.size(), 0));
  for (PetscInt i = 0; i < G.n; i++) {
    if (is_undecided(key[i])) PetscCallCXX(open.push_back(i));
  }
  PetscCallCXX(unsettled = open);
  for (;;) {
    left = static_cast<PetscInt>(open.size());
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPIU_INT, MPI_MAX, G.comm));
    PetscCall(UpdateGhosts(G, MPI_UINT64_T, key));
    PetscCallCXX(for_each_row(Space::Host, static_cast<PetscInt>(unsettled.size()), MaxOfNeighbours{unsettled.data(), edges, key.data(), largest.data()}));
    if (!left) break;
    PetscCall(UpdateGhosts(G, MPI_UINT64_T, largest));
    PetscCallCXX(for_each_row(Space::Host, static_cast<PetscInt>(open.size()), Decide{open.data(), edges, largest.data(), key.data()}));
    open.erase(std::remove_if(open.begin(), open.end(), [&](PetscInt i) { return !is_undecided(key[i]); }), open.end());
    unsettled.erase(std::remove_if(unsettled.begin(), unsettled.end(), [&](PetscInt i) { return !is_undecided(largest[i]); }), unsettled.end());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode Aggregate(const Graph &G, Aggregates &aggregates)
{
  const Edges           edges{G.ptr.data(), G.col.data(), nullptr};
  std::vector<Key>      key, first, largest;
  std::vector<PetscInt> of_root, aggregate;
  PetscInt              begin = 0;

  PetscFunctionBegin;
  /* Roots */
  PetscCallCXX(key.assign(G.n + G.nghost(), 0));
  for (PetscInt i = 0; i < G.n; i++) {
    if (G.ptr[i + 1] > G.ptr[i]) key[i] = undecided | hash62(G.start + i);
  }
  PetscCall(MaximalIndependentSet(G, key, first));
  PetscCall(UpdateGhosts(G, MPI_UINT64_T, first));
  PetscCallCXX(aggregate.assign(G.n + G.nghost(), -1), of_root.assign(G.n + G.nghost(), -1));
  for (PetscInt i = 0; i < G.n; i++) {
    if (is_root(key[i])) of_root[i] = 1;
  }
  for (PetscInt i = 0; i < G.n; i++) key[i] = G.ptr[i + 1] > G.ptr[i] && !is_root(first[i]) ? undecided | hash62(G.start + i) : 0;
  PetscCall(MaximalIndependentSet(G, key, largest));
  PetscCallCXX(for_each_row(Space::Host, G.n, KeepLargeRoots{edges, first.data(), key.data()}));

  /* Their numbers */
  aggregates.n = 0;
  PetscCallCXX(aggregates.root.clear());
  for (PetscInt i = 0; i < G.n; i++) {
    if (of_root[i] < 0 && !is_root(key[i])) continue;
    aggregate[i] = aggregates.n++;
    PetscCallCXX(aggregates.root.push_back(G.start + i));
  }
  PetscCallMPI(MPI_Scan(&aggregates.n, &begin, 1, MPIU_INT, MPI_SUM, G.comm));
  begin -= aggregates.n;
  aggregates.start = begin;
  for (PetscInt i = 0; i < G.n; i++) {
    if (aggregate[i] >= 0) aggregate[i] += begin;
    if (of_root[i] > 0) of_root[i] = aggregate[i];
  }

  /* Who joins: first the neighbours of the first set, then of the second, then the rest */
  PetscCall(UpdateGhosts(G, MPIU_INT, of_root));
  PetscCallCXX(for_each_row(Space::Host, G.n, JoinRoot{edges, of_root.data(), first.data(), false, aggregate.data()}));
  for (PetscInt i = 0; i < G.n; i++) of_root[i] = is_root(key[i]) ? aggregate[i] : -1;
  PetscCall(UpdateGhosts(G, MPIU_INT, of_root));
  PetscCallCXX(for_each_row(Space::Host, G.n, JoinRoot{edges, of_root.data(), first.data(), true, aggregate.data()}));
  PetscCall(UpdateGhosts(G, MPIU_INT, aggregate));
  PetscCallCXX(aggregates.of_node.resize(G.n));
  PetscCallCXX(for_each_row(Space::Host, G.n, JoinStrongest<StoredWeight>{edges, {G.weight.data()}, aggregate.data(), aggregates.of_node.data()}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
