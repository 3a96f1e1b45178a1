#include "core/util/algorithm.hpp"
#include "core/launch/row_sums.hpp"
#include "parallel/renumber.hpp"
#include "graph.hpp"
#include "worklist.hpp"
#include <algorithm>
#include <numeric>

namespace goza::saamg
{

namespace
{

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
   to no root than in an order that knows nothing of them. */
struct SecondKeys {
  NodeIds    ids;
  Edges      edges;
  const Key *first; // [n + nghost]
  Key       *key;

  HD void operator()(PetscInt i) const
  {
    key[i] = 0;
    if (edges.coupled(i) && !is_root(first[i])) key[i] = undecided | ranked_hash(free_neighbours(edges, first, i), ids(i));
  }
};

struct MarkRoots {
  const Key *first, *second;
  PetscInt  *mark;

  HD void operator()(PetscInt i) const { mark[i] = is_root(first[i]) || is_root(second[i]); }
};

/* Roots of the first set that the lattice wants, others of it, and roots of the second set. */
struct CountRoots {
  const Key *first, *second;
  NodeIds    ids;

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    count[0] += is_root(first[i]) && ids.lattice.wanted(ids(i));
    count[1] += is_root(first[i]) && !ids.lattice.wanted(ids(i));
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

struct Numbers {
  const Member *joined;
  PetscInt     *aggregate, *name;

  HD void operator()(PetscInt i) const
  {
    aggregate[i] = joined[i].aggregate;
    name[i]      = joined[i].name;
  }
};

/* Every node of an aggregate writes the same. */
struct NameAggregates {
  const PetscInt *of_node, *name_of_node;
  PetscInt       *name;

  HD void operator()(PetscInt i) const
  {
    if (of_node[i] >= 0) name[of_node[i]] = name_of_node[i];
  }
};

struct Candidate {
  Key      key;
  PetscInt node;
};

/* The nodes whose key is undecided, largest key first. Keys are hashed: sorted by two digits of them, in two passes, they are nearly in order. */
Array<Candidate> by_keys(PetscInt n, const Key *key)
{
  const PetscInt           m    = static_cast<PetscInt>(std::count_if(key, key + n, is_undecided));
  int                      bits = 1; // of a digit
  Array<Candidate>         order(Space::Host, m), sorted(Space::Host, m);
  std::vector<std::size_t> first;

  while (2 * bits < 62 && m >> (2 * bits - 2)) bits++;
  for (PetscInt i = 0, k = 0; i < n; i++) {
    if (is_undecided(key[i])) order.data()[k++] = {key[i], i};
  }
  for (int shift : {62 - 2 * bits, 62 - bits}) {
    const auto digit = [&](const Candidate &c) { return ~(c.key >> shift) & ((Key(1) << bits) - 1); };

    first.assign((std::size_t(1) << bits) + 1, 0);
    for (PetscInt k = 0; k < m; k++) first[digit(order.data()[k]) + 1]++;
    std::partial_sum(first.begin(), first.end(), first.begin());
    for (PetscInt k = 0; k < m; k++) sorted.data()[first[digit(order.data()[k])]++] = order.data()[k];
    order.swap(sorted);
  }
  for (PetscInt k = 1; k < m; k++) {
    const Candidate c  = order.data()[k];
    PetscInt        to = k;

    for (; to > 0 && order.data()[to - 1].key < c.key; to--) order.data()[to] = order.data()[to - 1];
    order.data()[to] = c;
  }
  return order;
}

/* maximal_independent_set() where one processor sees all nodes: a node that is the largest within distance two when its turn comes is one when all larger ones have
   had theirs. */
void independent_set_one_by_one(const CsrGraph &G, Array<Key> &key, Array<Key> &largest)
{
  enum State : char {
    elsewhere, // no node of this set, nor a way from one to another
    open,
    covered,
    root
  };
  const Edges            edges = G.edges;
  const Array<Candidate> order = by_keys(G.n, key.data());
  Array<char>            state(Space::Host, G.n);
  char *const            now = state.data();

  largest = Array<Key>(Space::Host, G.n);
  largest.zero();
  for (PetscInt i = 0; i < G.n; i++) now[i] = is_undecided(key.data()[i]) ? open : elsewhere;
  for (std::size_t k = 0; k < order.size(); k++) {
    const PetscInt i        = order.data()[k].node;
    const Key      root_key = order.data()[k].key ^ state_bits;

    if (now[i] != open) continue;
    now[i]            = root;
    largest.data()[i] = root_key;
    for (PetscInt p = edges.ptr[i]; p < edges.ptr[i + 1]; p++) {
      const PetscInt j = edges.col[p];

      if (now[j] == elsewhere) continue;
      largest.data()[j] = root_key;
      if (now[j] == open) now[j] = covered;
      for (PetscInt q = edges.ptr[j]; q < edges.ptr[j + 1]; q++) {
        if (now[edges.col[q]] == open) now[edges.col[q]] = covered;
      }
    }
  }
  for (PetscInt i = 0; i < G.n; i++) key.data()[i] = now[i] == root ? key.data()[i] ^ state_bits : 0;
}

/* A distance-2 MIS of the nodes whose key is undecided on entry, and of the edges between them. On return the roots' keys say so, the others' are 0, and
   largest[i] is a root's for the nodes next to one. */
void maximal_independent_set(const CsrGraph &G, Array<Key> &key, Array<Key> &largest)
{
  if (G.space() == Space::Host && G.nodes->size() == 1) {
    independent_set_one_by_one(G, key, largest);
    return;
  }
  constexpr PetscInt few   = 200000; // asking the device takes as long as a round with so many nodes
  const Space        space = G.space();
  std::int64_t       left  = G.nodes->nglobal(); // on all ranks
  Array<Count>       counts(space, 2 * Worklist::counters);

  counts.zero();
  Worklist open(space, G.n, key, counts.data()), unsettled(space, G.n, key, counts.data() + Worklist::counters);

  largest = Array<Key>(space, G.nodes->nlocal());
  largest.zero();
  do {
    for (int round = left > few ? 1 : 3; round > 0; round--) {
      G.nodes->update(key);
      unsettled.for_each(MaxOfNeighbours{unsettled.data(), G.edges, key.data(), largest.data()});
      G.nodes->update(largest);
      open.for_each(Decide{open.data(), G.edges, largest.data(), key.data()});
      open.shrink(key);
      unsettled.shrink(largest);
    }
    const std::vector<Count> n = counts.to_host();

    open.bound(n[open.count() - counts.data()]);
    unsettled.bound(n[unsettled.count() - counts.data()]);
    left = static_cast<std::int64_t>(n[open.count() - counts.data()]);
    G.nodes->sum(&left, 1);
  } while (left);
  G.nodes->update(key);
  unsettled.for_each(MaxOfNeighbours{unsettled.data(), G.edges, key.data(), largest.data()});
  G.nodes->update(largest);
}

/* How many of `total` aggregates belong to this rank, of which `rooted` have their roots here. */
PetscInt share(const LocalColumns &nodes, std::int64_t total, PetscInt rooted, PetscInt least)
{
  const std::int64_t size = nodes.size();

  if (size == 1 || total >= least * size) return rooted;
  const std::int64_t few = PetscMax(1, total / least);

  /* share s goes to rank s size / few, near the ranks that its roots were on */
  for (std::int64_t s = 0; s < few; s++) {
    if (s * size / few == nodes.rank()) return static_cast<PetscInt>((s + 1) * total / few - s * total / few);
  }
  return 0;
}

/* Whether the aggregates are to be boxes of the lattice: it wants all roots of the first set, and there is hardly one of the second, of which some stand where the grid ends. These are
   dropped then: every node is within distance two of a root of the first set. Collective. */
bool boxes_of_lattice(const CsrGraph &G, const Array<Key> &first, Array<Key> &second)
{
  Array<std::int64_t> count(G.space(), 3);

  if (!G.ids.lattice.known()) return false;
  join_rows<Plus, 3>(G.space(), G.n, CountRoots{first.data(), second.data(), G.ids}, count.data());
  std::vector<std::int64_t> n = count.to_host();
  G.nodes->sum(n.data(), 3);
  const bool boxes = n[1] == 0 && n[2] <= n[0] / boxes_to_an_odd_root;

  if (boxes) second.zero();
  return boxes;
}

/* How many nodes are in an aggregate whose root is in another tile, by direction, and how many in any. */
struct CountElsewhere {
  NodeIds         ids;
  const PetscInt *name; // of the nodes' aggregates

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    if (name[i] < 0) return;
    for (int d = 0; d < 3; d++) count[d] += ids.lattice.tile(ids(i), d) != ids.lattice.tile(name[i], d);
    count[3]++;
  }
};

/* The lattice of the aggregates, which stretch in a direction where an eighth of the nodes or more are elsewhere than their roots: two ninths in each direction of 7
   points, two thirds along a line, none across. */
Lattice coarser_lattice(const CsrGraph &G, const Array<PetscInt> &name)
{
  if (!G.ids.lattice.known()) return {};
  Array<std::int64_t> count(G.space(), 4);
  bool                longer[3];

  join_rows<Plus, 4>(G.space(), G.n, CountElsewhere{G.ids, name.data()}, count.data());
  std::vector<std::int64_t> total = count.to_host();
  G.nodes->sum(total.data(), 4);
  for (int d = 0; d < 3; d++) longer[d] = 8 * total[d] > total[3];
  return G.ids.lattice.coarser(longer);
}

struct OfColumn {
  PetscInt        bs, n, nnodes; // nodes: owned, and with ghosts
  const PetscInt *node_of_ghost_column, *of_node;
  PetscInt       *of_column;

  HD void operator()(PetscInt c) const
  {
    const PetscInt node = c < n * bs ? c / bs : n + node_of_ghost_column[c - n * bs];

    of_column[c] = node < nnodes ? of_node[node] : -1;
  }
};

} // namespace

CsrAggregates numbered_locally(const LocalColumns &owners, Array<PetscInt> of_node, Array<PetscInt> name, const Lattice &lattice)
{
  const PetscInt nnodes = static_cast<PetscInt>(of_node.size());
  const MapPtr   map    = std::make_shared<ColumnMap>(owners, owners.size() > 1 ? ghosts_among(owners, of_node.data(), nnodes) : std::vector<PetscInt>());

  if (owners.size() > 1) put_numbers(owners.space(), nnodes, LocalNumber(*map), of_node.data(), of_node.data());
  return {owners.n(), map, std::move(of_node), std::move(name), lattice};
}

Array<PetscInt> ids_of(const CsrAggregates &aggregates)
{
  const ColumnMap &map   = *aggregates.map;
  const Space      space = map.space();
  Array<PetscInt>  all(space, map.nlocal()), name(space, aggregates.n);

  all.zero();
  for_each_row(space, static_cast<PetscInt>(aggregates.name.size()), NameAggregates{aggregates.of_node.data(), aggregates.name.data(), all.data()});
  map.largest_of_ghosts(all.data() + aggregates.n, all.data());
  if (aggregates.n) name.copy_from(all.data(), aggregates.n);
  return name;
}

CsrAggregates aggregate(const CsrGraph &G, PetscInt least)
{
  const Space      space  = G.space();
  const ColumnMap &nodes  = *G.nodes;
  const PetscInt   nlocal = nodes.nlocal();
  Array<Key>       key(space, nlocal), second(space, nlocal), first, largest;
  Array<PetscInt>  number(space, G.n + 1), of_node(space, nlocal), name(space, G.n);
  Array<Member>    of_root(space, nlocal), joined(space, nlocal);
  const auto       update = [&](Array<Member> &members) { nodes.update(reinterpret_cast<PetscInt *>(members.data()), 2); };

  for_each_row(space, G.n, FirstKeys{G.ids, G.edges, key.data()});
  maximal_independent_set(G, key, first);
  for_each_row(space, G.n, SecondKeys{G.ids, G.edges, first.data(), second.data()});
  maximal_independent_set(G, second, largest);
  if (G.borrowed) for_each_row(space, G.n, KeepLargeRoots<EntryWeight>{G.edges, G.entry, first.data(), second.data()});
  else for_each_row(space, G.n, KeepLargeRoots<StoredWeight>{G.edges, {G.weight.data()}, first.data(), second.data()});

  const bool boxes = boxes_of_lattice(G, key, second);

  for_each_row(space, G.n, MarkRoots{key.data(), second.data(), number.data()});
  const PetscInt     rooted = lengths_to_pointer(space, number);
  const LocalColumns roots(nodes.comm(), rooted, space);
  const PetscInt     begin = roots.start();

  for_each_row(space, G.n, NumberRoots{key.data(), second.data(), begin, number.data(), G.ids, joined.data()});
  for_each_row(space, G.n, NumberRoots{key.data(), nullptr, begin, number.data(), G.ids, of_root.data()});
  update(of_root);
  for_each_row(space, G.n, JoinRoot{G.edges, G.strong_links, of_root.data(), first.data(), false, joined.data()});
  for_each_row(space, G.n, NumberRoots{second.data(), nullptr, begin, number.data(), G.ids, of_root.data()});
  update(of_root);
  for_each_row(space, G.n, JoinRoot{G.edges, G.strong_links, of_root.data(), first.data(), true, joined.data()});
  const bool all_strong = G.strong_links.share == 0;

  /* a node whose neighbours had all left their roots finds them in aggregates the second time */
  for (int pass = all_strong ? 1 : 0; pass < 2; pass++) {
    update(joined);
    for_each_row(space, G.n, JoinMost{G.edges, G.strong_links, G.ids, boxes, joined.data(), of_root.data()});
    joined.swap(of_root);
  }
  for_each_row(space, G.n, Numbers{joined.data(), of_node.data(), name.data()});
  nodes.update(of_node);
  const Lattice lattice = coarser_lattice(G, name);

  return numbered_locally(LocalColumns(nodes.comm(), share(nodes, roots.nglobal(), rooted, least), space), std::move(of_node), std::move(name), lattice);
}

Array<PetscInt> aggregate_of_columns(const CsrGraph &G, const CsrAggregates &aggregates, const LocalColumns &columns, PetscInt bs)
{
  Array<PetscInt> of_column(columns.space(), columns.nlocal());

  for_each_row(columns.space(), columns.nlocal(), OfColumn{bs, G.n, G.nodes->nlocal(), G.node_of_ghost_column.data(), aggregates.of_node.data(), of_column.data()});
  return of_column;
}

} // namespace goza::saamg
