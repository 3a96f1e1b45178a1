#include "prolong.hpp"
#include "core/sparse/csr_product.hpp"
#include "core/sparse/few_columns.hpp"
#include "core/sparse/block_product.hpp"
#include "core/launch/staged_rows.hpp"
#include "core/util/counted.hpp"
#include "core/util/algorithm.hpp"
#include "parallel/par_csr.hpp"
#include "parallel/rows_below.hpp"
#include "host_prolong.hpp"
#include "prolong_rows.hpp"

namespace goza::saamg {
namespace {

/* Values of I - omega D^-1 A in the pattern of A */
HD void damped_row(PetscInt i, const Csr &A, const PetscScalar *dinv, PetscReal omega, PetscScalar *val)
{
  for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) val[p] = PetscScalar(A.col[p] == i) - omega * dinv[i] * A.val[p];
}

HD void row_length_at(PetscInt row, PetscInt bs, PetscInt k, const PetscInt *begin, PetscInt *length)
{
  length[row] = (begin[row / bs + 1] - begin[row / bs]) * k;
}

/* Diagonals as rows of what they hold. */
struct RowsOfDiagonals {
  mat::CdsEntries<const PetscScalar> A;

  template <class F> HD void for_each_entry(PetscInt row, F f) const
  {
    A.for_each_entry(row, [&f](PetscInt j, PetscScalar a) {
      if (a != PetscScalar(0)) f(j, a);
    });
  }
};

template <int K, class Rows> void smooth_rows_host(PetscInt nrows, const SmoothedRow<0, Rows> &of)
{
  const SmoothedRow<K, Rows> row{of.A, of.bs, of.vectors, of.aggregate, of.T, of.dinv, of.omega, of.reached, of.begin, of.ptr, of.col, of.val};

  run_on_host([&] {
    for (PetscInt i = 0; i < nrows; i++) row(i);
  });
}

template <int bs, int k> bool smooth_blocks_host(const SmoothedRow<0> &rows, const Csr &blocks)
{
  PetscInt most = 0;

  for (PetscInt i = 0; i < blocks.nrows; i++) most = PetscMax(most, rows.begin[i + 1] - rows.begin[i]);
  std::vector<PetscScalar> sums(static_cast<std::size_t>(most) * bs * k);

  run_on_host(SmoothedNodes<bs, k>{rows, blocks, sums.data()});
  return true;
}

/* By A's blocks, which are full. False: of no sizes that this is compiled for */
bool smooth_blocks_host(const SmoothedRow<0> &rows, const Csr &blocks)
{
  const auto is = [&](PetscInt bs, PetscInt k) { return rows.bs == bs && rows.vectors == k; };

  return is(2, 2) ? smooth_blocks_host<2, 2>(rows, blocks)
       : is(2, 3) ? smooth_blocks_host<2, 3>(rows, blocks)
       : is(3, 3) ? smooth_blocks_host<3, 3>(rows, blocks)
       : is(3, 6) ? smooth_blocks_host<3, 6>(rows, blocks)
       : is(6, 6) ? smooth_blocks_host<6, 6>(rows, blocks)
                  : false;
}

template <class Rows> void smooth_rows_host(PetscInt nrows, const SmoothedRow<0, Rows> &row)
{
  if (row.vectors == 2) smooth_rows_host<2>(nrows, row);
  else if (row.vectors == 3) smooth_rows_host<3>(nrows, row);
  else if (row.vectors == 6) smooth_rows_host<6>(nrows, row);
  else smooth_rows_host<0>(nrows, row);
}

#if defined(__CUDACC__)
/* A row of P where a node is a row and there is one near-null vector: T has one entry a row. */
struct SmoothedTerms {
  const PetscInt    *ptr;
  Columns            col;
  Values             val;
  const PetscInt    *aggregate;
  const PetscScalar *T, *dinv;
  PetscReal          omega;

  HD SmoothedTerms on(Columns c, Values v) const { return {ptr, c, v, aggregate, T, dinv, omega}; }
  HD PetscInt      begin(PetscInt row) const { return ptr[row]; }
  HD PetscInt      end(PetscInt row) const { return aggregate[row] < 0 ? ptr[row] : ptr[row + 1]; }
  HD PetscInt      column(PetscInt p) const
  {
    const PetscInt a = aggregate[col[p]];

    return a < 0 ? no_column : a;
  }
  HD PetscScalar value(PetscInt p) const { return val[p] * T[col[p]]; }
  HD void        open(PetscInt p, PetscInt &first, PetscInt &length, PetscScalar &factor) const
  {
    first  = p;
    length = column(p) != no_column;
    factor = 1;
  }
  HD PetscInt    extra(PetscInt row) const { return aggregate[row] < 0 ? no_column : aggregate[row]; }
  HD PetscScalar finish(PetscInt row, PetscInt column, PetscScalar sum) const
  {
    return -omega * dinv[row] * sum + (column == aggregate[row] ? T[row] : PetscScalar(0));
  }
};
#endif

} // namespace

/* A's blocks where they are nodes'; on several ranks columns of others need not be those of a node. On a host that does not look for them. */
static bool find_nodes(const Coarsening &from, FullBlocks &blocks)
{
  return (from.bs == 2 || from.bs == 3 || from.bs == 6) && from.aggregates->size() == 1 && (blocks.known || (blocks.A.space == Space::Cuda && blocks.find()));
}

/* Values and columns of P's rows, whose nodes reach the aggregates that are their columns in `reached`. A has rows, but on a host. */
static void smooth_nodes(const StoredRows &A, const Coarsening &from, const Array<PetscScalar> &dinv, PetscReal omega, const BlockPatternPtr &known,
                         const Csr &reached, CsrMatrix &P)
{
  const auto row = [&](auto rows) {
    return SmoothedRow<0, decltype(rows)>{rows,  from.bs,     from.k,      from.aggregate.data(), from.Q.data(), dinv.data(),
                                          omega, reached.col, reached.ptr, P.ptr.data(),          P.col.data(),  P.val.data()};
  };

  if (A.A.space == Space::Cuda) for_each_row(A.A.space, A.A.nrows * from.k, bound<smoothed_entry>(row(rows_of(A.A))));
  else if (A.no_rows()) smooth_rows_host(A.A.nrows, row(RowsOfDiagonals{entries_of(*A.diagonals())}));
  else if (FullBlocks nodes(A.A, from.bs, from.bs, known); known && find_nodes(from, nodes) && smooth_blocks_host(row(rows_of(A.A)), nodes.pattern())) return;
  else smooth_rows_host(A.A.nrows, row(rows_of(A.A)));
}

/* P by the local numbers of aggregates. */
static CsrMatrix smooth(const StoredRows &stored, const Coarsening &from, const Array<PetscScalar> &dinv, PetscReal omega, const KnownBlocks &known)
{
  const Csr      &A     = stored.A;
  const Space     space = A.space;
  const PetscInt  bs = from.bs, k = from.k, nnodes = A.nrows / bs, naggregates = from.aggregates->nlocal();
  const PetscInt *aggregate = from.aggregate.data();
  CsrMatrix       P(space, A.nrows, naggregates * k);
  Array<PetscInt> begin, reached;

  if (space == Space::Host && bs == 1 && k == 1) {
    smooth_host(A, {aggregate, from.Q.data()}, dinv.data(), omega, P);
    return P;
  }
#if defined(__CUDACC__)
  if (space == Space::Cuda && bs == 1 && k == 1) {
    const SmoothedTerms terms{A.ptr, A.col, A.val, aggregate, from.Q.data(), dinv.data(), omega};

    if (!product::make_few(A, terms, P))
      product::make(terms, ReachedRows{A.ptr, A.col, bs, aggregate}, 1, static_cast<double>(entries(A)) / PetscMax(A.nrows, 1), P);
    return P;
  }
#endif
  FullBlocks nodes(A, bs, bs, known.nodes);
  const bool found = stored.no_rows() ? nodes.find() : find_nodes(from, nodes);
  const auto rows  = found ? ReachedRows{nodes.pattern().ptr, nodes.pattern().col, 1, aggregate, bs} : ReachedRows{A.ptr, A.col, bs, aggregate};

  find_pattern(space, nnodes, naggregates, rows, true, begin, reached);
  P.ptr = Array<PetscInt>(space, A.nrows + 1);
  for_each_row(space, A.nrows, bound<row_length_at>(bs, k, begin.data(), P.ptr.data()));
  scan_lengths(space, P.ptr.data(), P.ptr);
  const PetscInt nnz = counted(static_cast<std::int64_t>(reached.size()) * bs * k);
  P.col              = Array<PetscInt>(space, nnz);
  P.val              = Array<PetscScalar>(space, nnz);
  smooth_nodes(stored, from, dinv, omega, known.nodes, {space, nnodes, naggregates, begin.data(), reached.data(), nullptr}, P);
  if (known.of_P && from.aggregates->size() == 1) *known.of_P = std::make_shared<BlockPattern>(BlockPattern{bs, k, std::move(begin), std::move(reached)});
  return P;
}

CsrMatrix smoothed_prolongator(const StoredRows &A, const Coarsening &from, const Array<PetscScalar> &dinv, PetscReal omega, MapPtr &columns,
                               const KnownBlocks &known)
{
  const ColumnMap      &map = *from.aggregates;
  const LocalColumns    owners(map.comm(), map.n() * from.k, A.A.space);
  CsrMatrix             P = smooth(A, from, dinv, omega, known);
  std::vector<PetscInt> ghosts;

  if (map.size() == 1) {
    columns = std::make_shared<ColumnMap>(owners, ghosts);
    return P;
  }
  for (PetscInt a : map.ghosts())
    for (PetscInt c = 0; c < from.k; c++) ghosts.push_back(a * from.k + c);
  columns = drop_unused_ghosts(owners, ghosts, P);
  return P;
}

bool smooth_again(const StoredRows &rows, const Coarsening &from, const Array<PetscScalar> &dinv, PetscReal omega, CsrMatrix &P, const KnownBlocks &known)
{
  const Csr &A = rows.A;

  if (from.aggregates->size() > 1) return false;
  if (from.boxes) {
    MapPtr same;

    with_tentative(from, [&](const Array<PetscScalar> &Q, const Array<PetscScalar> &) {
      if (P.ptr.size()) smooth_values(*from.boxes, rows, Q, dinv, omega, P);
      else P = smoothed_prolongator(*from.boxes, rows, Q, dinv, omega, same); // its rows were spared
    });
    return true;
  }
  if (from.bs > 1 || from.k > 1) {
    FullBlocks blocks(P.view(), from.bs, from.k, *known.of_P);

    if (!blocks.find()) return false;
    smooth_nodes(rows, from, dinv, omega, known.nodes, blocks.pattern(), P);
    return true;
  }
  const bool single = A.space == Space::Cuda && !from.graph.n;

#if defined(__CUDACC__)
  if (single) {
    const SmoothedTerms terms{A.ptr, A.col, A.val, from.aggregate.data(), from.Q.data(), dinv.data(), omega};

    for_each_csr_row(A, 1, product::RefillFewColumns<SmoothedTerms>{terms, P.ptr.data(), P.col.data(), P.val.data()});
  }
#else
  (void)dinv, (void)omega, (void)P;
#endif
  return single;
}

void smooth_once_more(const Csr &A, const MapPtr &columns, const Array<PetscScalar> &dinv, PetscReal omega, PetscInt bs, PetscInt k, CsrMatrix &P,
                      MapPtr &reached)
{
  Array<PetscScalar> values(A.space, entries(A));

  for_each_row(A.space, A.nrows, bound<damped_row>(A, dinv.data(), omega, values.data()));
  const Csr damped{A.space, A.nrows, A.ncols, A.ptr, A.col, values.data(), entries(A)};

  if (columns->size() == 1) {
    P = multiply(damped, bs, bs, P.view(), k);
    return;
  }
  const RowsBelow rows(P.view(), *reached, columns);

  P       = multiply(damped, bs, bs, rows.view(), k);
  reached = drop_unused_ghosts(*reached, rows.columns().ghosts(), P);
}

static void for_each_row_of(const Csr &A, const FilteredRow &body)
{
  if (body.bs == 1) for_each_row_by_few_lanes(A.space, A.nrows, body);
  else for_each_csr_row(A, 1, body);
}

/* To the entries that there are, of a host. */
static void shorten(CsrMatrix &F)
{
  F.col.shorten(F.ptr.data()[F.nrows]);
  F.val.shorten(F.ptr.data()[F.nrows]);
}

CsrMatrix filter_weak(const Csr &A, const LocalColumns &columns, PetscInt bs, const CsrGraph &G)
{
  const Space space = A.space;
  CsrMatrix   F(space, A.nrows, A.ncols);

  if (space == Space::Host) {
    F.ptr = Array<PetscInt>(space, A.nrows + 1, unset);
    F.col = Array<PetscInt>(space, entries(A), unset);
    F.val = Array<PetscScalar>(space, entries(A), unset);
  } else F.ptr = Array<PetscInt>(space, A.nrows + 1);
  if (space == Space::Host && bs == 1 && columns.nghost() == 0) {
    filter_host(A, G.ptr.data(), G.col.data(), F);
    shorten(F);
    return F;
  }
  FilteredRow body{rows_of(A),   bs,      G.n,    columns.ghosts_here().data(), G.node_of_ghost_column.data(), G.ptr.data(), G.col.data(), nullptr,
                   F.ptr.data(), nullptr, nullptr};

  if (space == Space::Host) {
    F.ptr.data()[0] = 0;
    body.end        = F.ptr.data() + 1;
  } else {
    const bool known = bs == 1 && G.filtered.size();

    if (!known) for_each_row_of(A, body);
    const PetscInt nnz = lengths_to_pointer(space, known ? G.filtered.data() : F.ptr.data(), F.ptr);
    F.col              = Array<PetscInt>(space, nnz);
    F.val              = Array<PetscScalar>(space, nnz);
  }
  body.ptr = F.ptr.data();
  body.col = F.col.data();
  body.val = F.val.data();
  for_each_row_of(A, body);
  if (body.end) shorten(F);
  return F;
}

} // namespace goza::saamg
