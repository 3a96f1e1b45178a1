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

/* The nodes of a list whose key is undecided. Only the space of the graph knows how many are left; the host asks now and then. In which order they stand does not
   matter: what a round does to a node depends on the round before alone. */
using Count = unsigned long long;

struct Clear {
  Count *count;

  HD void operator()(PetscInt) const { *count = 0; }
};

struct Keep {
  const PetscInt *list; // null: all nodes
  const Count    *count;
  const Key      *key;
  PetscInt       *kept;
  Count          *nkept;

  HD void operator()(PetscInt k) const
  {
    const PetscInt i = list ? list[k] : k;

    if ((list && static_cast<Count>(k) >= *count) || !is_undecided(key[i])) return;
#if defined(__CUDA_ARCH__)
    kept[atomicAdd(nkept, 1ull)] = i;
#else
    kept[(*nkept)++] = i;
#endif
  }
};

template <class Body> struct Listed {
  const Count *count;
  Body         body;

  HD void operator()(PetscInt k) const
  {
    if (static_cast<Count>(k) < *count) body(k);
  }
};

class Worklist {
public:
  Worklist(Space space, PetscInt n, const Array<Key> &key, Count *counts) : list_(space, n), spare_(space, n), bound_(n), now_(counts), next_(counts + 1)
  {
    keep(nullptr, key);
  }
  void shrink(const Array<Key> &key) { keep(list_.data(), key); }
  /* body(k) for the nodes listed: it finds node k in data()[k] */
  template <class Body> void for_each(const Body &body) const { for_each_row(list_.space(), bound_, Listed<Body>{now_, body}); }
  const PetscInt            *data() const { return list_.data(); }
  const Count               *count() const { return now_; }
  void                       bound(Count n) { bound_ = static_cast<PetscInt>(n); }

private:
  void keep(const PetscInt *list, const Array<Key> &key)
  {
    for_each_row(list_.space(), 1, Clear{next_});
    for_each_row(list_.space(), bound_, Keep{list, now_, key.data(), spare_.data(), next_});
    list_.swap(spare_);
    std::swap(now_, next_);
  }

  Array<PetscInt> list_, spare_;
  PetscInt        bound_; // no fewer than are listed
  Count          *now_, *next_;
};

/* As the function of that name in aggregate.cxx. */
void maximal_independent_set(const CsrGraph &G, Array<Key> &key, Array<Key> &largest)
{
  constexpr PetscInt few   = 50000; // asking the device takes as long as a round with so many nodes
  const Space        space = G.space();
  PetscInt           left  = G.n;
  Array<Count>       counts(space, 4);
  Worklist           open(space, G.n, key, counts.data()), unsettled(space, G.n, key, counts.data() + 2);

  largest = Array<Key>(space, G.n);
  largest.zero();
  do {
    for (int round = left > few ? 1 : 3; round > 0; round--) {
      unsettled.for_each(MaxOfNeighbours{unsettled.data(), G.edges, key.data(), largest.data()});
      open.for_each(Decide{open.data(), G.edges, largest.data(), key.data()});
      open.shrink(key);
      unsettled.shrink(largest);
    }
    const std::vector<Count> n = counts.to_host();

    open.bound(n[open.count() - counts.data()]);
    unsettled.bound(n[unsettled.count() - counts.data()]);
    left = static_cast<PetscInt>(n[open.count() - counts.data()]);
  } while (left);
  unsettled.for_each(MaxOfNeighbours{unsettled.data(), G.edges, key.data(), largest.data()});
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
