#include "flow_order.hpp"
#include "coloring_rows.hpp"
#include "core/util/algorithm.hpp"
#include "in_turn.hpp"
#include "parallel/summed_rows.hpp"
#include "pc/saamg/setup/symmetry_rows.hpp"

namespace goza::saamg {
namespace {

constexpr PetscInt most_levels = 2048; // what lies further downstream has none

/* Rows' edges, in two passes: how many, then which. */
struct EdgeList {
  const PetscInt *ptr; // null in the first pass
  PetscInt       *length, *col;
  PetscReal      *weight; // or none

  HD void add(PetscInt i, PetscInt *n, PetscInt j, PetscReal w) const
  {
    if (ptr) col[ptr[i] + *n] = j;
    if (ptr && weight) weight[ptr[i] + *n] = w;
    (*n)++;
  }
};

/* The columns upstream of a row, and those of its rank that it is upstream of. */
struct EdgesOfFlow {
  BesideTranspose both;
  EdgeList        upstream, downstream;

  static constexpr float least = 1.7f; // of a_ij over a_ji

  HD void operator()(PetscInt i) const
  {
    PetscInt up = 0, down = 0;

    both.for_each_of_both(i, [&](PetscInt j, PetscInt k, PetscScalar a, PetscScalar t) {
      const PetscReal one = PetscAbsScalar(a), other = PetscAbsScalar(t);

      if (j == i || k == i) return;
      if (j >= 0 && static_cast<float>(one) > least * static_cast<float>(other)) upstream.add(i, &up, j, one - other);
      if (k >= 0 && k<both.A.nrows &&static_cast<float>(other)> least * static_cast<float>(one)) downstream.add(i, &down, k, 0);
    });
    if (upstream.ptr) return;
    upstream.length[i]   = up;
    downstream.length[i] = down;
  }
};

enum Bend : PetscInt {
  none    = 0, // the row has a level without a cut
  falling = 1,
  rising  = 2
};

/* ptr, col, id, level: [columns] */
HD void find_bend(PetscInt i, const PetscInt *ptr, const PetscInt *col, const PetscInt *id, const PetscInt *level, const PetscReal *weight, PetscInt *bend)
{
  PetscReal rise = 0;

  for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) rise += weight[p] * (static_cast<PetscReal>(id[i]) - static_cast<PetscReal>(id[col[p]]));
  bend[i] = level[i] >= 0 ? none : rise > 0 ? rising : falling;
}

enum class Cut {
  Nothing,
  Turns, // from falling to rising rows
  All    // and, between the rest, what goes against its row's direction
};

/* A row takes its level when all that is upstream and not cut has one. */
struct TakeLevel {
  const PetscInt *ptr, *col, *down_ptr, *down_col, *id, *bend; // [columns]
  Cut             cut;
  PetscInt       *level; // [columns] -1: none yet

  HD bool is_cut(PetscInt i, PetscInt j) const
  {
    if (cut == Cut::Nothing || bend[i] == none || bend[j] == none) return false;
    if (bend[i] == rising && bend[j] == falling) return true;
    return cut == Cut::All && bend[i] == bend[j] && (bend[i] == rising) != (id[j] < id[i]);
  }
  HD PetscInt waits(PetscInt i) const
  {
    PetscInt n = 0;

    if (level[i] >= 0) return -1;
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) n += level[col[p]] < 0 && !is_cut(i, col[p]);
    return n;
  }
  HD bool take(PetscInt i) const
  {
    PetscInt most = -1;

    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++)
      if (!is_cut(i, col[p])) most = PetscMax(most, level[col[p]]);
    if (most + 1 >= most_levels) return false;
    level[i] = most + 1;
    return true;
  }
  template <class F> HD void followers(PetscInt i, F f) const
  {
    for (PetscInt p = down_ptr[i]; p < down_ptr[i + 1]; p++)
      if (!is_cut(down_col[p], i)) f(down_col[p]);
  }
};

HD void phase_of(PetscInt i, const PetscInt *level, PetscInt *phase) { phase[i] = level[i] < 0 ? 0 : level[i] % flow_phases; }

} // namespace

Array<PetscInt> phases_of_flow(const Csr &A, const MapPtr &columns, const NodeIds &ids)
{
  const Space     space = A.space;
  const PetscInt  n = A.nrows, nlocal = columns->nlocal();
  MapPtr          tcolumns;
  const CsrMatrix T = transpose(A, *columns, columns, tcolumns);
  Array<PetscInt> ptr(space, n + 1), down_ptr(space, n + 1), id(space, nlocal), level(space, nlocal), bend(space, nlocal), phase(space, n);
  EdgesOfFlow     edges{{A, T.view(), columns->ghosts_here().data(), tcolumns->ghosts_here().data()},
                    {nullptr, ptr.data(), nullptr, nullptr},
                    {nullptr, down_ptr.data(), nullptr, nullptr}};

  for_each_row(space, n, edges);
  Array<PetscInt>  col(space, lengths_to_pointer(space, ptr)), down(space, lengths_to_pointer(space, down_ptr));
  Array<PetscReal> weight(space, col.size());
  edges.upstream   = {ptr.data(), nullptr, col.data(), weight.data()};
  edges.downstream = {down_ptr.data(), nullptr, down.data(), nullptr};
  for_each_row(space, n, edges);
  for_each_row(space, n, bound<identify>(ids, 1, 1, id.data()));
  columns->update(id);
  fill(space, nlocal, -1, level.data());
  bend.zero();
  for (Cut cut : {Cut::Nothing, Cut::Turns, Cut::All}) {
    take_in_turn(*columns, TakeLevel{ptr.data(), col.data(), down_ptr.data(), down.data(), id.data(), bend.data(), cut, level.data()}, level);
    if (cut != Cut::Nothing) continue;
    for_each_row(space, n, bound<find_bend>(ptr.data(), col.data(), id.data(), level.data(), weight.data(), bend.data()));
    columns->update(bend);
  }
  for_each_row(space, n, bound<phase_of>(level.data(), phase.data()));
  return phase;
}

} // namespace goza::saamg
