#include "core/algorithm.hpp"
#include "graph.hpp"

namespace goza
{

namespace
{

struct FirstKeys {
  Edges edges;
  Key  *key;

  HD void operator()(PetscInt i) const { key[i] = edges.coupled(i) ? undecided | hash62(i) : 0; }
};

struct SecondKeys {
  Edges      edges;
  const Key *first;
  Key       *key;

  HD void operator()(PetscInt i) const { key[i] = edges.coupled(i) && !is_root(first[i]) ? undecided | hash62(i) : 0; }
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

/* number[i] for roots, -1 elsewhere */
struct NumberRoots {
  const Key      *key, *other; // either set, other may be null
  const PetscInt *number;
  PetscInt       *of_root;

  HD void operator()(PetscInt i) const { of_root[i] = is_root(key[i]) || (other && is_root(other[i])) ? number[i] : -1; }
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

/* As the function of that name in aggregate.cxx. */
void maximal_independent_set(const CsrGraph &G, Array<Key> &key, Array<Key> &largest)
{
  const Space space = G.space();
  OpenList    open(space, G.n, key), unsettled(space, G.n, key);

  largest = Array<Key>(space, G.n);
  largest.zero();
  for (;;) {
    for_each_row(space, unsettled.size(), MaxOfNeighbours{unsettled.data(), G.edges, key.data(), largest.data()});
    if (!open.size()) break;
    for_each_row(space, open.size(), Decide{open.data(), G.edges, largest.data(), key.data()});
    open.shrink(key);
    unsettled.shrink(largest);
  }
}

} // namespace

CsrAggregates aggregate(const CsrGraph &G)
{
  const Space     space = G.space();
  CsrAggregates   aggregates;
  Array<Key>      key(space, G.n), second(space, G.n), first, largest;
  Array<PetscInt> number(space, G.n + 1), of_root(space, G.n), joined(space, G.n);

  for_each_row(space, G.n, FirstKeys{G.edges, key.data()});
  maximal_independent_set(G, key, first);
  for_each_row(space, G.n, SecondKeys{G.edges, first.data(), second.data()});
  maximal_independent_set(G, second, largest);
  for_each_row(space, G.n, KeepLargeRoots{G.edges, first.data(), second.data()});

  for_each_row(space, G.n, MarkRoots{key.data(), second.data(), number.data()});
  aggregates.n       = lengths_to_pointer(space, number);
  aggregates.of_node = Array<PetscInt>(space, G.n);
  for_each_row(space, G.n, NumberRoots{key.data(), second.data(), number.data(), joined.data()});
  for_each_row(space, G.n, NumberRoots{key.data(), nullptr, number.data(), of_root.data()});
  for_each_row(space, G.n, JoinRoot{G.edges, of_root.data(), first.data(), false, joined.data()});
  for_each_row(space, G.n, NumberRoots{second.data(), nullptr, number.data(), of_root.data()});
  for_each_row(space, G.n, JoinRoot{G.edges, of_root.data(), first.data(), true, joined.data()});
  if (G.borrowed) for_each_row(space, G.n, JoinStrongest<EntryWeight>{G.edges, G.entry, joined.data(), aggregates.of_node.data()});
  else for_each_row(space, G.n, JoinStrongest<StoredWeight>{G.edges, {G.weight.data()}, joined.data(), aggregates.of_node.data()});
  return aggregates;
}

} // namespace goza
