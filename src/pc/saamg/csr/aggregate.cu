#include "core/algorithm.hpp"
#include "mat/common/rows/par_csr.hpp"
#include "graph.hpp"

namespace goza
{

namespace
{

struct FirstKeys {
  PetscInt first; // global number of node 0
  Edges    edges;
  Key     *key;

  HD void operator()(PetscInt i) const { key[i] = edges.coupled(i) ? undecided | hash62(first + i) : 0; }
};

struct SecondKeys {
  PetscInt   first_node;
  Edges      edges;
  const Key *first;
  Key       *key;

  HD void operator()(PetscInt i) const { key[i] = edges.coupled(i) && !is_root(first[i]) ? undecided | hash62(first_node + i) : 0; }
};

struct IsOpen {
  const PetscInt *list; // null: all nodes
  const Key      *key;
  char           *flag;

  HD void operator()(PetscInt k) const { flag[k] = is_undecided(key[list ? list[k] : k]); }
};

struct MarkRoots {
  const Key *first, *second;
  PetscInt  *mark;

  HD void operator()(PetscInt i) const { mark[i] = is_root(first[i]) || is_root(second[i]); }
};

/* begin + number[i] for roots, -1 elsewhere */
struct NumberRoots {
  const Key      *key, *other; // either set, other may be null
  PetscInt        begin;
  const PetscInt *number;
  PetscInt       *of_root;

  HD void operator()(PetscInt i) const { of_root[i] = is_root(key[i]) || (other && is_root(other[i])) ? begin + number[i] : -1; }
};

/* The nodes of a list whose key is undecided; the list shrinks from round to round. */
class OpenList {
public:
  OpenList(Space space, PetscInt n, const Array<Key> &key) : flag_(space, n), spare_(space, n)
  {
    for_each_row(space, n, IsOpen{nullptr, key.data(), flag_.data()});
    list_ = flagged(space, flag_.data(), n);
    size_ = static_cast<PetscInt>(list_.size());
  }
  void shrink(const Array<Key> &key)
  {
    for_each_row(flag_.space(), size_, IsOpen{list_.data(), key.data(), flag_.data()});
    size_ = keep_flagged(flag_.space(), list_.data(), flag_.data(), size_, spare_.data());
    list_.swap(spare_);
  }
  PetscInt        size() const { return size_; }
  const PetscInt *data() const { return list_.data(); }

private:
  Array<char>     flag_;
  Array<PetscInt> list_, spare_;
  PetscInt        size_ = 0;
};

/* A distance-2 MIS of the nodes whose key is undecided on entry, and of the edges between them. On return the roots' keys say so, the others' are 0, and
   largest[i] is a root's for the nodes next to one. */
void maximal_independent_set(const CsrGraph &G, Array<Key> &key, Array<Key> &largest)
{
  const Space space = G.space();
  OpenList    open(space, G.n, key), unsettled(space, G.n, key);

  largest = Array<Key>(space, G.nodes->nlocal());
  largest.zero();
  for (;;) {
    const bool left = G.nodes->any(open.size() > 0);

    G.nodes->update(key);
    for_each_row(space, unsettled.size(), MaxOfNeighbours{unsettled.data(), G.edges, key.data(), largest.data()});
    G.nodes->update(largest);
    if (!left) break;
    for_each_row(space, open.size(), Decide{open.data(), G.edges, largest.data(), key.data()});
    open.shrink(key);
    unsettled.shrink(largest);
  }
}

/* How many of `total` aggregates belong to this rank, of which `rooted` have their roots here. */
PetscInt share(const LocalColumns &nodes, std::int64_t total, PetscInt rooted, PetscInt least)
{
  const std::int64_t size = nodes.size();
  PetscMPIInt        rank = 0;

  if (size == 1 || total >= least * size) return rooted;
  MPI_Comm_rank(nodes.comm(), &rank);
  const std::int64_t few = PetscMax(1, total / least);

  /* share s goes to rank s size / few, near the ranks that its roots were on */
  for (std::int64_t s = 0; s < few; s++) {
    if (s * size / few == rank) return static_cast<PetscInt>((s + 1) * total / few - s * total / few);
  }
  return 0;
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

CsrAggregates aggregate(const CsrGraph &G, PetscInt least)
{
  const Space      space      = G.space();
  const ColumnMap &nodes      = *G.nodes;
  const PetscInt   first_node = nodes.start(), nlocal = nodes.nlocal();
  CsrAggregates    aggregates;
  Array<Key>       key(space, nlocal), second(space, nlocal), first, largest;
  Array<PetscInt>  number(space, G.n + 1), of_root(space, nlocal), joined(space, nlocal), of_node(space, nlocal);

  for_each_row(space, G.n, FirstKeys{first_node, G.edges, key.data()});
  maximal_independent_set(G, key, first);
  for_each_row(space, G.n, SecondKeys{first_node, G.edges, first.data(), second.data()});
  maximal_independent_set(G, second, largest);
  for_each_row(space, G.n, KeepLargeRoots{G.edges, first.data(), second.data()});

  for_each_row(space, G.n, MarkRoots{key.data(), second.data(), number.data()});
  const PetscInt     rooted = lengths_to_pointer(space, number);
  const LocalColumns roots(nodes.comm(), rooted, space);
  const PetscInt     begin = roots.start();

  for_each_row(space, G.n, NumberRoots{key.data(), second.data(), begin, number.data(), joined.data()});
  for_each_row(space, G.n, NumberRoots{key.data(), nullptr, begin, number.data(), of_root.data()});
  nodes.update(of_root);
  for_each_row(space, G.n, JoinRoot{G.edges, of_root.data(), first.data(), false, joined.data()});
  for_each_row(space, G.n, NumberRoots{second.data(), nullptr, begin, number.data(), of_root.data()});
  nodes.update(of_root);
  for_each_row(space, G.n, JoinRoot{G.edges, of_root.data(), first.data(), true, joined.data()});
  nodes.update(joined);
  if (G.borrowed) for_each_row(space, G.n, JoinStrongest<EntryWeight>{G.edges, G.entry, joined.data(), of_node.data()});
  else for_each_row(space, G.n, JoinStrongest<StoredWeight>{G.edges, {G.weight.data()}, joined.data(), of_node.data()});
  nodes.update(of_node);

  aggregates.n = share(nodes, roots.nglobal(), rooted, least);
  const LocalColumns owners(nodes.comm(), aggregates.n, space);
  aggregates.map     = std::make_shared<ColumnMap>(owners, nodes.size() > 1 ? localize(owners, of_node) : std::vector<PetscInt>());
  aggregates.of_node = std::move(of_node);
  return aggregates;
}

Array<PetscInt> aggregate_of_columns(const CsrGraph &G, const CsrAggregates &aggregates, const LocalColumns &columns, PetscInt bs)
{
  Array<PetscInt> of_column(columns.space(), columns.nlocal());

  for_each_row(columns.space(), columns.nlocal(), OfColumn{bs, G.n, G.nodes->nlocal(), G.node_of_ghost_column.data(), aggregates.of_node.data(), of_column.data()});
  return of_column;
}

} // namespace goza
