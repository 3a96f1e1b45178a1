#include "independent_set.hpp"
#include "all_rounds.hpp"
#include "core/device/whole_grid.hpp"
#include "worklist.hpp"
#include <algorithm>
#include <numeric>

namespace goza::saamg {
namespace {

struct Candidate {
  Key      key;
  PetscInt node;
};

/* Largest key first. Keys are hashed: sorted by two digits of them, in two passes, they are nearly in order. */
void sort_by_keys(std::vector<Candidate> &order)
{
  const std::size_t        m    = order.size();
  int                      bits = 1; // of a digit
  std::vector<Candidate>   sorted(m);
  std::vector<std::size_t> first;

  while (2 * bits < 62 && m >> (2 * bits - 2)) bits++;
  for (int shift : {62 - 2 * bits, 62 - bits}) {
    const auto digit = [&](const Candidate &c) { return ~(c.key >> shift) & ((Key(1) << bits) - 1); };

    first.assign((std::size_t(1) << bits) + 1, 0);
    for (const Candidate &c : order) first[digit(c) + 1]++;
    std::partial_sum(first.begin(), first.end(), first.begin());
    for (const Candidate &c : order) sorted[first[digit(c)]++] = c;
    order.swap(sorted);
  }
  for (std::size_t k = 1; k < m; k++) {
    const Candidate c  = order[k];
    std::size_t     to = k;

    for (; to > 0 && order[to - 1].key < c.key; to--) order[to] = order[to - 1];
    order[to] = c;
  }
}

/* maximal_independent_set() where one processor sees all nodes: a node that is the largest within distance two when its turn comes is one when all larger ones
   have had theirs. */
class OneByOne {
public:
  OneByOne(const CsrGraph &G, Array<Key> &key, Array<Key> &largest) :
    edges_(G.edges), n_(G.n), key_(key.data()), largest_(largest.data()), state_(Space::Host, G.n, unset)
  {
    begin();
  }

  /* laid_out: nodes of the same rank are mostly too far apart for their order to count. */
  void make(bool laid_out)
  {
    std::vector<Candidate> order;

    for (int rank = 63; laid_out && any_open(&rank) && rank > 0;) {
      if (in_order(rank)) continue;
      begin();
      break;
    }
    for (PetscInt i = 0; i < n_; i++)
      if (state_.data()[i] == open) order.push_back({key_[i], i});
    sort_by_keys(order);
    for (const Candidate &c : order)
      if (state_.data()[c.node] == open) take(c.node);
    for (PetscInt i = 0; i < n_; i++) key_[i] = state_.data()[i] == root ? key_[i] ^ state_bits : 0;
  }

private:
  enum State : char {
    elsewhere, // no node of this set, nor a way from one to another
    open,
    covered,
    root
  };

  void begin()
  {
    for (PetscInt i = 0; i < n_; i++) state_.data()[i] = is_undecided(key_[i]) ? open : key_[i] ? covered : elsewhere;
    std::fill(largest_, largest_ + n_, Key(0));
  }

  void take(PetscInt i)
  {
    char *const now      = state_.data();
    const Key   root_key = key_[i] ^ state_bits;

    now[i]      = root;
    largest_[i] = root_key;
    for (PetscInt p = edges_.ptr[i]; p < edges_.ptr[i + 1]; p++) {
      const PetscInt j = edges_.col[p];

      if (now[j] == elsewhere) continue;
      largest_[j] = root_key;
      if (now[j] == open) now[j] = covered;
      for (PetscInt q = edges_.ptr[j]; q < edges_.ptr[j + 1]; q++)
        if (now[edges_.col[q]] == open) now[edges_.col[q]] = covered;
    }
  }

  static int rank_of(Key key) { return static_cast<int>(key >> 56 & 63); }

  bool is_open(PetscInt i, int rank) const { return state_.data()[i] == open && rank_of(key_[i]) == rank; }

  /* *rank: the highest that an open node has below it. */
  bool any_open(int *rank) const
  {
    int highest = -1;

    for (PetscInt i = 0; i < n_; i++)
      if (state_.data()[i] == open && rank_of(key_[i]) < *rank) highest = std::max(highest, rank_of(key_[i]));
    *rank = highest;
    return highest >= 0;
  }

  /* Open nodes of this rank in the order of their numbers; false: two of them are within distance two of one another. */
  bool in_order(int rank)
  {
    std::vector<PetscInt> nodes;

    for (PetscInt i = 0; i < n_; i++)
      if (is_open(i, rank)) nodes.push_back(i);
    for (PetscInt i : nodes) {
      if (state_.data()[i] != open) return false;
      take(i);
    }
    return true;
  }

  const Edges    edges_;
  const PetscInt n_;
  Key *const key_, *const largest_;
  Array<char> state_;
};

#if defined(__CUDACC__)
__global__ void __launch_bounds__(at_once_threads) AllRoundsKernel(PetscInt n, Edges edges, Key *key, Key *largest, unsigned *open)
{
  all_rounds<1>(n, edges, key, largest, open);
}
#endif

} // namespace

void maximal_independent_set(const CsrGraph &G, bool laid_out, Array<Key> &key, Array<Key> &largest)
{
  // asking the device takes as long as a round with so many nodes, or as some with fewer, of which mostly six are not enough
  constexpr PetscInt few = 200000, together = 6, some_more = 3;
  const Space        space = G.space();
  std::int64_t       left  = G.n;

  largest = Array<Key>(space, G.nodes->nlocal(), unset);
  if (space == Space::Host && G.nodes->size() == 1) {
    OneByOne(G, key, largest).make(laid_out);
    return;
  }
#if defined(__CUDACC__)
  if (space == Space::Cuda && G.nodes->size() == 1) {
    Array<unsigned> rounds(space, rounds_kept, unset);

    if (G.n) launch_whole_grid<AllRoundsKernel>(blocks_for(G.n, at_once_threads), at_once_threads, G.n, G.edges, key.data(), largest.data(), rounds.data());
    return;
  }
#endif
  Array<Count> counts(space, 2 * Worklist::counters);
  // unsettled: next to one that is open, or open themselves
  Worklist   open(space, G.n, G.long_rows(), counts.data()), unsettled(space, G.n, G.long_rows(), counts.data() + Worklist::counters);
  bool       first       = true;
  const auto look_around = [&] {
    G.nodes->update(key);
    unsettled.round(MaxOfNeighbours{std::exchange(first, false), G.edges, key.data(), largest.data()});
    G.nodes->update(largest);
  };

  counts.zero();
  for (G.nodes->sum(&left, 1); left > 0;) {
    for (int round = left > few ? 1 : first ? together : some_more; round > 0; round--) {
      look_around();
      open.round(Decide{G.edges, largest.data(), key.data()});
    }
    const std::vector<Count> n = counts.to_host();

    open.bound(n[open.count() - counts.data()]);
    unsettled.bound(n[unsettled.count() - counts.data()]);
    left = static_cast<std::int64_t>(n[open.count() - counts.data()]);
    G.nodes->sum(&left, 1);
  }
  look_around();
}

} // namespace goza::saamg
