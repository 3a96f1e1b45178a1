#include "core/launch/staged_rows.hpp"
#include "graph.hpp"
#include "node_jumps.hpp"
#include "parallel/node_columns.hpp"
#include <cmath>

namespace goza::saamg {
namespace {

/* Rows that are coupled, the exponents of their diagonals, and the squares of these. */
HD void sum_exponents(PetscInt i, std::int64_t *sum, const PetscScalar *dinv, const unsigned char *isolated)
{
  const PetscReal size = isolated[i] ? 0 : PetscAbsScalar(dinv[i]);

  if (!(size > 0)) return;
  const std::int64_t exponent = std::ilogb(static_cast<double>(size));

  sum[0]++;
  sum[1] += exponent;
  sum[2] += exponent * exponent;
}

/* Where diagonals are all alike, as is seen without a look at the rows, nothing jumps. At the sides of a grid they are a half to an eighth: 0.1 to 0.4. */
bool diagonals_differ(const CsrFacts &facts, const LocalColumns &columns)
{
  constexpr double least = 0.5; // of the variance of their logarithms to the base of 2

  std::vector<std::int64_t> sum = joined_rows<Plus, 3, std::int64_t>(facts.dinv.space(), static_cast<PetscInt>(facts.dinv.size()),
                                                                     bound<sum_exponents>(facts.dinv.data(), facts.isolated.data()));
  columns.sum(sum.data(), 3);
  const double n = static_cast<double>(sum[0]), mean = static_cast<double>(sum[1]) / n;

  return sum[0] > 0 && static_cast<double>(sum[2]) / n - mean * mean > least;
}

/* 1 over the norm of a node's block on the diagonal, as DiagonalNorm finds it with all blocks; 0 where it is coupled to nothing, so that entries beside it are
   zeros. */
HD void norm_on_diagonal(PetscInt node, const PetscInt *ptr, const PetscInt *col, const PetscScalar *val, const unsigned char *isolated, PetscInt bs,
                         PetscReal *rdiag)
{
  const PetscInt first   = node * bs;
  PetscReal      norm2   = 0;
  bool           coupled = false;

  for (PetscInt r = first; r < first + bs; r++) {
    PetscInt p = ptr[r];

    coupled = coupled || !isolated[r];
    for (PetscInt n = ptr[r + 1] - p; n > 0;) { /* columns ascend */
      const PetscInt half  = n / 2;
      const bool     after = col[p + half] < first;

      p += after ? half + 1 : 0;
      n = after ? n - half - 1 : half;
    }
    for (; p < ptr[r + 1] && col[p] < first + bs; p++) norm2 += PetscRealPart(val[p] * PetscConj(val[p]));
  }
  const PetscReal d = coupled && norm2 > 0 ? 1 / PetscSqrtReal(norm2) : 0;

  rdiag[node] = finite_real(d) ? d : 0;
}

/* Of each row of a node the nodes that it has entries of whose blocks on the diagonal are unlike this node's. Rows of the same length are taken for alike. */
struct CountUnlike {
  AijRowsView      A;
  PetscInt         bs, nodes;
  const PetscInt  *ghost; // [ghost columns] to ghost nodes
  const PetscReal *rdiag;

  HD CountUnlike on(Columns c, Values v) const { return {A.on(c, v), bs, nodes, ghost, rdiag}; }

  HD void operator()(PetscInt node, std::int64_t *count) const
  {
    const PetscInt row   = node * bs;
    bool           alike = true;

    if (!(rdiag[node] > 0)) return;
    for (PetscInt r = 1; r < bs; r++) alike = alike && A.dptr[row + r + 1] - A.dptr[row + r] == A.dptr[row + 1] - A.dptr[row];
    if (alike) *count += bs * in_row(row, rdiag[node]);
    for (PetscInt r = 0; r < bs && !alike; r++) *count += in_row(row + r, rdiag[node]);
  }

private:
  HD PetscInt in_row(PetscInt row, PetscReal own) const
  {
    const PetscReal most = own * NodeJumps::unlike, least = own / NodeJumps::unlike;
    PetscInt        next = 0, n = 0; // next: the first column behind the last entry's node

    A.for_each_entry(row, [&](PetscInt j, PetscScalar) {
      if (j < next) return;
      const PetscInt  owned = j / bs, other = j < A.ncols ? owned : nodes + ghost[j - A.ncols];
      const PetscReal there = rdiag[other];

      next = j < A.ncols ? (owned + 1) * bs : 0;
      n += there > most || (there < least && there > 0);
    });
    return n;
  }
};

/* Of each node what NodeJumps counts. */
struct CountJumps {
  BlockRows        A;
  Measure          measure;
  const PetscReal *rdiag; // [nodes] 1 over the norm of the diagonal block

  HD CountJumps on(Columns c, Values v) const { return {A.on(c, v), measure, rdiag}; }

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    const auto couples = [&](PetscInt j, PetscReal norm2) { return j != i && rdiag[i] > 0 && rdiag[j] > 0 && measure.strong(i, j, norm2); };
    const auto square  = [](PetscReal x) { return static_cast<float>(x * x); };
    int        edges   = 0;

    A.for_each_block(i, [&](PetscInt j, PetscReal norm2) { edges += couples(j, norm2); });
    if (!edges) return;
    A.for_each_block(i, [&](PetscInt j, PetscReal norm2) {
      if (!couples(j, norm2)) return;
      const float share = measure(i, j, norm2) * square(edges), ratio = static_cast<float>(PetscMax(rdiag[i] / rdiag[j], rdiag[j] / rdiag[i]));

      count[2] += ratio > static_cast<float>(NodeJumps::unlike) && share < square(NodeJumps::share);
      count[3] += ratio < static_cast<float>(NodeJumps::alike) && share < square(NodeJumps::hardly_more);
    });
    count[0]++;
    count[1] += edges;
  }
};

} // namespace

NodeJumps jumps_of_nodes(const Csr &A, const MapPtr &columns, PetscInt bs, CsrFacts &facts)
{
  if (!diagonals_differ(facts, *columns)) return {};
  const MapPtr          nodes = nodes_of_columns(columns, bs);
  const Array<PetscInt> ghost = nodes_of_ghost_columns(*columns, *nodes, bs);
  Array<PetscReal>      rdiag(A.space, nodes->nlocal(), unset);

  for_each_row(A.space, A.nrows / bs, bound<norm_on_diagonal>(A.ptr, A.col, A.val, facts.isolated.data(), bs, rdiag.data()));
  nodes->update(rdiag);
  std::int64_t unlike = joined_csr_rows<Plus, 1, std::int64_t>(A, bs, CountUnlike{rows_of(A), bs, A.nrows / bs, ghost.data(), rdiag.data()})[0];

  columns->sum(&unlike, 1);
  if (NodeJumps::part * bs * unlike < facts.couplings) return {}; // fewer edges than that, whatever their entries are
  facts.blocks = pattern_of_blocks(A, bs, bs);
  NodeRows        measured(A, *columns, bs, facts.blocks);
  const BlockRows blocks{rows_of(measured.rows), measured.unit, A.nrows / bs, ghost.data(), measured.place.data(), 0};

  std::vector<std::int64_t> count = joined_csr_rows<Plus, 4, std::int64_t>(measured.rows, measured.unit,
                                                                           CountJumps{blocks, {rdiag.data(), strength_cut(0)}, rdiag.data()});
  columns->sum(count.data(), 4);
  return {count[0], count[1], count[2], count[3]};
}

} // namespace goza::saamg
