/* The steps of aggregate() one after the other in one kernel, whose blocks wait for one another in between: of small graphs a launch a step takes longer than
   what they do, and so does the host that looks how far they are. */
#include "aggregate_at_once.hpp"
#include "all_rounds.hpp"
#include "core/device/whole_grid.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/launch/scan_block.hpp"
#include "root_rows.hpp"

namespace goza::saamg {

#if defined(__CUDACC__)
namespace {

constexpr int join_lanes = few_lanes; // a node, where it looks through its neighbours' aggregates

enum Counts {
  of_roots     = 0, // CountRoots
  of_elsewhere = 3, // CountElsewhere
  counts       = 7
};

/* What comes out stands in of_node and name. before: [blocks][2] roots of the first and of the second set among a block's nodes */
template <class Weight> struct AtOnce {
  PetscInt      n;
  bool          first_alone; // no roots of the second set
  NodeIds       ids;
  Edges         edges;
  StrongLinks   strong_links;
  Weight        weight;
  Key          *key, *second, *first, *largest; // first, largest: the largest keys around, of either set
  Member       *joined, *of_root;
  PetscInt     *of_node, *name, *before;
  unsigned     *open;
  std::int64_t *count;
};

template <int K> __device__ void add_counts(const std::int64_t *mine, std::int64_t *count)
{
  for (int k = 0; k < K; k++) {
    std::int64_t sum = mine[k];

    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0 && sum) atomicAdd(reinterpret_cast<unsigned long long *>(count + k), static_cast<unsigned long long>(sum));
  }
}

/* Each block has a run of nodes, whose roots it counts first. */
template <class Weight> struct Runs {
  const AtOnce<Weight> &a;
  std::int64_t          begin, end;

  __device__ explicit Runs(const AtOnce<Weight> &all) : a(all)
  {
    const std::int64_t each = (a.n + gridDim.x - 1) / gridDim.x;

    begin = blockIdx.x * each;
    end   = begin + each < a.n ? begin + each : a.n;
  }

  __device__ void count_roots() const
  {
    const KeepLargeRoots<Weight> keep{a.edges, a.weight, a.first, a.second};
    const CountRoots             look{a.key, a.second, a.ids};
    std::int64_t                 mine[3] = {0, 0, 0};

    for (std::int64_t i = begin + threadIdx.x / join_lanes; i < end; i += at_once_threads / join_lanes) {
      keep(static_cast<PetscInt>(i), threadIdx.x % join_lanes, join_lanes);
      if (threadIdx.x % join_lanes == 0) look(static_cast<PetscInt>(i), mine);
    }
    PetscInt       of_first = static_cast<PetscInt>(mine[0] + mine[1]), of_second = static_cast<PetscInt>(mine[2]);
    const PetscInt all_first = scan_block<at_once_threads>(&of_first), all_second = scan_block<at_once_threads>(&of_second);

    if (threadIdx.x == 0) {
      a.before[2 * blockIdx.x]     = all_first;
      a.before[2 * blockIdx.x + 1] = all_second;
    }
    add_counts<3>(mine, a.count + of_roots);
  }

  /* The roots become members of their aggregates, which have numbers in the order of the roots. */
  __device__ void number_roots(bool boxes) const
  {
    PetscInt number = 0;

    for (unsigned block = threadIdx.x; block < blockIdx.x; block += at_once_threads) number += a.before[2 * block] + (boxes ? 0 : a.before[2 * block + 1]);
    number = scan_block<at_once_threads>(&number);
    for (std::int64_t from = begin; from < end; from += at_once_threads) {
      const std::int64_t i     = from + threadIdx.x;
      const bool         there = i < end, first = there && is_root(a.key[i]), root = first || (there && !boxes && is_root(a.second[i]));
      PetscInt           place = root;
      const PetscInt     all   = scan_block<at_once_threads>(&place);
      const Member       mine  = root ? Member{number + place, a.ids(static_cast<PetscInt>(i))} : Member{-1, -1};

      number += all;
      if (!there) continue;
      a.joined[i]  = mine;
      a.of_root[i] = first ? mine : Member{-1, -1};
    }
  }
};

template <class Weight, class Body> __device__ void each_node(const AtOnce<Weight> &a, const Body &body)
{
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * at_once_threads + threadIdx.x; i < a.n; i += gridDim.x * at_once_threads)
    body(static_cast<PetscInt>(i));
}

template <class Weight, class Body> __device__ void each_node_by_lanes(const AtOnce<Weight> &a, const Body &body)
{
  for (std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * at_once_threads + threadIdx.x) / join_lanes; i < a.n;
       i += gridDim.x * (at_once_threads / join_lanes))
    body(static_cast<PetscInt>(i), threadIdx.x % join_lanes, join_lanes);
}

/* Nodes join their aggregates. */
template <class Weight> __device__ void join_nodes(const AtOnce<Weight> &a, bool boxes)
{
  const auto grid   = cooperative_groups::this_grid();
  Member    *joined = a.joined, *next = a.of_root;

  each_node_by_lanes(a, JoinRoot{a.edges, a.strong_links, a.of_root, a.first, false, a.joined});
  grid.sync();
  each_node(a, [&](PetscInt i) { a.of_root[i] = !boxes && is_root(a.second[i]) ? a.joined[i] : Member{-1, -1}; });
  grid.sync();
  each_node_by_lanes(a, JoinRoot{a.edges, a.strong_links, a.of_root, a.first, true, a.joined});
  grid.sync();
  /* a node whose neighbours had all left their roots finds them in aggregates the second time */
  for (int pass = a.strong_links.share == 0 ? 1 : 0; pass < 2; pass++) {
    each_node_by_lanes(a, JoinMost{a.edges, a.strong_links, a.ids, boxes, joined, next});
    grid.sync();
    Member *const other = joined;

    joined = next;
    next   = other;
  }
  std::int64_t mine[4] = {0, 0, 0, 0};

  each_node(a, [&](PetscInt i) {
    a.of_node[i] = joined[i].aggregate;
    a.name[i]    = joined[i].name;
    if (a.ids.lattice.known()) CountElsewhere{a.ids, a.name}(i, mine);
  });
  add_counts<4>(mine, a.count + of_elsewhere);
}

template <int lanes, class Weight>
__global__ void __launch_bounds__(at_once_threads, 2) AggregateKernel(const __grid_constant__ AtOnce<Weight> a, std::int64_t *result, device::ToldAt told)
{
  const auto         grid = cooperative_groups::this_grid();
  const Runs<Weight> runs(a);

  if (blockIdx.x == 0 && threadIdx.x < counts) a.count[threadIdx.x] = 0;
  each_node(a, FirstKeys{a.ids, a.edges, a.key});
  grid.sync();
  all_rounds<lanes>(a.n, a.edges, a.key, a.first, a.open);
  if (a.first_alone) {
    each_node(a, [&](PetscInt i) { a.second[i] = 0; });
    grid.sync();
  } else {
    each_node_by_lanes(a, SecondKeys{a.ids, a.edges, a.first, a.second});
    grid.sync();
    all_rounds<lanes>(a.n, a.edges, a.second, a.largest, a.open);
  }
  runs.count_roots();
  grid.sync();
  const bool boxes = are_boxes(a.ids.lattice, a.count + of_roots);

  runs.number_roots(boxes);
  grid.sync();
  join_nodes(a, boxes);
  grid.sync();
  if (blockIdx.x) return;
  if (threadIdx.x < counts) result[threadIdx.x] = fresh(a.count + threadIdx.x);
  device::tell(told);
}

template <class Weight>
std::vector<std::int64_t> run_at_once(const CsrGraph &G, bool first_alone, const Weight &weight, Array<PetscInt> &of_node, Array<PetscInt> &name)
{
  constexpr unsigned   most_blocks = 512; // the more there are, the longer they wait for one another
  const Space          space       = G.space();
  const unsigned       blocks      = PetscMin(blocks_for(G.n, at_once_threads / join_lanes), most_blocks);
  Array<Key>           keys(space, 4 * static_cast<std::size_t>(G.n), unset);
  Array<Member>        members(space, 2 * static_cast<std::size_t>(G.n), unset);
  Array<PetscInt>      before(space, 2 * blocks, unset);
  Array<unsigned>      open(space, rounds_kept, unset);
  Array<std::int64_t>  count(space, counts, unset);
  Key *const           key = keys.data();
  const AtOnce<Weight> all{G.n,           first_alone,   G.ids,         G.edges,        G.strong_links,       weight,         key,
                           key + G.n,     key + 2 * G.n, key + 3 * G.n, members.data(), members.data() + G.n, of_node.data(), name.data(),
                           before.data(), open.data(),   count.data()};

  return told_values<std::int64_t>(space, counts, [&](std::int64_t *result, const device::ToldAt &told) {
    if (G.long_rows()) launch_whole_grid<AggregateKernel<warp_lanes, Weight>>(blocks, at_once_threads, all, result, told);
    else launch_whole_grid<AggregateKernel<few_lanes, Weight>>(blocks, at_once_threads, all, result, told);
  });
}

} // namespace
#endif

bool aggregate_at_once([[maybe_unused]] const CsrGraph &G, [[maybe_unused]] bool first_alone, [[maybe_unused]] CsrAggregates &found)
{
#if defined(__CUDACC__)
  if (G.space() != Space::Cuda || G.nodes->size() > 1 || !G.n || G.n > few_nodes) return false;
  Array<PetscInt>                 of_node(G.space(), G.n, unset), name(G.space(), G.n, unset);
  const std::vector<std::int64_t> n       = G.borrowed ? run_at_once(G, first_alone, G.entry, of_node, name)
                                                       : run_at_once(G, first_alone, StoredWeight{G.weight.data()}, of_node, name);
  const bool                      boxes   = are_boxes(G.ids.lattice, n.data() + of_roots);
  const std::int64_t              roots   = n[of_roots] + n[of_roots + 1] + (boxes ? 0 : n[of_roots + 2]);
  const Lattice                   lattice = G.ids.lattice.known() ? coarser_lattice(G.ids.lattice, n.data() + of_elsewhere) : Lattice();

  found = numbered_locally(LocalColumns(G.nodes->comm(), static_cast<PetscInt>(roots), G.space()), std::move(of_node), std::move(name), lattice);
  return true;
#else
  return false;
#endif
}

} // namespace goza::saamg
