#include "core/launch/by_lanes.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/util/algorithm.hpp"
#include "prolong.hpp"
#include "tentative_rows.hpp"

namespace goza::saamg {
namespace {

/* Entry e of the aggregates' Gram matrices, added up in the order of the nodes, or of each lane's. */
struct GramEntry {
  PetscInt           bs, k;
  const PetscInt    *begin, *node; // the nodes of aggregate a: node[begin[a]] .. node[begin[a + 1] - 1]
  const PetscScalar *Q;            // [rows][k]
  PetscScalar       *gram;         // [aggregates][k][k], upper triangles

  HD void operator()(PetscInt e, int lane, int lanes) const
  {
    const PetscInt a = e / (k * k), i = e % (k * k) / k, j = e % k;
    PetscScalar    sum = 0;

    for (PetscInt m = begin[a] + lane; m < begin[a + 1] && i <= j; m += lanes) {
      for (PetscInt c = 0; c < bs; c++) {
        const PetscScalar *q = Q + (static_cast<std::size_t>(node[m]) * bs + c) * k;

        sum += q[i] * q[j];
      }
    }
    sum = sum_of_lanes(sum, lanes);
    if (lane == 0) gram[e] = sum;
  }
};

} // namespace

static HD void count_others(PetscInt i, PetscInt *sum, const PetscScalar *B) { *sum += B[i] != PetscScalar(1); }

static HD void clear_isolated_row(PetscInt row, const unsigned char *isolated, PetscInt k, PetscScalar *B)
{
  for (PetscInt j = 0; j < k && isolated[row]; j++) B[static_cast<std::size_t>(row) * k + j] = 0;
}

void clear_isolated_rows(const Array<unsigned char> &isolated, PetscInt k, Array<PetscScalar> &B)
{
  for_each_row(B.space(), static_cast<PetscInt>(isolated.size()), bound<clear_isolated_row>(isolated.data(), k, B.data()));
}

CsrTentative tentative(const CsrAggregates &aggregates, const ColumnMap &columns, PetscInt bs, PetscInt k, const Array<PetscScalar> &B)
{
  const Space        space  = B.space();
  const ColumnMap   &map    = *aggregates.map;
  const PetscInt     nnodes = columns.n() / bs, entries = map.nlocal() * k * k, first_ghost = aggregates.n * k * k;
  CsrTentative       T;
  Array<PetscScalar> again(space, entries, unset), Bcoarse(space, entries, unset);
  Array<PetscInt>    begin, node;

  T.Q = Array<PetscScalar>(space, static_cast<std::size_t>(columns.nlocal()) * k, unset);
  if (B.size()) T.Q.copy_from(B.data(), B.size());
  group_by(space, aggregates.of_node.data(), nnodes, map.nlocal(), begin, node);
  for (Array<PetscScalar> *R : {&Bcoarse, &again}) { // the second pass removes what rounding left in the first
    for_each_row_by_few_lanes(space, entries, GramEntry{bs, k, begin.data(), node.data(), T.Q.data(), R->data()});
    map.add_from_ghosts(R->data() + first_ghost, k * k, R->data());
    for_each_row(space, aggregates.n, Factor{k, R->data()});
    map.update(R->data(), k * k);
    for_each_row(space, nnodes * bs, bound<solve_row>(k, aggregates.of_node.data(), R->data(), T.Q.data(), bs));
  }
  for_each_row(space, aggregates.n, bound<multiply_factors>(k, again.data(), Bcoarse.data()));
  T.Bcoarse = Array<PetscScalar>(space, first_ghost, unset);
  if (first_ghost) T.Bcoarse.copy_from(Bcoarse.data(), first_ghost);
  columns.update(T.Q.data(), k);
  return T;
}

bool all_ones(const Array<PetscScalar> &B)
{
  return joined_rows<Plus, 1, PetscInt>(B.space(), static_cast<PetscInt>(B.size()), bound<count_others>(B.data()))[0] == 0;
}

CsrTentative tentative(Boxes &boxes, const PetscScalar *B)
{
  CsrTentative T;

  normalise(boxes, B, T.Q, T.Bcoarse);
  return T;
}

CsrAggregates aggregates_of(Boxes &boxes, const LocalColumns &columns, NodeIds ids, PetscInt least)
{
  if (boxes.ranks) return aggregates_of_ranks(boxes, ids, least);
  const PetscInt n = boxes.grid.all_boxes();

  return {n, std::make_shared<ColumnMap>(columns.comm(), n, columns.space()), Array<PetscInt>(columns.space()), Array<PetscInt>(columns.space()), boxes.coarse};
}

} // namespace goza::saamg
