/* Aggregates along each node's heaviest coupling, where one outweighs all others of its row: a node joins the neighbour that it is coupled with most, this
   one its own, and so on up to a pair whose nodes are each other's (Boruvka 1926). What an aggregate is cut off by is then lighter than what holds it
   together, at every scale of the couplings; a root with all its neighbours cuts through heavy ones, and no smoothing with one relaxation mends the jump that
   is left there.

   A way up is cut where it has been followed for `longest_way` edges: the node there is a root, too, if another follows it. All nodes go one step of their
   ways in a round, and what they find depends on the round before only, so that the aggregates are the same on any number of ranks. */
#include "core/util/algorithm.hpp"
#include "core/launch/row_sums.hpp"
#include "core/launch/for_each_row.hpp"
#include "graph.hpp"

namespace goza::saamg {
namespace {

constexpr PetscInt longest_way = 3, unknown = -1;
constexpr int      rounds_to_a_cut = 32, rounds_to_a_look = 4;

/* The heaviest edge of a node, by the entry itself beside the node's own diagonal, whatever the other's; of equal ones that with the larger hash of its
   nodes' ids, the same from both sides. */
template <class Weight> struct Heaviest {
  Edges            edges;
  Weight           weight;
  const PetscReal *rdiag;
  const PetscInt  *id;   // [n + nghost]
  PetscInt        *lead; // [n] the node that it leads to, -1: to none
  PetscInt        *lead_id;

  HD void operator()(PetscInt i) const
  {
    float    most = 0;
    PetscInt best = -1;

    for (PetscInt p = edges.ptr[i]; edges.coupled(i) && p < edges.ptr[i + 1]; p++) {
      const PetscInt j = edges.col[p];

      if (j == i || !edges.coupled(j)) continue;
      const PetscReal r = PetscAbsReal(rdiag[j]), beside_own = weight(i, p, j) * (r > 0 ? PetscAbsReal(rdiag[i]) / r : 1);
      const float     size = beside_own < 1e30 ? beside_own > 1e-30 ? static_cast<float>(beside_own) : 1e-30f : 1e30f;

      if (size < most || (size == most && order(id[i], id[j]) <= order(id[i], id[best]))) continue;
      most = size;
      best = j;
    }
    lead[i]    = best;
    lead_id[i] = best < 0 ? -1 : id[best];
  }
  HD static std::uint64_t order(PetscInt a, PetscInt b)
  {
    return hash62(hash62(static_cast<std::uint64_t>(PetscMin(a, b))) + static_cast<std::uint64_t>(PetscMax(a, b)));
  }
};

/* Of a pair the node with the larger id is its root. way: edges to the root */
HD void find_pair(PetscInt i, const PetscInt *lead, const PetscInt *lead_id, const PetscInt *id, PetscInt *way)
{
  way[i] = lead[i] >= 0 && lead_id[lead[i]] == id[i] && id[i] > id[lead[i]] ? 0 : unknown;
}

/* A round. cut: of those whose ways have no end yet, some end here; there may be a circle where values differ by rounding. */
struct OneStep {
  const PetscInt *lead, *id, *before;
  PetscInt       *way;
  PetscInt        cut; // 0: none

  HD void operator()(PetscInt i) const
  {
    const PetscInt to = lead[i];

    way[i] = before[i];
    if (to < 0 || before[i] != unknown) return;
    if (before[to] != unknown) way[i] = (before[to] + 1) % (longest_way + 1);
    else if (cut && order(id[i]) > order(id[to])) way[i] = 0;
  }
  HD std::uint64_t order(PetscInt j) const { return hash62(static_cast<std::uint64_t>(j) ^ static_cast<std::uint64_t>(cut) << 40); }
};

HD void count_unknown(PetscInt i, std::int64_t *count, const PetscInt *lead, const PetscInt *way) { count[0] += lead[i] >= 0 && way[i] == unknown; }

/* A root that nobody follows joins what it follows. */
HD void followed_roots(PetscInt i, const Edges &edges, const PetscInt *lead_id, const PetscInt *id, const PetscInt *before, PetscInt *way)
{
  bool followed = before[i] != 0;

  for (PetscInt p = edges.ptr[i]; !followed && p < edges.ptr[i + 1]; p++) followed = edges.col[p] != i && lead_id[edges.col[p]] == id[i];
  way[i] = followed ? before[i] : longest_way + 1;
}

HD void mark_ends(PetscInt i, const PetscInt *way, PetscInt *mark) { mark[i] = way[i] == 0; }

/* Nodes so many edges from their roots. joined: [n + nghost] */
HD void join_lead(PetscInt i, const PetscInt *lead, const PetscInt *way, const PetscInt *number, const PetscInt *id, PetscInt distance, PetscInt begin,
                  Member *joined)
{
  if (way[i] == distance) joined[i] = distance ? joined[lead[i]] : Member{begin + number[i], id[i]};
  else if (distance == 0) joined[i] = {-1, -1};
}

/* way: of all nodes, from what find_pair() says. */
void follow(const CsrGraph &G, const Array<PetscInt> &lead, const Array<PetscInt> &id, Array<PetscInt> &way)
{
  const ColumnMap    &nodes = *G.nodes;
  Array<PetscInt>     next(G.space(), nodes.nlocal());
  Array<std::int64_t> count(G.space(), 1);

  for (PetscInt round = 1;; round++) {
    nodes.update(way);
    if (round % rounds_to_a_look == 1) {
      join_rows<Plus, 1>(G.space(), G.n, bound<count_unknown>(lead.data(), way.data()), count.data());
      std::int64_t left = read_value(G.space(), count.data());

      nodes.sum(&left, 1);
      if (left == 0) return;
    }
    for_each_row(G.space(), G.n, OneStep{lead.data(), id.data(), way.data(), next.data(), round % rounds_to_a_cut ? 0 : round});
    way.swap(next);
  }
}

} // namespace

CsrAggregates aggregate_by_heaviest(const CsrGraph &G, PetscInt least)
{
  const Space      space  = G.space();
  const ColumnMap &nodes  = *G.nodes;
  const PetscInt   nlocal = nodes.nlocal();
  Array<PetscInt>  id(space, nlocal), lead(space, G.n), lead_id(space, nlocal), way(space, nlocal), ends(space, nlocal), number(space, G.n + 1);
  Array<PetscReal> rdiag(space, nlocal); // the graph's has no more ghosts than the matrix
  Array<Member>    joined(space, nlocal);

  for_each_row(space, G.n, WriteIds{G.ids, id.data()});
  nodes.update(id);
  if (G.n) rdiag.copy_from(G.rdiag.data(), G.n);
  nodes.update(rdiag);
  if (G.borrowed) for_each_row(space, G.n, Heaviest<EntryWeight>{G.edges, G.entry, rdiag.data(), id.data(), lead.data(), lead_id.data()});
  else for_each_row(space, G.n, Heaviest<StoredWeight>{G.edges, {G.weight.data()}, rdiag.data(), id.data(), lead.data(), lead_id.data()});
  nodes.update(lead_id);
  for_each_row(space, G.n, bound<find_pair>(lead.data(), lead_id.data(), id.data(), way.data()));
  follow(G, lead, id, way);
  for_each_row(space, G.n, bound<followed_roots>(G.edges, lead_id.data(), id.data(), way.data(), ends.data()));
  for_each_row(space, G.n, bound<mark_ends>(ends.data(), number.data()));
  const PetscInt     rooted = lengths_to_pointer(space, number);
  const LocalColumns roots(nodes.comm(), rooted, space);

  for (PetscInt distance = 0; distance <= longest_way + 1; distance++) {
    for_each_row(space, G.n, bound<join_lead>(lead.data(), ends.data(), number.data(), id.data(), distance, roots.start(), joined.data()));
    nodes.update(reinterpret_cast<PetscInt *>(joined.data()), 2);
  }
  return of_members(G, joined, roots, least);
}

} // namespace goza::saamg
