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
  facts.blocks                = pattern_of_blocks(A, bs, bs);
  const Space           space = A.space;
  NodeRows              measured(A, *columns, bs, facts.blocks);
  const MapPtr          nodes = nodes_of_columns(columns, bs);
  const Array<PetscInt> ghost = nodes_of_ghost_columns(*columns, *nodes, bs);
  Array<PetscReal>      rdiag(space, nodes->nlocal(), unset);
  const BlockRows       blocks{rows_of(measured.rows), measured.unit, A.nrows / bs, ghost.data(), measured.place.data(), 0};

  for_each_csr_row(measured.rows, measured.unit, DiagonalNorm{blocks, rdiag.data()});
  nodes->update(rdiag);
  std::vector<std::int64_t> count = joined_csr_rows<Plus, 4, std::int64_t>(measured.rows, measured.unit,
                                                                           CountJumps{blocks, {rdiag.data(), strength_cut(0)}, rdiag.data()});
  columns->sum(count.data(), 4);
  return {count[0], count[1], count[2], count[3]};
}

} // namespace goza::saamg
