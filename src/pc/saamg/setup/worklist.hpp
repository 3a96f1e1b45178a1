/* The nodes that the rounds of an independent set have still to decide about. For .cu files. */
#pragma once
#include "core/util/algorithm.hpp"
#include "core/launch/for_each_row.hpp"
#include "aggregate_rows.hpp"
#include <utility>

namespace goza::saamg
{

/* The nodes of a list whose key is undecided. Only the space of the graph knows how many are left; the host asks now and then. In which order they stand does not
   matter: what a round does to a node depends on the round before only. */
using Count = unsigned long long;

struct KeepUndecided {
  const PetscInt *list; // null: all nodes
  const Count    *count;
  const Key      *key;
  PetscInt       *kept;
  Count          *nkept, *next; // next: for the call after this, to be cleared

  HD bool keeps(std::int64_t k, PetscInt *i) const
  {
    if (list && static_cast<Count>(k) >= *count) return false;
    *i = list ? list[k] : static_cast<PetscInt>(k);
    return is_undecided(key[*i]);
  }

  void operator()(PetscInt k) const
  {
    PetscInt i;

    if (keeps(k, &i)) kept[(*nkept)++] = i;
  }
};

#if defined(__CUDACC__)
constexpr int keep_threads = 256, keep_each = 8; // nodes to a thread

/* One addition to the common counter for all nodes of a block. */
static __global__ void __launch_bounds__(keep_threads) KeepKernel(PetscInt n, KeepUndecided body)
{
  __shared__ unsigned before[keep_threads / 32];
  __shared__ Count    begin;
  const int           lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t  first = static_cast<std::int64_t>(blockIdx.x) * (keep_threads * keep_each) + threadIdx.x;
  PetscInt            node[keep_each];
  unsigned            mask[keep_each], mine = 0;

  if (first == 0) *body.next = 0;
  for (int e = 0; e < keep_each; e++) {
    const std::int64_t k = first + e * keep_threads;

    mask[e] = __ballot_sync(0xffffffffu, k < n && body.keeps(k, node + e));
    mine += __popc(mask[e]);
  }
  if (lane == 0) before[warp] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned total = 0;

    for (unsigned &b : before) {
      const unsigned here = b;

      b = total;
      total += here;
    }
    begin = total ? atomicAdd(body.nkept, static_cast<Count>(total)) : 0;
  }
  __syncthreads();
  PetscInt *to = body.kept + begin + before[warp];

  for (int e = 0; e < keep_each; e++) {
    if (mask[e] >> lane & 1) to[__popc(mask[e] & ((1u << lane) - 1))] = node[e];
    to += __popc(mask[e]);
  }
}
#endif

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
  static constexpr int counters = 3; // zero at the beginning

  Worklist(Space space, PetscInt n, const Array<Key> &key, Count *counts) :
    list_(space, n), spare_(space, n), bound_(n), now_(counts), next_(counts + 1), later_(counts + 2)
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
    const KeepUndecided body{list, now_, key.data(), spare_.data(), next_, later_};

#if defined(__CUDACC__)
    if (list_.space() == Space::Cuda) launch_kernel<KeepKernel>(blocks_for(PetscMax(bound_, 1), keep_threads * keep_each), keep_threads, bound_, body);
#endif
    if (list_.space() == Space::Host) {
      *later_ = 0;
      for (PetscInt k = 0; k < bound_; k++) body(k);
    }
    list_.swap(spare_);
    std::swap(now_, next_);
    std::swap(next_, later_);
  }

  Array<PetscInt> list_, spare_;
  PetscInt        bound_; // no fewer than are listed
  Count          *now_, *next_, *later_;
};

} // namespace goza::saamg
