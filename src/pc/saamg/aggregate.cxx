#include "aggregate.hpp"
#include "core/for_each_row.hpp"
#include "mat/common/compat.hpp"
#include <algorithm>

namespace goza
{
namespace
{

/* A node's key is its state and, below, its priority: the largest key around a node tells both whether a root is there and who is next. */
using Key = std::uint64_t;

constexpr Key undecided = Key(1) << 62, root_state = Key(2) << 62, state_bits = Key(3) << 62;

HD inline bool is_root(Key key)
{
  return (key & state_bits) == root_state;
}
HD inline bool is_undecided(Key key)
{
  return (key & state_bits) == undecided;
}

/* Row bodies work on a list of nodes. */
struct MaxOfNeighbours {
  const PetscInt *list, *ptr, *col;
  const Key      *key;
  Key            *largest;

  HD void operator()(PetscInt k) const
  {
    const PetscInt i = list[k];
    Key            m = key[i];

    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      if (key[col[p]] > m) m = key[col[p]];
    }
    largest[i] = m;
  }
};

/* The largest key within distance two decides; largest holds those within distance one. */
struct Decide {
  const PetscInt *list, *ptr, *col;
  const Key      *largest;
  Key            *key;

  HD void operator()(PetscInt k) const
  {
    const PetscInt i = list[k];
    Key            m = largest[i];

    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      if (largest[col[p]] > m) m = largest[col[p]];
    }
    if (is_root(m)) key[i] = 0;
    else if (m == key[i]) key[i] ^= state_bits; // undecided becomes root
  }
};

/* A distance-2 MIS of the nodes whose key is undecided on entry, and of the edges between them. On return the roots' keys say so, the others' are 0, and
   largest[i] is a root's for the nodes next to one. */
PetscErrorCode MaximalIndependentSet(const Graph &G, std::vector<Key> &key, std::vector<Key> &largest)
{
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
    PetscCallCXX(
      for_each_row(Space::Host, static_cast<PetscInt>(unsettled.size()), MaxOfNeighbours{unsettled.data(), G.ptr.data(), G.col.data(), key.data(), largest.data()}));
    if (!left) break;
    PetscCall(UpdateGhosts(G, MPI_UINT64_T, largest));
    PetscCallCXX(for_each_row(Space::Host, static_cast<PetscInt>(open.size()), Decide{open.data(), G.ptr.data(), G.col.data(), largest.data(), key.data()}));
    open.erase(std::remove_if(open.begin(), open.end(), [&](PetscInt i) { return !is_undecided(key[i]); }), open.end());
    unsettled.erase(std::remove_if(unsettled.begin(), unsettled.end(), [&](PetscInt i) { return !is_undecided(largest[i]); }), unsettled.end());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Roots of the second set need `least` neighbours without an aggregate, or their aggregates would be crumbs. Measured at 64^3 for least = 0, 2, 4, 6, none kept:
   7-point, 5.2 6.7 9.8 11.0 11.0 nodes per aggregate, operator complexity 2.0 1.8 1.5 1.4 1.4, CG iterations 8 8 9 9 10;
   27-point, 23.0 23.0 23.3 24.0 44.9, 1.10 1.10 1.10 1.09 1.04, 8 8 7 8 9. */
struct KeepLargeRoots {
  const PetscInt *ptr, *col;
  const Key      *first; // [n + nghost] largest keys of the first set: a root's where a node has an aggregate
  PetscInt        least;
  Key            *key;

  HD void operator()(PetscInt i) const
  {
    PetscInt k = 0;

    if (!is_root(key[i])) return;
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) k += !is_root(first[col[p]]);
    if (k < least) key[i] = 0;
  }
};

/* A node without an aggregate joins the neighbour that is a root: at most one is. A node covered by the first set may have several of the second next to it,
   and is passed over. */
struct JoinRoot {
  const PetscInt *ptr, *col;
  const PetscInt *from; // [n + nghost] numbers of the aggregates of the roots, -1 elsewhere
  const Key      *first;
  bool            second;
  PetscInt       *aggregate;

  HD void operator()(PetscInt i) const
  {
    if (aggregate[i] >= 0 || (second && is_root(first[i]))) return;
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      if (from[col[p]] >= 0) aggregate[i] = from[col[p]];
    }
  }
};

/* The rest: the strongest connection, then the smallest number. */
struct JoinStrongest {
  const PetscInt *ptr, *col;
  const float    *weight;
  const PetscInt *aggregate; // [n + nghost]
  PetscInt       *joined;

  HD void operator()(PetscInt i) const
  {
    PetscInt best = aggregate[i];
    float    w    = 0;

    if (best < 0) {
      for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
        const PetscInt a = aggregate[col[p]];

        if (a < 0 || weight[p] < w || (weight[p] == w && best >= 0 && best < a)) continue;
        best = a;
        w    = weight[p];
      }
    }
    joined[i] = best;
  }
};

} // namespace

PetscErrorCode Aggregate(const Graph &G, Aggregates &aggregates)
{
  const PetscInt        least = 4;
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
  PetscCallCXX(for_each_row(Space::Host, G.n, KeepLargeRoots{G.ptr.data(), G.col.data(), first.data(), least, key.data()}));

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
  PetscCallCXX(for_each_row(Space::Host, G.n, JoinRoot{G.ptr.data(), G.col.data(), of_root.data(), first.data(), false, aggregate.data()}));
  for (PetscInt i = 0; i < G.n; i++) of_root[i] = is_root(key[i]) ? aggregate[i] : -1;
  PetscCall(UpdateGhosts(G, MPIU_INT, of_root));
  PetscCallCXX(for_each_row(Space::Host, G.n, JoinRoot{G.ptr.data(), G.col.data(), of_root.data(), first.data(), true, aggregate.data()}));
  PetscCall(UpdateGhosts(G, MPIU_INT, aggregate));
  PetscCallCXX(aggregates.of_node.resize(G.n));
  PetscCallCXX(for_each_row(Space::Host, G.n, JoinStrongest{G.ptr.data(), G.col.data(), G.weight.data(), aggregate.data(), aggregates.of_node.data()}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
