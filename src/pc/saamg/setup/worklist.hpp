/* The nodes that the rounds of an independent set have still to do with. For .cu files. */
#pragma once
#include "core/launch/for_each_row.hpp"
#include "aggregate_rows.hpp"
#include "tuning.hpp"
#include <utility>

namespace goza::saamg {

/* Only the space of the graph knows how many are left; the host asks now and then. In which order they stand does not matter: what a round does to a node
   depends on the round before only. */
using Count = unsigned long long;

/* body(i, lane, lanes): what falls to a lane of a node's share of a round; whether the node stays. */
template <class Body> struct ListedRound {
  const PetscInt *list; // null: all nodes
  const Count    *count;
  Body            body;
  PetscInt       *kept;
  Count          *nkept, *next; // next: for the round after this, to be cleared

  HD bool keeps(std::int64_t k, PetscInt *i, int lane = 0, int lanes = 1) const
  {
    if (list && static_cast<Count>(k) >= *count) return false;
    *i = list ? list[k] : static_cast<PetscInt>(k);
    return body(*i, lane, lanes);
  }

  void operator()(PetscInt k) const
  {
    PetscInt i;

    if (keeps(k, &i)) kept[(*nkept)++] = i;
  }
};

#if defined(__CUDACC__)
constexpr int round_threads = 256;

/* A thread a node, or a warp. One addition to the common counter for all nodes of a block. */
template <int lanes, class Body> __global__ void __launch_bounds__(round_threads) RoundKernel(PetscInt n, const __grid_constant__ ListedRound<Body> round)
{
  __shared__ unsigned before[round_threads / 32];
  __shared__ Count    begin;
  const int           lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t  k = (static_cast<std::int64_t>(blockIdx.x) * round_threads + threadIdx.x) / lanes;
  PetscInt            node;

  if (k == 0) *round.next = 0;
  const bool     stays = k < n && round.keeps(k, &node, lane % lanes, lanes);
  const unsigned stay  = __ballot_sync(0xffffffffu, stays && lane % lanes == 0);

  if (lane == 0) before[warp] = __popc(stay);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned total = 0;

    for (unsigned &b : before) {
      const unsigned here = b;

      b = total;
      total += here;
    }
    begin = total ? atomicAdd(round.nkept, static_cast<Count>(total)) : 0;
  }
  __syncthreads();
  if (stay >> lane & 1) round.kept[begin + before[warp] + __popc(stay & ((1u << lane) - 1))] = node;
}
#endif

class Worklist {
public:
  static constexpr int counters = 3; // zero at the beginning

  /* long_rows: of edges that a node looks at */
  Worklist(Space space, PetscInt n, bool long_rows, Count *counts) :
    list_(space, n), spare_(space, n), bound_(n), long_rows_(long_rows), now_(counts), next_(counts + 1), later_(counts + 2)
  {
  }

  /* The first is for all nodes, each other one for those that stayed. */
  template <class Body> void round(const Body &body)
  {
    const ListedRound<Body> all{begun_ ? list_.data() : nullptr, now_, body, spare_.data(), next_, later_};

#if defined(__CUDACC__)
    if (list_.space() == Space::Cuda) {
      if (long_rows_ && bound_ <= few_nodes)
        launch_kernel<RoundKernel<warp_lanes, Body>>(blocks_for(PetscMax(bound_, 1), round_threads / warp_lanes), round_threads, bound_, all);
      else launch_kernel<RoundKernel<1, Body>>(blocks_for(PetscMax(bound_, 1), round_threads), round_threads, bound_, all);
    }
#endif
    if (list_.space() == Space::Host) {
      *later_ = 0;
      for (PetscInt k = 0; k < bound_; k++) all(k);
    }
    list_.swap(spare_);
    std::swap(now_, next_);
    std::swap(next_, later_);
    begun_ = true;
  }
  const Count *count() const { return now_; }
  void         bound(Count n) { bound_ = static_cast<PetscInt>(n); }

private:
  Array<PetscInt> list_, spare_;
  PetscInt        bound_; // no fewer than are listed
  bool            long_rows_, begun_ = false;
  Count          *now_, *next_, *later_;
};

} // namespace goza::saamg
