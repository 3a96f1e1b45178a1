#include "flow_order.hpp"
#include "coloring_rows.hpp"
#include "core/util/algorithm.hpp"
#include "parallel/summed_rows.hpp"
#include "pc/saamg/setup/symmetry_rows.hpp"

namespace goza::saamg {
namespace {

constexpr PetscInt most_levels = 2048; // what lies further downstream has none

/* Rows that wait for others, each taken when all that it waits for are, on any number of ranks: the rows by how many they still wait for, and a queue of those
   that wait for none. value [local columns]: what take() writes, for the rows of others to be seen. Collective.

   A body has, of rows of this rank,
     PetscInt waits(row)        for how many rows that are not taken it waits, those of other ranks among them; -1: it is taken already
     bool     take(row)         when it waits for none; false: nobody can be taken after it
     void     followers(row, f) f(row) for each that waits(), as often as that counts this one */
template <class Body> void take_in_turn(const ColumnMap &columns, const Body &body, Array<PetscInt> &value)
{
  std::vector<PetscInt> left(columns.n()), queue;

  for (bool more = true; columns.any(more);) {
    queue.clear();
    for (PetscInt row = 0; row < columns.n(); row++)
      if (!(left[row] = body.waits(row))) queue.push_back(row);
    for (std::size_t k = 0; k < queue.size(); k++) {
      const PetscInt row = queue[k];

      if (!body.take(row)) continue;
      body.followers(row, [&](PetscInt other) {
        if (!--left[other]) queue.push_back(other);
      });
    }
    more = columns.size() > 1 && !queue.empty();
    columns.update(value);
  }
}

struct FlowEdges {
  std::vector<PetscInt>  ptr{0}, col; // by row
  std::vector<PetscReal> weight;      // upstream

  void end_row() { ptr.push_back(static_cast<PetscInt>(col.size())); }

  template <class F> void visit(PetscInt i, F f) const
  {
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) f(p, col[p]);
  }
};

/* The columns upstream of the rows, and those of this rank that a row is upstream of. */
void find_edges(const BesideTranspose &both, FlowEdges &upstream, FlowEdges &downstream)
{
  constexpr float least = 1.7f; // of a_ij over a_ji

  for (PetscInt i = 0; i < both.A.nrows; i++) {
    both.for_each_of_both(i, [&](PetscInt j, PetscInt k, PetscScalar a, PetscScalar t) {
      const PetscReal one = PetscAbsScalar(a), other = PetscAbsScalar(t);

      if (j == i || k == i) return;
      if (j >= 0 && static_cast<float>(one) > least * static_cast<float>(other)) {
        upstream.col.push_back(j);
        upstream.weight.push_back(one - other);
      }
      const bool leads = static_cast<float>(other) > least * static_cast<float>(one);

      if (leads && k >= 0 && k < both.A.nrows) downstream.col.push_back(k);
    });
    upstream.end_row();
    downstream.end_row();
  }
}

enum Bend : PetscInt {
  none    = 0, // the row has a level without a cut
  falling = 1,
  rising  = 2
};

enum class Cut {
  Nothing,
  Turns, // from falling to rising rows
  All    // and, between the rest, what goes against its row's direction
};

/* A row takes its level when all that is upstream and not cut has one. */
struct TakeLevel {
  const FlowEdges &upstream, &downstream;
  const PetscInt  *id, *bend; // [columns]
  Cut              cut;
  PetscInt        *level; // [columns] -1: none yet

  bool is_cut(PetscInt i, PetscInt j) const
  {
    if (cut == Cut::Nothing || bend[i] == none || bend[j] == none) return false;
    if (bend[i] == rising && bend[j] == falling) return true;
    return cut == Cut::All && bend[i] == bend[j] && (bend[i] == rising) != (id[j] < id[i]);
  }
  PetscInt waits(PetscInt i) const
  {
    PetscInt n = 0;

    if (level[i] >= 0) return -1;
    upstream.visit(i, [&](PetscInt, PetscInt j) { n += level[j] < 0 && !is_cut(i, j); });
    return n;
  }
  bool take(PetscInt i) const
  {
    PetscInt most = -1;

    upstream.visit(i, [&](PetscInt, PetscInt j) { most = is_cut(i, j) ? most : PetscMax(most, level[j]); });
    if (most + 1 >= most_levels) return false;
    level[i] = most + 1;
    return true;
  }
  template <class F> void followers(PetscInt i, F f) const
  {
    downstream.visit(i, [&](PetscInt, PetscInt j) {
      if (!is_cut(j, i)) f(j);
    });
  }
};

/* A row's colour comes behind those of all neighbours of larger keys. */
struct TakeColorInOrder {
  PetscInt             n; // rows of this rank
  Neighbours           near;
  const std::uint64_t *key;
  PetscInt            *color; // -1: none yet

  PetscInt waits(PetscInt i) const
  {
    PetscInt count = 0;

    if (color[i] >= 0) return -1;
    near.visit(i, [&](PetscInt j) { count += key[j] > key[i] && color[j] < 0; });
    return count;
  }
  bool take(PetscInt i) const
  {
    PetscInt last = -1;

    near.visit(i, [&](PetscInt j) { last = PetscMax(last, color[j]); }); // those of smaller keys have none
    color[i] = last + 1;
    return true;
  }
  template <class F> void followers(PetscInt i, F f) const
  {
    near.visit(i, [&](PetscInt j) {
      if (j < n && key[j] < key[i]) f(j);
    });
  }
};

} // namespace

std::vector<PetscInt> phases_of_flow(const Csr &A, const MapPtr &columns, const NodeIds &ids)
{
  const PetscInt        nlocal = columns->nlocal();
  MapPtr                tcolumns;
  const CsrMatrix       T = transpose(A, *columns, columns, tcolumns);
  Array<PetscInt>       id(A.space, nlocal), level(A.space, nlocal), bend(A.space, nlocal);
  std::vector<PetscInt> phase;
  FlowEdges             upstream, downstream;

  find_edges({A, T.view(), columns->ghosts_here().data(), tcolumns->ghosts_here().data()}, upstream, downstream);
  for (PetscInt i = 0; i < A.nrows; i++) id.data()[i] = static_cast<PetscInt>(ids.of_row(i));
  columns->update(id);
  fill(A.space, nlocal, -1, level.data());
  bend.zero();
  for (Cut cut : {Cut::Nothing, Cut::Turns, Cut::All}) {
    take_in_turn(*columns, TakeLevel{upstream, downstream, id.data(), bend.data(), cut, level.data()}, level);
    if (cut != Cut::Nothing) continue;
    for (PetscInt i = 0; i < A.nrows; i++) {
      const PetscReal own  = static_cast<PetscReal>(id.data()[i]);
      PetscReal       rise = 0;

      upstream.visit(i, [&](PetscInt p, PetscInt j) { rise += upstream.weight[p] * (own - static_cast<PetscReal>(id.data()[j])); });
      bend.data()[i] = level.data()[i] >= 0 ? none : rise > 0 ? rising : falling;
    }
    columns->update(bend);
  }
  for (PetscInt i = 0; i < A.nrows; i++) phase.push_back(PetscMax(level.data()[i], 0) % flow_phases);
  return phase;
}

void color_in_order(const ColumnMap &columns, const Neighbours &near, const PetscInt *id, const std::vector<PetscInt> &phase, Array<PetscInt> &color)
{
  Array<std::uint64_t> key(columns.space(), columns.nlocal());

  for (std::size_t i = 0; i < phase.size(); i++) // earlier phases first
    key.data()[i] = static_cast<std::uint64_t>(flow_phases - phase[i]) << 52 | hash62(~static_cast<std::uint64_t>(id[i])) >> 10;
  columns.update(key);
  fill(columns.space(), columns.nlocal(), -1, color.data());
  take_in_turn(columns, TakeColorInOrder{columns.n(), near, key.data(), color.data()}, color);
}

} // namespace goza::saamg
