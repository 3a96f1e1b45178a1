/* Row bodies of the aggregation: the coarse unknowns, from a distance-2 maximal independent set. Priorities come from the nodes' ids, their places
   on a grid where they have such, else hashed, and aggregates cross ranks, so that they are the same on any number of ranks.

   1. Roots: a distance-2 MIS by rounds of "am I the largest within distance two?" (Bell, Dalton, Olson 2012).
   2. Nodes that are not next to a root: again a distance-2 MIS among them, those with most such neighbours first; the roots with enough of them, and more
      strongly connected to them than to others, count (after Kelley, Rajamanickam 2022).
   3. Neighbours of a root join it; the rest join the aggregate that they have most edges to. Where links are weak, only strong ones count (see StrongLinks). */
#pragma once
#include "core/launch/by_lanes.hpp"
#include "local_rows.hpp"
#include <limits>

namespace goza::saamg {

/* A node's key is its state and, below, its priority: the largest key around a node tells both whether a root is there and who is next. */
using Key = std::uint64_t;

constexpr Key undecided = Key(1) << 62, root_state = Key(2) << 62, state_bits = Key(3) << 62;
constexpr Key passing = 1; // no candidate, but on the way from one to another

HD inline bool is_root(Key key) { return (key & state_bits) == root_state; }
HD inline bool is_undecided(Key key) { return (key & state_bits) == undecided; }

/* The graph as row bodies see it: its own arrays, or a matrix's, which then hold loops and the zeros that tie isolated nodes to others. */
struct Edges {
  const PetscInt *ptr, *col;
  const PetscInt *degree; // [n] edges of a node, null: its row's length

  HD bool coupled(PetscInt i) const { return !degree || degree[i] > 0; }
};

/* The strength of edge p, from i to j. */
struct StoredWeight {
  const float *weight;

  HD float operator()(PetscInt, PetscInt p, PetscInt) const { return weight[p]; }
};

/* An edge is strong at a node when it weighs at least this share of the node's heaviest. Beside a jump of the coefficients a threshold leaves edges that just
   pass it: a node that joins a root by one of them is interpolated from across the jump, and a solve takes more than twice as many iterations. A graph without
   a threshold has all its entries' range of weights, and all edges count: where they do not, random coefficients take more iterations. */
constexpr float strong_link = 0.005f;

struct StrongLinks {
  const float *weight = nullptr;
  float        share  = 0; // of squares; 0: all edges are strong

  HD float least(const Edges &edges, PetscInt i, int lane, int lanes) const
  {
    float heaviest = 0;

    if (share == 0) return 0;
    for (PetscInt p = edges.ptr[i] + lane; p < edges.ptr[i + 1]; p += lanes)
      if (weight[p] > heaviest) heaviest = weight[p];
    return share * most_of_lanes(heaviest, lanes);
  }
  HD bool hold(PetscInt p, float least) const { return least == 0 || weight[p] >= least; }
};

/* Rounds of an independent set: what becomes of a node, and whether it stays in the list (worklist.hpp). */
struct MaxOfNeighbours {
  bool       first; // round: then a node whose key is 0 has none
  Edges      edges;
  const Key *key;
  Key       *largest;

  HD bool operator()(PetscInt i, int lane, int lanes) const
  {
    Key m = key[i];

    if (first && !m) {
      if (lane == 0) largest[i] = 0;
      return false;
    }
    for (PetscInt p = edges.ptr[i] + lane; p < edges.ptr[i + 1]; p += lanes)
      if (key[edges.col[p]] > m) m = key[edges.col[p]];
    m = most_of_lanes(m, lanes);
    if (lane == 0) largest[i] = m;
    return is_undecided(m);
  }
};

/* The largest key within distance two decides; largest holds those within distance one. Whether the node is undecided still. */
struct Decide {
  Edges      edges;
  const Key *largest;
  Key       *key;

  HD bool operator()(PetscInt i, int lane, int lanes) const
  {
    const Key mine = key[i];
    Key       m    = largest[i];

    if (!is_undecided(mine)) return false;
    for (PetscInt p = edges.ptr[i] + lane; p < edges.ptr[i + 1]; p += lanes)
      if (largest[edges.col[p]] > m) m = largest[edges.col[p]];
    m = most_of_lanes(m, lanes);
    if (!is_root(m) && m != mine) return true;
    if (lane == 0) key[i] = is_root(m) ? 0 : mine ^ state_bits; // undecided becomes root
    return false;
  }
};

/* Neighbours without an aggregate, where `first` are the largest keys of the first set. */
HD inline PetscInt free_neighbours(const Edges &edges, const Key *first, PetscInt i, int lane, int lanes)
{
  PetscInt k = 0;

  for (PetscInt p = edges.ptr[i] + lane; p < edges.ptr[i + 1]; p += lanes)
    k += edges.col[p] != i && edges.coupled(edges.col[p]) && !is_root(first[edges.col[p]]);
  return sum_of_lanes(k, lanes);
}

/* Roots of the second set need so many neighbours without an aggregate, or their aggregates would be crumbs. The more, the lower the operator complexity and
   the more iterations; 4 of 0, 2, 4, 6 is where the two balance for 7 and for 27 points. */
constexpr PetscInt least_free_neighbours = 4;

/* They must not be more strongly connected to aggregates that are there, either: the second level then has fewer entries, and a solve no more iterations. */
template <class Weight> struct KeepLargeRoots {
  Edges      edges;
  Weight     weight;
  const Key *first; // [n + nghost] largest keys of the first set: a root's where a node has an aggregate
  Key       *key;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    double inside = 0, outside = 0;

    if (!is_root(key[i])) return;
    for (PetscInt p = edges.ptr[i] + lane; p < edges.ptr[i + 1]; p += lanes) {
      const PetscInt j = edges.col[p];

      if (j == i || !edges.coupled(j)) continue;
      (is_root(first[j]) ? outside : inside) += sqrt(static_cast<double>(weight(i, p, j)));
    }
    inside  = sum_of_lanes(inside, lanes);
    outside = sum_of_lanes(outside, lanes);
    wait_for_lanes(lanes);
    if (lane == 0 && static_cast<float>(inside) < static_cast<float>(outside)) key[i] = 0; // the order of a sum does not count
  }
};

/* Boxes of a lattice for each root of the second set that may have been; at a grid's ends some nodes have few neighbours, and one of them may pass for a
   root. */
constexpr std::int64_t boxes_to_an_odd_root = 8;

/* What a node is in: the aggregate's global number and its name, that of its root. */
struct Member {
  PetscInt aggregate, name; // -1, -1: in none
};

/* A node without an aggregate joins the neighbour that is a root: at most one is. A node covered by the first set may have several of the second next to it,
   and is passed over. */
struct JoinRoot {
  Edges         edges;
  StrongLinks   strong_links;
  const Member *from; // [n + nghost] the aggregates of the roots, none elsewhere
  const Key    *first;
  bool          second;
  Member       *member;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    if (member[i].aggregate >= 0 || (second && is_root(first[i])) || !edges.coupled(i)) return;
    const float least = strong_links.least(edges, i, lane, lanes);
    PetscInt    last  = -1;

    for (PetscInt p = edges.ptr[i] + lane; p < edges.ptr[i + 1]; p += lanes)
      if (from[edges.col[p]].aggregate >= 0 && strong_links.hold(p, least)) last = p;
    last = most_of_lanes(last, lanes);
    if (lane == 0 && last >= 0) member[i] = from[edges.col[last]];
  }
};

/* The rest. In boxes of a lattice, that of their box, so that they come out even at the lattice's ends, too. Else the aggregate with most edges to them, then
   that of the nearest root where nodes have places, then the smallest name. Compact aggregates touch fewer others than those where the strongest edge decides.
   Trilinear elements leave zeros between neighbours along an axis, so that of 3 x 3 x 3 nodes six have as many edges to the
   box beside: where only the smallest id decides, 27 points have more than twice as many entries a row on the second level. */
struct JoinMost {
  Edges         edges;
  StrongLinks   strong_links;
  NodeIds       ids;
  bool          boxes;  // of the lattice, which wants all roots
  const Member *member; // [n + nghost]
  Member       *joined;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    Member best = member[i];

    if (best.aggregate < 0 && edges.coupled(i)) {
      const float least = strong_links.least(edges, i, lane, lanes);

      if (boxes) best = own_box(i, least, lane, lanes);
      for (float of = least; best.aggregate < 0; of = 0) {
        best = most_edges(i, of, lane, lanes);
        if (of == 0) break;
      }
    }
    if (lane == 0) joined[i] = best;
  }

private:
  HD Member own_box(PetscInt i, float least, int lane, int lanes) const
  {
    const PetscInt end   = edges.ptr[i + 1];
    PetscInt       place = end;

    for (PetscInt p = edges.ptr[i] + lane; p < end && place == end; p += lanes) {
      const Member a = member[edges.col[p]];

      if (a.aggregate >= 0 && strong_links.hold(p, least) && ids.lattice.beside(ids(i), a.name)) place = p;
    }
    place = -most_of_lanes(-place, lanes);
    return place < end ? member[edges.col[place]] : Member{-1, -1};
  }
  HD Member most_edges(PetscInt i, float least, int lane, int lanes) const
  {
    Member   best{-1, -1};
    PetscInt most = 0;

    for (PetscInt p = edges.ptr[i] + lane; p < edges.ptr[i + 1]; p += lanes) {
      const Member a = member[edges.col[p]];

      if (a.aggregate < 0 || a.aggregate == best.aggregate || !strong_links.hold(p, least)) continue;
      const PetscInt n = edges_to(i, a.aggregate, least);

      if (n < most || (n == most && !nearer(ids(i), a.name, best.name))) continue;
      best = a;
      most = n;
    }
    return lanes > 1 ? best_of_lanes(i, best, most, lanes) : best;
  }
  /* That of the lanes which would have been the best of all. */
  HD Member best_of_lanes(PetscInt i, Member best, PetscInt most, int lanes) const
  {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min() + 1;
    const bool             any = best.aggregate >= 0, first = most == most_of_lanes(most, lanes) && any; // all lanes go through each of these
    const std::int64_t     distance = first && ids.lattice.known() ? ids.lattice.distance2(ids(i), best.name) : 0,
                       nearest      = -most_of_lanes(first ? -distance : none, lanes);
    const std::int64_t name         = most_of_lanes(first && distance == nearest ? -static_cast<std::int64_t>(best.name) : none, lanes);

    if (name == none) return {-1, -1};
    return {most_of_lanes(first && best.name == -name ? best.aggregate : PetscInt(-1), lanes), static_cast<PetscInt>(-name)};
  }
  HD bool nearer(PetscInt node, PetscInt root, PetscInt other) const
  {
    if (ids.lattice.known()) {
      const std::int64_t here = ids.lattice.distance2(node, root), there = ids.lattice.distance2(node, other);

      if (here != there) return here < there;
    }
    return root < other;
  }
  HD PetscInt edges_to(PetscInt i, PetscInt a, float least) const
  {
    PetscInt n = 0;

    for (PetscInt p = edges.ptr[i]; p < edges.ptr[i + 1]; p++) n += member[edges.col[p]].aggregate == a && strong_links.hold(p, least);
    return n;
  }
};

} // namespace goza::saamg
