/* Row bodies of the aggregation that tell roots from other nodes, and number them. */
#pragma once
#include "aggregate_rows.hpp"

namespace goza::saamg {

/* First the nodes that the lattice wants. */
struct FirstKeys {
  NodeIds ids;
  Edges   edges;
  Key    *key;

  HD void operator()(PetscInt i) const
  {
    const PetscInt name = ids(i);

    key[i] = !edges.coupled(i) ? 0 : undecided | (ids.lattice.known() ? ranked_hash(ids.lattice.rank(name), name) : hash62(name));
  }
};

/* Most neighbours without an aggregate first: what the first set leaves over is then packed more tightly, and a third fewer nodes are next
   to no root than in an order that knows nothing of them. Those with too few come after all others, and would not stay roots. */
struct SecondKeys {
  NodeIds    ids;
  Edges      edges;
  const Key *first; // [n + nghost]
  Key       *key;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    const PetscInt free = edges.coupled(i) && !is_root(first[i]) ? free_neighbours(edges, first, i, lane, lanes) : -1;

    if (lane == 0) key[i] = free < 0 ? 0 : free < least_free_neighbours ? passing : undecided | ranked_hash(free, ids(i));
  }
};

/* Roots of the first set that the lattice wants, others of it, and roots of the second set. */
struct CountRoots {
  const Key *first, *second;
  NodeIds    ids;

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    const bool root = is_root(first[i]), wanted = root && ids.lattice.known() && ids.lattice.wanted(ids(i));

    count[0] += wanted;
    count[1] += root && !wanted;
    count[2] += is_root(second[i]);
  }
};

/* The aggregates of roots, begin + number[i]. */
struct NumberRoots {
  const Key      *key, *other; // either set, other may be null
  PetscInt        begin;
  const PetscInt *number;
  NodeIds         ids;
  Member         *of_root;

  HD void operator()(PetscInt i) const
  {
    if (is_root(key[i]) || (other && is_root(other[i]))) of_root[i] = {begin + number[i], ids(i)};
    else of_root[i] = {-1, -1};
  }
};

/* How many nodes are in an aggregate whose root is in another tile, by direction, and how many in any. */
struct CountElsewhere {
  NodeIds         ids;
  const PetscInt *name; // of the nodes' aggregates

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    if (name[i] < 0) return;
    const auto here = ids.lattice.tile(ids(i)), root = ids.lattice.tile(name[i]);

    for (int d = 0; d < 3; d++) count[d] += here.at[d] != root.at[d];
    count[3]++;
  }
};

/* Whether the aggregates are to be boxes of the lattice: it wants all roots of the first set, and there is hardly one of the second, of which some stand where
   the grid ends. These are dropped then: every node is within distance two of a root of the first set. count: of CountRoots, of all ranks */
HD inline bool are_boxes(const Lattice &lattice, const std::int64_t *count)
{
  return lattice.known() && count[1] == 0 && count[2] <= count[0] / boxes_to_an_odd_root;
}

/* The lattice of the aggregates, which stretch in a direction where an eighth of the nodes or more are elsewhere than their roots: two ninths in each direction
   of 7 points, two thirds along a line, none across. count: of CountElsewhere, of all ranks */
inline Lattice coarser_lattice(const Lattice &lattice, const std::int64_t *count)
{
  bool longer[3];

  for (int d = 0; d < 3; d++) longer[d] = 8 * count[d] > count[3];
  return lattice.coarser(longer);
}

} // namespace goza::saamg
