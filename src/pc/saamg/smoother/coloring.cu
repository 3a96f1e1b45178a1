#include "coloring.hpp"
#include "coloring_rows.hpp"
#include "flow_order.hpp"
#include "core/launch/all_rounds.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/util/algorithm.hpp"
#include "parallel/par_csr.hpp"
#include "parallel/summed_rows.hpp"
#include "pc/saamg/setup/grid_of_rows.hpp"

namespace goza::saamg {
namespace {

HD void count_down(PetscInt i, PetscInt last, PetscInt *color) { color[i] = last - color[i]; }

/* diagonals: a colour for each corner of a cube of 2^3; else a chessboard */
HD void parities(PetscInt i, const Lattice &lattice, const PetscInt *id, bool diagonals, PetscInt *color)
{
  const auto     t = lattice.tile(id[i]);
  const PetscInt x = t.at[0], y = t.at[1], z = t.at[2];

  color[i] = diagonals ? (x & 1) + 2 * (y & 1) + 4 * (z & 1) : (x + y + z) & 1;
}

struct CountClashes {
  Neighbours      near;
  const PetscInt *color;

  static constexpr bool walks_along_row = true;

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    near.visit(i, [&](PetscInt j) { *count += j != i && color[j] == color[i]; });
  }
};

/* What the rows of all ranks make of `count` together. */
template <class Count> std::int64_t total(const LocalColumns &columns, const Count &count)
{
  std::int64_t n = joined_rows<Plus, 1, std::int64_t>(columns.space(), columns.n(), count)[0];

  columns.sum(&n, 1);
  return n;
}

PetscInt last_color(const LocalColumns &columns, const Array<PetscInt> &color)
{
  std::int64_t last = largest(columns.space(), color.data(), columns.n());

  columns.largest(&last);
  return static_cast<PetscInt>(last);
}

/* [local columns] What no rank has a say in, of rows that each stand for bs of those that the ids are of. */
Array<PetscInt> identified(const ColumnMap &columns, const NodeIds &ids, PetscInt bs)
{
  Array<PetscInt> id(columns.space(), columns.nlocal());
  const bool      whole = !ids.name || ids.bs % bs == 0; // nodes have bs rows, or some times as many

  for_each_row(columns.space(), columns.n(), bound<identify>(ids, bs, whole ? bs : 1, id.data()));
  columns.update(id);
  return id;
}

bool color_lattice(const Lattice &lattice, const ColumnMap &columns, const Neighbours &near, const PetscInt *id, Array<PetscInt> &color)
{
  for (bool diagonals : {false, true}) {
    for_each_row(columns.space(), columns.nlocal(), bound<parities>(lattice, id, diagonals, color.data()));
    if (!total(columns, CountClashes{near, color.data()})) return true;
  }
  return false;
}

#if defined(__CUDACC__)
/* A row that takes a colour may have others take theirs in the next round. */
struct TakeByRounds {
  TakeColor take;

  static constexpr bool looks_around = false;

  __device__ bool operator()(PetscInt i, int lane, int lanes) const { return take.has_none(i) && !take(i, lane, lanes); }
};
#endif

/* Where one rank of a device has all rows. A lane a row, or a warp for those of some entries. */
bool color_at_once([[maybe_unused]] const ColumnMap &columns, [[maybe_unused]] const TakeColor &take)
{
#if defined(__CUDACC__)
  constexpr std::int64_t some_entries = 12;

  if (columns.space() != Space::Cuda || columns.size() > 1) return false;
  all_rounds(columns.n(), take.near.nnz > some_entries * columns.n() ? warp_lanes : 1, TakeByRounds{take});
  return true;
#else
  return false;
#endif
}

HD void note_waiting(PetscInt k, const PetscInt *list, const TakeColor &take, char *open) { open[k] = take(list[k]); }

void color_greedily(const ColumnMap &columns, const Neighbours &near, const PetscInt *id, int passes, Array<PetscInt> &color)
{
  const Space          space = columns.space();
  const PetscInt       n = columns.n(), nlocal = columns.nlocal();
  Array<std::uint64_t> key(space, nlocal);
  Array<PetscInt>      rest(space, n);
  Array<char>          open(space, n);
  const TakeColor      take{near, key.data(), color.data()};

  for (int pass = 0; pass < passes; pass++) {
    if (pass) for_each_row(space, nlocal, bound<color_again>(key.data(), color.data()));
    else for_each_row(space, nlocal, bound<priority>(id, key.data(), color.data()));
    if (color_at_once(columns, take)) continue;
    Array<PetscInt> list = places(space, n);
    if (space == Space::Host) { // rows come by one after the other: none before one that it waits for
      std::sort(list.data(), list.data() + n, [by = key.data()](PetscInt i, PetscInt j) { return by[i] > by[j]; });
    }
    for (PetscInt left = n; columns.any(left > 0);) {
      for (PetscInt before = left + 1; left && left < before;) { // until all that are left wait for other ranks
        before = left;
        for_each_row(space, left, bound<note_waiting>(list.data(), take, open.data()));
        left = keep_flagged(space, list.data(), open.data(), left, rest.data());
        list.swap(rest);
      }
      columns.update(color);
    }
  }
}

/* Of what the rows hold on other ranks, that they hold it of them. Collective. */
bool mirrored_elsewhere(const Csr &A, const MapPtr &columns)
{
  CsrMatrix own, others;
  MapPtr    columns_of_mirror;

  if (columns->size() == 1) return true;
  split_columns(A, columns->n(), own, others);
  for_each_row(A.space, others.nnz(), bound<shift_column>(columns->n(), others.col.data()));
  others.ncols         = columns->nlocal();
  const CsrMatrix seen = transpose(others.view(), *columns, columns, columns_of_mirror);
  return columns->all(columns_of_mirror->ghosts() == columns->ghosts() && same_pattern(seen, others));
}

bool is_symmetric(const Csr &A, const MapPtr &columns)
{
  if (!columns->all(columns_ascend(A))) return false;
  return !total(*columns, CountUnmirrored{columns->n(), A.ptr, A.col}) && mirrored_elsewhere(A, columns);
}

/* A's pattern and its mirror's by the numbers of one map. */
struct Mirrored {
  CsrMatrix A, mirror;
  MapPtr    columns;

  Mirrored(const Csr &M, const MapPtr &of_M) : A(M.space, M.nrows, M.ncols)
  {
    MapPtr of_mirror;

    mirror = transpose(M, *of_M, of_M, of_mirror);
    A.ptr  = Array<PetscInt>(M.space, M.nrows + 1);
    A.col  = Array<PetscInt>(M.space, entries(M));
    A.ptr.copy_from(M.ptr, M.nrows + 1);
    if (A.col.size()) A.col.copy_from(M.col, A.col.size());
    columns = join_maps(A, *of_M, mirror, *of_mirror);
  }
  Neighbours near() const { return {A.ptr.data(), A.col.data(), mirror.ptr.data(), mirror.col.data(), A.nnz()}; }
};

constexpr int passes_for_few = 4;

} // namespace

/* Rows by the colours that they have, on all ranks. */
static Coloring grouped(const ColumnMap &columns, const Array<PetscInt> &color)
{
  Coloring        result;
  Array<PetscInt> begin;

  group_by(columns.space(), color.data(), columns.n(), last_color(columns, color) + 1, begin, result.rows);
  result.begin = begin.to_host();
  return result;
}

/* Of A's pattern joined with its mirror's; take(map, near, id, color [local columns of the map]). reversed: the last colour first. */
template <class Take> static Coloring color_both(const Csr &A, const MapPtr &columns, const NodeIds &ids, PetscInt bs, bool reversed, const Take &take)
{
  Coloring result;

  result.rows = Array<PetscInt>(A.space);
  if (!columns->nglobal()) return result;
  const Mirrored        both(A, columns);
  const ColumnMap      &map = *both.columns;
  const Array<PetscInt> id  = identified(map, ids, bs);
  Array<PetscInt>       color(A.space, map.nlocal());

  take(map, both.near(), id.data(), color);
  if (reversed) for_each_row(A.space, A.nrows, bound<count_down>(last_color(map, color), color.data()));
  return grouped(map, color);
}

Coloring color_rows(const Csr &A, const MapPtr &columns, const NodeIds &ids, PetscInt bs, bool grids)
{
  const Neighbours near{A.ptr, A.col, nullptr, nullptr, entries(A)};
  const auto       few = [](const ColumnMap &map, const Neighbours &of, const PetscInt *id, Array<PetscInt> &color) {
    color_greedily(map, of, id, passes_for_few, color);
  };

  if (!is_symmetric(A, columns)) return color_both(A, columns, ids, bs, false, few);
  const Array<PetscInt> id = identified(*columns, ids, bs);
  Array<PetscInt>       color(A.space, columns->nlocal());
  const auto            on_grid = [&](const Lattice &lattice) { return lattice.known() && color_lattice(lattice, *columns, near, id.data(), color); };

  if (!grids || !((bs == ids.bs && on_grid(ids.lattice)) || on_grid(guess_lattice(A, *columns, id)))) few(*columns, near, id.data(), color);
  return grouped(*columns, color);
}

Coloring color_downstream(const Csr &A, const MapPtr &columns, const NodeIds &ids, bool upstream)
{
  return color_both(A, columns, ids, 1, upstream, [&](const ColumnMap &map, const Neighbours &near, const PetscInt *id, Array<PetscInt> &color) {
    color_in_order(map, near, id, phases_of_flow(A, columns, ids), color);
  });
}

Coloring color_scattered(const Csr &A, const MapPtr &columns, const NodeIds &ids, bool reversed)
{
  return color_both(A, columns, ids, 1, reversed,
                    [](const ColumnMap &map, const Neighbours &near, const PetscInt *id, Array<PetscInt> &color) { color_greedily(map, near, id, 1, color); });
}

Coloring color_rows(const Csr &A, const MapPtr &columns, bool grids) { return color_rows(A, columns, NodeIds{nullptr, columns->start()}, 1, grids); }

} // namespace goza::saamg
