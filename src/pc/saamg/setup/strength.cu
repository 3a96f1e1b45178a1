#include "core/util/algorithm.hpp"
#include "parallel/node_columns.hpp"
#include "parallel/par_csr.hpp"
#include "parallel/summed_rows.hpp"
#include "core/sparse/csr_pattern.hpp"
#include "core/sparse/full_blocks.hpp"
#include "core/launch/row_sums.hpp"
#include "core/launch/staged_rows.hpp"
#include "graph.hpp"
#include "pc/saamg/smoother/node_blocks.hpp"
#include "prolong_rows.hpp"

namespace goza::saamg {
namespace {

/* The union of a graph and its transpose. */
struct UnionRows {
  const PetscInt *ptr, *col, *tptr, *tcol;

  HD PetscInt bound(PetscInt i) const { return ptr[i + 1] - ptr[i] + tptr[i + 1] - tptr[i]; }

  template <class F> HD void visit(PetscInt i, int lane, int lanes, F f) const
  {
    for (PetscInt p = ptr[i] + lane; p < ptr[i + 1]; p += lanes) f(col[p]);
    for (PetscInt p = tptr[i] + lane; p < tptr[i + 1]; p += lanes) f(tcol[p]);
  }
};

/* The larger weight of the two directions. */
struct UnionWeight {
  Csr             G, T;
  const PetscInt *ptr, *col;
  float          *weight;
  PetscInt       *degree;

  HD void operator()(PetscInt i) const
  {
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      const PetscReal a = find(G, i, col[p]), b = find(T, i, col[p]);

      weight[p] = static_cast<float>(a > b ? a : b);
    }
    degree[i] = ptr[i + 1] - ptr[i];
  }

private:
  HD static PetscReal find(const Csr &M, PetscInt i, PetscInt j)
  {
    PetscInt low = M.ptr[i], high = M.ptr[i + 1];

    while (low < high) {
      const PetscInt middle = low + (high - low) / 2;

      if (M.col[middle] < j) low = middle + 1;
      else high = middle;
    }
    return low < M.ptr[i + 1] && M.col[low] == j ? PetscRealPart(M.val[low]) : 0;
  }
};

HD void to_value(PetscInt p, const float *weight, PetscScalar *val) { val[p] = weight[p]; }

void symmetrize(CsrGraph &G)
{
  const Space     space = G.space();
  const PetscInt  nnz   = static_cast<PetscInt>(G.col.size());
  CsrMatrix       W(space, G.n, G.nodes->nlocal());
  Array<PetscInt> ptr, col;
  MapPtr          columns;

  W.ptr = std::move(G.ptr);
  W.col = std::move(G.col);
  W.val = Array<PetscScalar>(space, nnz);
  for_each_row(space, nnz, bound<to_value>(G.weight.data(), W.val.data()));
  CsrMatrix T = transpose(W.view(), *G.nodes, G.nodes, columns);
  G.nodes     = join_maps(W, *G.nodes, T, *columns);
  find_pattern(space, G.n, G.nodes->nlocal(), UnionRows{W.ptr.data(), W.col.data(), T.ptr.data(), T.col.data()}, true, ptr, col);
  G.weight = Array<float>(space, col.size());
  G.degree = Array<PetscInt>(space, G.nodes->nlocal());
  for_each_row(space, G.n, UnionWeight{W.view(), T.view(), ptr.data(), col.data(), G.weight.data(), G.degree.data()});
  G.nodes->update(G.degree);
  G.ptr      = std::move(ptr);
  G.col      = std::move(col);
  G.filtered = Array<PetscInt>();
}

/* Writes what FillStrong writes of a matrix without blocks, some lanes a row, so that a warp writes words that lie together; and how many entries FilteredRow
   leaves of the row. */
template <int lanes> struct FillEdges {
  FillStrong fill;
  PetscInt  *filtered;

#if defined(__CUDACC__)
  __device__ void operator()(PetscInt k, int lane) const
  {
    const AijRowsView &A     = fill.A.A;
    const int          first = lane / lanes * lanes;
    const std::int64_t row   = static_cast<std::int64_t>(k) * (32 / lanes) + lane / lanes;
    const unsigned     group = lanes_of_row(lanes), before = group & ((1u << lane) - 1);

    if (row >= A.nrows) return;
    const PetscInt i = static_cast<PetscInt>(row), begin = A.dptr[i], end = A.dptr[i + 1];
    PetscInt       p = fill.ptr[i], own = 0;
    FilteredSums   sums;

    for (PetscInt q = begin + lane - first; q - lane + first < end; q += lanes) {
      const PetscInt    j    = q < end ? A.dcol[q] : i;
      const PetscScalar a    = q < end ? A.dval[q] : PetscScalar(0);
      float             w    = 0;
      bool              edge = j != i && fill.count[j];

      if (edge) {
        const PetscReal norm2 = PetscRealPart(a * PetscConj(a));

        w    = fill.measure(i, j, norm2);
        edge = fill.A.counts(i, j, a) && fill.measure.strong(i, j, norm2);
      }
      own += q < end && j == i;
      sums.add(a, j == i, edge || j == i);
      const unsigned edges = __ballot_sync(group, edge);

      if (edge) {
        const PetscInt to = p + __popc(edges & before);

        fill.col[to]    = j;
        fill.weight[to] = w;
      }
      p += __popc(edges & group);
    }
    own            = sum_of_lanes(own, lanes);
    const bool all = sums.of_lanes(lanes).keeps_all();

    if (lane == first) filtered[i] = all ? end - begin : p - fill.ptr[i] + own;
  }
#endif
};

bool long_rows(const Csr &A) { return entries(A) > static_cast<std::int64_t>(warp_lanes) * A.nrows; }

void fill_edges(const Csr &A, PetscInt unit, const FillStrong &fill, [[maybe_unused]] CsrGraph &G)
{
#if defined(__CUDACC__)
  constexpr PetscInt rows = 32 / few_lanes;

  if (A.space == Space::Cuda && unit == 1) {
    G.filtered = Array<PetscInt>(A.space, G.n + 1, unset);
    if (long_rows(A)) for_each_warp(G.n, FillEdges<warp_lanes>{fill, G.filtered.data()});
    else for_each_warp(G.n / rows + (G.n % rows > 0), FillEdges<few_lanes>{fill, G.filtered.data()});
    return;
  }
#endif
  for_each_csr_row(A, unit, fill);
}

HD void sum_findings(PetscInt i, std::uint64_t *sum, const std::uint64_t *check, const std::int64_t *weak)
{
  sum[0] += check[i];
  sum[1] += static_cast<std::uint64_t>(weak[i] > 0 ? weak[i] : 0);
  sum[2] += weak[i] == FillStrong::no_edge;
}

HD void size_of_inverse(PetscInt i, const PetscScalar *dinv, PetscReal *rdiag) { rdiag[i] = PetscAbsScalar(dinv[i]); }

/* Of threshold 0 a node has strong edges where its row has entries. */
HD void guess_strong(PetscInt i, const unsigned char *isolated, PetscInt *count) { count[i] = !isolated || !isolated[i]; }

CsrMatrix norms_of_nodes(const Csr &A, const LocalColumns &columns, PetscInt bs, const BlockPatternPtr &known)
{
  if (bs == 1 || columns.nghost() % bs) return CsrMatrix();
  for (PetscInt g = 0; g < columns.nghost(); g++) {
    const PetscInt first = g - g % bs;

    if (columns.ghosts()[g] % bs != g % bs || columns.ghosts()[g] / bs != columns.ghosts()[first] / bs) return CsrMatrix();
  }
  return known ? block_norms(A, *known) : norms_of_blocks(A, bs);
}

/* As many edges as there may be, to be written while they are counted, on a host. */
void hold_all_edges(const Csr &rows, FillStrong &fill, CsrGraph &G)
{
  G.ptr         = Array<PetscInt>(Space::Host, G.n + 1, unset);
  G.col         = Array<PetscInt>(Space::Host, entries(rows), unset);
  G.weight      = Array<float>(Space::Host, entries(rows), unset);
  *G.ptr.data() = 0;
  fill.ptr      = G.ptr.data();
  fill.end      = G.ptr.data() + 1;
  fill.col      = G.col.data();
  fill.weight   = G.weight.data();
}

/* For `fill`, to live as long. Nothing on a device, where to compute them again is faster than to read them. */
Array<std::uint64_t> hashes_of_nodes(FillStrong &fill, const ColumnMap &nodes)
{
  Array<std::uint64_t> hash(nodes.space(), nodes.space() == Space::Host ? nodes.nlocal() : 0, unset);

  for_each_row(nodes.space(), static_cast<PetscInt>(hash.size()), bound<hash_nodes>(fill, hash.data()));
  fill.hash = hash.data();
  return hash;
}

HD void number_of_entry(PetscInt, const PetscInt *from, std::uint64_t *to) { *to = static_cast<std::uint64_t>(*from); }

/* Where the edges will be, of degrees that are counted. */
void place_edges(CsrGraph &G)
{
  G.ptr = Array<PetscInt>(G.space(), G.n + 1, unset);
  scan_lengths(G.space(), G.degree.data(), G.ptr);
}

template <class Body> void for_each_row_of(const Csr &rows, PetscInt unit, const Body &body)
{
  if (unit == 1 && long_rows(rows)) for_each_row_by_lanes(rows.space, rows.nrows, body);
  else if (unit == 1) for_each_row_by_few_lanes(rows.space, rows.nrows, body);
  else for_each_csr_row(rows, unit, body);
}

/* Degrees, and the findings of all ranks. listed: the edges will be, and then behind the findings is how many they are on this rank, and they have places.
   guess: what is known where strong entries need not be counted, but for nodes whose entries turn out to be no edges. */
std::vector<std::uint64_t> count_edges(const Csr &rows, const FillStrong &fill, const KnownRows *guess, bool listed, const LocalColumns &columns,
                                       Array<PetscInt> &count, CsrGraph &G)
{
  const Space          space = rows.space;
  const PetscInt       unit  = fill.A.bs;
  Array<std::uint64_t> sums(space, 4);

  for (;; guess = nullptr) {
    if (guess) for_each_row(space, G.n, bound<guess_strong>(guess->isolated, count.data()));
    else for_each_row_of(rows, unit, CountStrong{fill.A, fill.measure, count.data()});
    G.nodes->update(count);
    for_each_row_of(rows, unit, fill);
    join_rows<Plus, 3>(space, G.n, bound<sum_findings>(fill.check, fill.weak), sums.data());
    if (listed && !fill.end) {
      place_edges(G);
      for_each_row(space, 1, bound<number_of_entry>(G.ptr.data() + G.n, sums.data() + 3));
    }
    std::vector<std::uint64_t> found = sums.to_host();
    columns.sum(found.data(), 3);
    if (!found[2]) return found;
  }
}

/* The edges of G; nedges: of this rank, -1 where they have no places yet. */
void list_edges(const Csr &rows, PetscInt unit, FillStrong fill, PetscInt nedges, CsrGraph &G)
{
  if (fill.end) {
    G.col.shorten(G.ptr.data()[G.n]);
    G.weight.shorten(G.ptr.data()[G.n]);
    return;
  }
  if (nedges < 0) {
    place_edges(G);
    nedges = read_value(rows.space, G.ptr.data() + G.n);
  }
  G.col       = Array<PetscInt>(rows.space, nedges);
  G.weight    = Array<float>(rows.space, nedges);
  fill.ptr    = G.ptr.data();
  fill.col    = G.col.data();
  fill.weight = G.weight.data();
  fill.check  = nullptr;
  if (nedges) fill_edges(rows, unit, fill, G);
}

/* [nodes] What an entry of a row is to come to; nothing where the share is 0. */
Array<PetscReal> least_strong(const Csr &rows, const BlockRows &blocks, const Measure &measure, PetscReal share, const ColumnMap &nodes)
{
  Array<PetscReal> least(rows.space, share > 0 ? nodes.nlocal() : 0);

  if (share == 0) return least;
  for_each_csr_row(rows, blocks.bs, LeastStrong{blocks, measure, static_cast<float>(PetscSqr(share)), least.data()});
  nodes.update(least);
  return least;
}

} // namespace

NodeRows::NodeRows(const Csr &A, const LocalColumns &columns, PetscInt bs, const BlockPatternPtr &known) :
  norms(norms_of_nodes(A, columns, bs, known)),
  rows(norms.ptr.size() ? norms.view() : A),
  unit(norms.ptr.size() ? 1 : bs),
  place(A.space, unit > 1 ? A.nrows : 0, unset)
{
}

CsrGraph strength_graph(const Csr &A, const MapPtr &columns, PetscInt bs, const Strength &strength, const PetscInt *name, const Lattice &lattice,
                        const KnownRows &known)
{
  const Space          space = A.space;
  NodeRows             measured(A, *columns, bs, known.blocks);
  const Csr            rows = measured.rows;
  const PetscInt       unit = measured.unit;
  CsrGraph             G;
  Array<PetscInt>      count;
  Array<std::uint64_t> check(space, A.nrows / bs, unset);
  Array<std::int64_t>  weak(space, A.nrows / bs, unset);

  G.n                    = A.nrows / bs;
  G.nodes                = nodes_of_columns(columns, bs);
  G.ids                  = {name, G.nodes->start(), 1, lattice};
  G.node_of_ghost_column = nodes_of_ghost_columns(*columns, *G.nodes, bs);
  G.rdiag                = Array<PetscReal>(space, G.nodes->nlocal(), unset);
  G.degree               = Array<PetscInt>(space, G.nodes->nlocal(), unset);
  count                  = Array<PetscInt>(space, G.nodes->nlocal(), unset);
  const BlockRows blocks{rows_of(rows), unit, G.n, G.node_of_ghost_column.data(), measured.place.data(), bs == 1 ? strength.diagonal_sign : 0};

  if (bs == 1 && known.dinv) for_each_row(space, G.n, bound<size_of_inverse>(known.dinv, G.rdiag.data()));
  else for_each_csr_row(rows, unit, DiagonalNorm{blocks, G.rdiag.data()});
  G.nodes->update(G.rdiag);
  const Array<PetscReal>     least = least_strong(rows, blocks, {G.rdiag.data(), 0}, strength.share, *G.nodes);
  const Measure              measure{G.rdiag.data(), strength_cut(strength.threshold), strength.share > 0 ? least.data() : nullptr};
  FillStrong                 fill{blocks,  measure,      G.nodes->start(), G.nodes->ghosts_here().data(), count.data(), nullptr, nullptr, G.degree.data(),
                  nullptr, check.data(), weak.data()};
  const Array<std::uint64_t> hash = hashes_of_nodes(fill, *G.nodes);

  const bool lists = !(strength.all() && bs == 1);

  if (space == Space::Host && lists) hold_all_edges(rows, fill, G);
  const std::vector<std::uint64_t> found = count_edges(rows, fill, bs == 1 && known.dinv && strength.threshold == 0 ? &known : nullptr, lists, *columns, count,
                                                       G);
  G.nodes->update(G.degree);
  const bool symmetric = found[0] == 0;

  if (strength.all() && bs == 1 && symmetric && !found[1]) {
    G.borrowed = true;
    G.entry    = {A.val, measure};
    G.edges    = {A.ptr, A.col, G.degree.data()};
    G.nedges   = entries(A);
    return G;
  }
  list_edges(rows, unit, fill, lists ? static_cast<PetscInt>(found[3]) : -1, G);
  if (!symmetric) {
    symmetrize(G);
    G.node_of_ghost_column = nodes_of_ghost_columns(*columns, *G.nodes, bs);
  }
  G.edges  = {G.ptr.data(), G.col.data(), G.degree.data()};
  G.nedges = static_cast<PetscInt>(G.col.size());
  if (strength.threshold > 0) G.strong_links = {G.weight.data(), strong_link};
  return G;
}

} // namespace goza::saamg
