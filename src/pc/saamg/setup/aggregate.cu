#include "core/util/algorithm.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/launch/row_sums.hpp"
#include "parallel/renumber.hpp"
#include "independent_set.hpp"
#include "root_rows.hpp"

namespace goza::saamg {
namespace {

struct MarkRoots {
  const Key      *first, *second;
  const PetscInt *alone; // or null
  PetscInt       *mark;

  HD void operator()(PetscInt i) const { mark[i] = is_root(first[i]) || is_root(second[i]) || (alone && alone[i]); }
};

HD void leave_out(PetscInt i, const PetscInt *alone, PetscInt *degree)
{
  if (alone[i]) degree[i] = 0;
}

HD void number_alone(PetscInt i, const PetscInt *alone, PetscInt begin, const PetscInt *number, NodeIds ids, Member *member)
{
  if (alone[i]) member[i] = {begin + number[i], ids(i)};
}

struct Numbers {
  const Member *joined;
  PetscInt     *aggregate, *name;

  HD void operator()(PetscInt i) const
  {
    aggregate[i] = joined[i].aggregate;
    name[i]      = joined[i].name;
  }
};

/* Every node of an aggregate that knows its name writes the same. */
struct NameAggregates {
  const PetscInt *of_node, *name_of_node;
  PetscInt       *name;

  HD void operator()(PetscInt i) const
  {
    if (of_node[i] >= 0 && name_of_node[i] >= 0) name[of_node[i]] = name_of_node[i];
  }
};

/* Roots of this rank; whether the aggregates are to be boxes of the lattice, and then without the second set. Collective. */
PetscInt roots_here(const CsrGraph &G, const Array<Key> &first, Array<Key> &second, bool *boxes)
{
  const std::vector<std::int64_t> here = joined_rows<Plus, 3, std::int64_t>(G.space(), G.n, CountRoots{first.data(), second.data(), G.ids});
  std::vector<std::int64_t>       n    = here;
  if (G.ids.lattice.known()) G.nodes->sum(n.data(), 3);
  *boxes = are_boxes(G.ids.lattice, n.data());
  if (*boxes) second.zero();
  return static_cast<PetscInt>(here[0] + here[1] + (*boxes ? 0 : here[2]));
}

/* Collective. */
Lattice coarser_lattice(const CsrGraph &G, const Array<PetscInt> &name)
{
  if (!G.ids.lattice.known()) return {};
  std::vector<std::int64_t> total = joined_rows<Plus, 4, std::int64_t>(G.space(), G.n, CountElsewhere{G.ids, name.data()});

  G.nodes->sum(total.data(), 4);
  return coarser_lattice(G.ids.lattice, total.data());
}

template <class Body> void for_each_node(const CsrGraph &G, const Body &body)
{
  if (G.space() == Space::Cuda && G.uneven) for_each_row_by_lanes(G.space(), G.n, body);
  else if (G.space() == Space::Cuda && G.n <= few_joining) for_each_row_by_few_lanes(G.space(), G.n, body);
  else for_each_row(G.space(), G.n, ByLanes<Body>{body});
}

/* Nodes of an uneven graph with more edges have a block each where they look through their neighbours' aggregates: the time that takes grows with the square of
   their number. */
constexpr PetscInt edges_of_warp = 64;

/* JoinMost, and of such a node nothing. */
struct JoinMostOfFew {
  JoinMost body;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    if (body.edges.ptr[i + 1] - body.edges.ptr[i] <= edges_of_warp) body(i, lane, lanes);
  }
};

#if defined(__CUDACC__)
constexpr int join_threads = 256, nodes_of_block = 32;

/* What JoinMost makes of such nodes, whose graph has no lattice. */
struct JoinMostOfMany {
  Edges         edges;
  StrongLinks   strong_links;
  const Member *member;
  Member       *joined;

  struct Found {
    Member   member;
    PetscInt edges;

    __device__ void take(const Found &other)
    {
      if (other.edges > edges || (other.edges == edges && other.member.aggregate >= 0 && other.member.name < member.name)) *this = other;
    }
  };

  /* Of every join_threads-th edge of the node's, from this thread's on. */
  __device__ Found most_edges(PetscInt i, float least) const
  {
    Found best{{-1, -1}, 0};

    for (PetscInt p = edges.ptr[i] + threadIdx.x; p < edges.ptr[i + 1]; p += join_threads) {
      const Member a = member[edges.col[p]];
      Found        found{a, 0};

      if (a.aggregate < 0 || a.aggregate == best.member.aggregate || !strong_links.hold(p, least)) continue;
      for (PetscInt q = edges.ptr[i]; q < edges.ptr[i + 1]; q++) found.edges += member[edges.col[q]].aggregate == a.aggregate && strong_links.hold(q, least);
      best.take(found);
    }
    return best;
  }
};

__global__ void __launch_bounds__(join_threads) JoinMostKernel(PetscInt n, JoinMostOfMany body)
{
  __shared__ JoinMostOfMany::Found found[join_threads];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * nodes_of_block, end = first + nodes_of_block < n ? first + nodes_of_block : n;

  for (PetscInt i = static_cast<PetscInt>(first); i < end; i++) {
    if (body.edges.ptr[i + 1] - body.edges.ptr[i] <= edges_of_warp) continue;
    Member      best    = body.member[i];
    const float weakest = best.aggregate < 0 && body.edges.coupled(i) ? body.strong_links.least(body.edges, i, threadIdx.x % warp_lanes, warp_lanes) : 0;

    for (float least = weakest; best.aggregate < 0 && body.edges.coupled(i); least = 0) {
      found[threadIdx.x] = body.most_edges(i, least);
      __syncthreads();
      for (int step = join_threads / 2; step; step /= 2) {
        if (static_cast<int>(threadIdx.x) < step) found[threadIdx.x].take(found[threadIdx.x + step]);
        __syncthreads();
      }
      best = found[0].member;
      __syncthreads();
      if (least == 0) break;
    }
    if (threadIdx.x == 0) body.joined[i] = best;
  }
}
#endif

void join_most(const CsrGraph &G, const JoinMost &body)
{
#if defined(__CUDACC__)
  if (G.space() == Space::Cuda && G.uneven && !G.ids.lattice.known()) {
    for_each_node(G, JoinMostOfFew{body});
    if (G.n)
      launch_kernel<JoinMostKernel>(blocks_for(G.n, nodes_of_block), join_threads, G.n,
                                    JoinMostOfMany{body.edges, body.strong_links, body.member, body.joined});
    return;
  }
#endif
  for_each_node(G, body);
}

/* The second set: `first` are the largest keys of the first one. */
void second_roots(const CsrGraph &G, const Array<Key> &first, Array<Key> &second)
{
  Array<Key> largest;

  for_each_node(G, SecondKeys{G.ids, G.edges, first.data(), second.data()});
  maximal_independent_set(G, second, largest);
  if (G.borrowed) for_each_node(G, KeepLargeRoots<EntryWeight>{G.edges, G.entry, first.data(), second.data()});
  else for_each_node(G, KeepLargeRoots<StoredWeight>{G.edges, {G.weight.data()}, first.data(), second.data()});
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

PetscInt aggregates_owned(const LocalColumns &nodes, std::int64_t total, PetscInt rooted, PetscInt least)
{
  const std::int64_t size = nodes.size();

  if (size == 1 || total >= least * size) return rooted;
  const std::int64_t few = PetscMax(1, total / least);

  /* share s goes to rank s size / few, near the ranks that its roots were on */
  for (std::int64_t s = 0; s < few; s++)
    if (s * size / few == nodes.rank()) return static_cast<PetscInt>((s + 1) * total / few - s * total / few);
  return 0;
}

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
  Array<PetscInt>  all(space, map.nlocal());

  all.zero();
  for_each_row(space, static_cast<PetscInt>(aggregates.name.size()), NameAggregates{aggregates.of_node.data(), aggregates.name.data(), all.data()});
  if (map.size() == 1) return all;
  Array<PetscInt> name(space, aggregates.n);

  map.largest_of_ghosts(all.data() + aggregates.n, all.data());
  if (aggregates.n) name.copy_from(all.data(), aggregates.n);
  return name;
}

void set_alone(CsrGraph &G, Array<PetscInt> marked)
{
  for_each_row(G.space(), G.nodes->nlocal(), bound<leave_out>(marked.data(), G.degree.data()));
  G.alone = std::move(marked);
}

CsrAggregates of_members(const CsrGraph &G, const Array<Member> &member, const LocalColumns &roots, PetscInt least)
{
  const Space      space = G.space();
  const ColumnMap &nodes = *G.nodes;
  Array<PetscInt>  of_node(space, nodes.nlocal()), name(space, G.n);

  for_each_row(space, G.n, Numbers{member.data(), of_node.data(), name.data()});
  nodes.update(of_node);
  const Lattice lattice = coarser_lattice(G, name);

  return numbered_locally(LocalColumns(nodes.comm(), aggregates_owned(nodes, roots.nglobal(), roots.n(), least), space), std::move(of_node), std::move(name),
                          lattice);
}

static CsrAggregates aggregate(const CsrGraph &G, PetscInt least, bool first_alone)
{
  const Space      space  = G.space();
  const ColumnMap &nodes  = *G.nodes;
  const PetscInt   nlocal = nodes.nlocal();
  Array<Key>       key(space, nlocal, unset), second(space, nlocal, unset), first;
  Array<PetscInt>  number(space, G.n + 1, unset);
  Array<Member>    of_root(space, nlocal, unset), joined(space, nlocal, unset);
  const auto       update = [&](Array<Member> &members) { nodes.update(reinterpret_cast<PetscInt *>(members.data()), 2); };

  for_each_row(space, G.n, FirstKeys{G.ids, G.edges, key.data()});
  maximal_independent_set(G, key, first);
  if (first_alone) second.zero();
  else second_roots(G, first, second);

  bool     boxes;
  PetscInt rooted = roots_here(G, key, second, &boxes);

  if (G.alone.size()) rooted += static_cast<PetscInt>(joined_rows<Plus, 1, std::int64_t>(space, G.n, bound<count_marked>(G.alone.data()))[0]);
  for_each_row(space, G.n, MarkRoots{key.data(), second.data(), G.alone.size() ? G.alone.data() : nullptr, number.data()});
  scan_lengths(space, number.data(), number);
  const LocalColumns roots(nodes.comm(), rooted, space);
  const PetscInt     begin = roots.start();

  for_each_row(space, G.n, NumberRoots{key.data(), second.data(), begin, number.data(), G.ids, joined.data()});
  for_each_row(space, G.n, NumberRoots{key.data(), nullptr, begin, number.data(), G.ids, of_root.data()});
  update(of_root);
  for_each_node(G, JoinRoot{G.edges, G.strong_links, of_root.data(), first.data(), false, joined.data()});
  for_each_row(space, G.n, NumberRoots{second.data(), nullptr, begin, number.data(), G.ids, of_root.data()});
  update(of_root);
  for_each_node(G, JoinRoot{G.edges, G.strong_links, of_root.data(), first.data(), true, joined.data()});
  const bool all_strong = G.strong_links.share == 0;

  /* a node whose neighbours had all left their roots finds them in aggregates the second time */
  for (int pass = all_strong ? 1 : 0; pass < 2; pass++) {
    update(joined);
    join_most(G, {G.edges, G.strong_links, G.ids, boxes, joined.data(), of_root.data()});
    joined.swap(of_root);
  }
  if (G.alone.size()) for_each_row(space, G.n, bound<number_alone>(G.alone.data(), begin, number.data(), G.ids, joined.data()));
  CsrAggregates aggregates = of_members(G, joined, roots, least);

  aggregates.even = boxes;
  return aggregates;
}

CsrAggregates aggregate(const CsrGraph &G, PetscInt least) { return aggregate(G, least, false); }

CsrAggregates aggregate_around_first_roots(const CsrGraph &G, PetscInt least) { return aggregate(G, least, true); }

Array<PetscInt> aggregate_of_columns(const CsrGraph &G, const CsrAggregates &aggregates, const LocalColumns &columns, PetscInt bs)
{
  Array<PetscInt> of_column(columns.space(), columns.nlocal(), unset);

  for_each_row(columns.space(), columns.nlocal(),
               OfColumn{bs, G.n, G.nodes->nlocal(), G.node_of_ghost_column.data(), aggregates.of_node.data(), of_column.data()});
  return of_column;
}

} // namespace goza::saamg
