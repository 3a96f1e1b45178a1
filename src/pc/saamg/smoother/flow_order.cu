#include "flow_order.hpp"
#include "core/launch/for_each_row.hpp"
#include "core/util/algorithm.hpp"
#include "core/util/relaxed.hpp"
#include "parallel/summed_rows.hpp"
#include "pc/saamg/setup/symmetry_rows.hpp"
#include <vector>

namespace goza::saamg
{

namespace
{

constexpr PetscInt most_levels = 2048; // what lies further downstream has none

/* The upstream columns of a row, in two passes: how many, then which and by how much. */
struct UpstreamRow {
  BesideTranspose both;
  const PetscInt *ptr; // null in the first pass
  PetscInt       *length, *col;
  PetscReal      *weight;

  static constexpr float least = 1.7f; // of a_ij over a_ji

  HD void operator()(PetscInt i) const
  {
    PetscInt n = 0;

    both.for_each_pair(i, [&](PetscInt j, PetscScalar a, PetscScalar t) {
      const PetscReal one = PetscAbsScalar(a), other = PetscAbsScalar(t);

      if (j < 0 || j == i || !(static_cast<float>(one) > least * static_cast<float>(other))) return;
      if (ptr) {
        col[ptr[i] + n]    = j;
        weight[ptr[i] + n] = one - other;
      }
      n++;
    });
    if (!ptr) length[i] = n;
  }
};

enum Bend : PetscInt {
  none    = 0, // the row has a level without a cut
  falling = 1,
  rising  = 2
};

struct FindBend {
  const PetscInt  *ptr, *col, *id, *level; // [columns]
  const PetscReal *weight;
  PetscInt        *bend;

  HD void operator()(PetscInt i) const
  {
    PetscReal rise = 0;

    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) rise += weight[p] * (static_cast<PetscReal>(id[i]) - static_cast<PetscReal>(id[col[p]]));
    bend[i] = level[i] >= 0 ? none : rise > 0 ? rising : falling;
  }
};

enum class Cut {
  Nothing,
  Turns, // from falling to rising rows
  All    // and, between the rest, what goes against its row's direction
};

/* A row takes its level when all that is upstream and not cut has one, whoever sees of another's that it is taken in the same launch: it is the same one. */
struct TakeLevel {
  const PetscInt *ptr, *col, *id, *bend; // [columns]
  Cut             cut;
  PetscInt       *level; // [columns] -1: none yet

  HD bool is_cut(PetscInt i, PetscInt j) const
  {
    if (cut == Cut::Nothing || bend[i] == none || bend[j] == none) return false;
    if (bend[i] == rising && bend[j] == falling) return true;
    return cut == Cut::All && bend[i] == bend[j] && (bend[i] == rising) != (id[j] < id[i]);
  }
  HD bool take(PetscInt i) const
  {
    PetscInt most = -1;

    if (load_relaxed(level + i) >= 0) return true;
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      if (is_cut(i, col[p])) continue;
      const PetscInt upstream = load_relaxed(level + col[p]);

      if (upstream < 0) return false;
      most = PetscMax(most, upstream);
    }
    if (most + 1 < most_levels) store_relaxed(level + i, most + 1);
    return true;
  }
  /* A launch carries levels further than by one: rows look again while others take theirs. */
  HD void operator()(PetscInt i) const
  {
    for (int look = 0; look < 16 && !take(i); look++) { }
  }
};

struct HasLevel {
  const PetscInt *level;
  std::int64_t   *has;

  HD void operator()(PetscInt i) const { has[i] = level[i] >= 0; }
};

struct Fill {
  PetscInt  value;
  PetscInt *to;

  HD void operator()(PetscInt i) const { to[i] = value; }
};

struct IdOf {
  NodeIds   ids;
  PetscInt *id;

  HD void operator()(PetscInt i) const { id[i] = static_cast<PetscInt>(ids.of_row(i)); }
};

struct PhaseOf {
  const PetscInt *level;
  PetscInt       *phase;

  HD void operator()(PetscInt i) const { phase[i] = level[i] < 0 ? 0 : level[i] % flow_phases; }
};

/* On the host: each row once, behind those upstream of it. */
void take_in_turn(const TakeLevel &body, PetscInt n)
{
  struct Place {
    PetscInt row, next;
  };
  std::vector<char>  seen(n);
  std::vector<Place> waiting;
  const auto         begin = [&](PetscInt i) {
    seen[i] = 1;
    waiting.push_back({i, body.ptr[i]});
  };

  for (PetscInt first = 0; first < n; first++) {
    if (!seen[first]) begin(first);
    while (!waiting.empty()) {
      const PetscInt i = waiting.back().row, end = body.ptr[i + 1];
      PetscInt      &p = waiting.back().next;

      while (p < end && (body.col[p] >= n || seen[body.col[p]] || body.level[body.col[p]] >= 0 || body.is_cut(i, body.col[p]))) p++;
      if (p < end) {
        begin(body.col[p]);
      } else {
        body.take(i);
        waiting.pop_back();
      }
    }
  }
}

/* Levels of all rows that can have one with these cuts. On a device a look at how many have one costs as much as some launches. */
void take_levels(const ColumnMap &columns, const TakeLevel &body, Array<PetscInt> &level, PetscInt n)
{
  const Space         space = columns.space();
  Array<std::int64_t> has(space, n);
  const auto          known = [&] {
    for_each_row(space, n, HasLevel{level.data(), has.data()});
    return sum(space, has.data(), has.size());
  };

  for (bool more = true; columns.any(more);) {
    const std::int64_t first = known();
    std::int64_t       now   = first;

    for (std::int64_t before = -1; now != before && now < n;) { // until the rest waits for other ranks
      before = now;
      if (space == Space::Host) take_in_turn(body, n);
      else
        for (int launch = 0; launch < 8; launch++) for_each_row(space, n, body);
      now = known();
    }
    more = now > first;
    columns.update(level);
  }
}

} // namespace

Array<PetscInt> phases_of_flow(const Csr &A, const MapPtr &columns, const NodeIds &ids)
{
  const Space     space = A.space;
  const PetscInt  n = A.nrows, nlocal = columns->nlocal();
  MapPtr          tcolumns;
  const CsrMatrix T = transpose(A, *columns, columns, tcolumns);
  Array<PetscInt> ptr(space, n + 1), id(space, nlocal), level(space, nlocal), bend(space, nlocal), phase(space, n);
  UpstreamRow     upstream{{A, T.view(), columns->ghosts_here().data(), tcolumns->ghosts_here().data()}, nullptr, ptr.data(), nullptr, nullptr};

  for_each_row(space, n, upstream);
  const PetscInt   nedges = lengths_to_pointer(space, ptr);
  Array<PetscInt>  col(space, nedges);
  Array<PetscReal> weight(space, nedges);
  upstream.ptr    = ptr.data();
  upstream.col    = col.data();
  upstream.weight = weight.data();
  for_each_row(space, n, upstream);
  for_each_row(space, n, IdOf{ids, id.data()});
  columns->update(id);
  for_each_row(space, nlocal, Fill{-1, level.data()});
  bend.zero();
  for (Cut cut : {Cut::Nothing, Cut::Turns, Cut::All}) {
    take_levels(*columns, {ptr.data(), col.data(), id.data(), bend.data(), cut, level.data()}, level, n);
    if (cut != Cut::Nothing) continue;
    for_each_row(space, n, FindBend{ptr.data(), col.data(), id.data(), level.data(), weight.data(), bend.data()});
    columns->update(bend);
  }
  for_each_row(space, n, PhaseOf{level.data(), phase.data()});
  return phase;
}

} // namespace goza::saamg
