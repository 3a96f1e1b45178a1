#include "independent_set.hpp"
#include "core/launch/all_rounds.hpp"
#include "worklist.hpp"
#include <algorithm>

namespace goza::saamg {
namespace {

struct Candidate {
  Key      key;
  PetscInt node;
};

/* maximal_independent_set() where one processor sees all nodes: a node that is the largest within distance two when its turn comes is one when all larger ones
   have had theirs. */
class OneByOne {
public:
  OneByOne(const CsrGraph &G, Array<Key> &key, Array<Key> &largest) :
    edges_(G.edges), n_(G.n), key_(key.data()), largest_(largest.data()), state_(Space::Host, G.n, unset)
  {
    for (PetscInt i = 0; i < n_; i++) state_.data()[i] = is_undecided(key_[i]) ? open : key_[i] ? covered : elsewhere;
    std::fill(largest_, largest_ + n_, Key(0));
  }

  void make()
  {
    std::vector<Candidate> order;

    for (PetscInt i = 0; i < n_; i++)
      if (state_.data()[i] == open) order.push_back({key_[i], i});
    std::sort(order.begin(), order.end(), [](const Candidate &a, const Candidate &b) { return a.key != b.key ? a.key > b.key : a.node < b.node; });
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

  const Edges    edges_;
  const PetscInt n_;
  Key *const key_, *const largest_;
  Array<char> state_;
};

#if defined(__CUDACC__)
struct Rounds {
  Edges edges;
  Key  *key, *largest;

  static constexpr bool looks_around = true;

  __device__ void look_around(PetscInt i, bool first, int lane, int lanes) const
  {
    if (first || is_undecided(largest[i])) MaxOfNeighbours{first, edges, key, largest}(i, lane, lanes);
  }
  __device__ bool operator()(PetscInt i, int lane, int lanes) const { return Decide{edges, largest, key}(i, lane, lanes); }
};
#endif

} // namespace

void maximal_independent_set(const CsrGraph &G, Array<Key> &key, Array<Key> &largest)
{
  // asking the device takes as long as a round with so many nodes, or as some with fewer, of which mostly six are not enough
  constexpr PetscInt few = 200000, together = 6, some_more = 3;
  const Space        space = G.space();
  std::int64_t       left  = G.n;

  largest = Array<Key>(space, G.nodes->nlocal(), unset);
  if (space == Space::Host && G.nodes->size() == 1) {
    OneByOne(G, key, largest).make();
    return;
  }
#if defined(__CUDACC__)
  if (space == Space::Cuda && G.nodes->size() == 1) {
    constexpr PetscInt few_nodes = 100000; // with a lane each a device waits for the longest row

    /* what the last round leaves of largest and key is what the lists below leave */
    all_rounds(G.n, G.uneven ? warp_lanes : G.n <= few_nodes ? few_lanes : 1, Rounds{G.edges, key.data(), largest.data()});
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
