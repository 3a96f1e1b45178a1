#include "grid_of_rows.hpp"
#include "core/util/algorithm.hpp"
#include "core/launch/joined_rows.hpp"
#include "parallel/par_csr.hpp"
#include <algorithm>
#include <optional>

namespace goza::saamg {
namespace {

/* Neighbours of node i are i +- 1, i +- line, i +- plane; in two dimensions plane is the number of nodes. */
struct Strides {
  std::int64_t line, plane;
};

/* The longest row in front, the first of equals; of nodes. ptr, id: null: the global numbers */
HD void length_and_node(PetscInt i, std::int64_t numbers, std::int64_t first, PetscInt bs, const PetscInt *ptr, const PetscInt *id, std::int64_t *key)
{
  key[i] = static_cast<std::int64_t>(ptr[i * bs + 1] - ptr[i * bs]) * numbers + (numbers - 1 - (id ? id[i] : first + i));
}

HD void most_length_and_node(PetscInt i, std::int64_t *most, std::int64_t numbers, std::int64_t first, PetscInt bs, const PetscInt *ptr)
{
  std::int64_t key;

  length_and_node(0, numbers, first + i, bs, ptr + i * bs, nullptr, &key);
  *most = Most::join(*most, key);
}

struct RowOfKey { // and one more; 0: another
  std::int64_t  top;
  std::int64_t *key;

  HD void operator()(PetscInt i) const { key[i] = key[i] == top ? i + 1 : 0; }
};

HD void take_ids(PetscInt p, const PetscInt *id, PetscInt *col) { col[p] = id[col[p]]; }

/* The offsets of an inner node of a grid come in runs of consecutive numbers: .. 0 1 | L-1 L L+1 | .. | P-1 P P+1 | .. with as many runs before the one around
   the plane P as behind it. Those that reach two points have their lines in bundles: L 2L | .. P-L P P+L .. | .. 2P .. */
std::optional<Strides> strides_of(std::int64_t node, const std::vector<PetscInt> &neighbour, std::int64_t numbers, int reach)
{
  const std::size_t         length = neighbour.size();
  std::vector<std::int64_t> centres;

  for (std::size_t p = 0, q; p < length; p = q) {
    for (q = p + 1; q < length && neighbour[q] == neighbour[q - 1] + 1; q++) { }
    if (neighbour[p] > node) centres.push_back((static_cast<std::int64_t>(neighbour[p]) + neighbour[q - 1]) / 2 - node);
  }
  if (centres.empty()) return {};
  if (reach == 2) {
    const auto bundle = [&](std::size_t c) {
      for (c++; c < centres.size() && centres[c] == centres[c - 1] + centres[0]; c++) { }
      return c;
    };
    const std::size_t lines = bundle(0);

    if (lines == centres.size()) return Strides{centres[0], numbers};
    return Strides{centres[0], (centres[lines] + centres[bundle(lines) - 1]) / 2};
  }
  if (centres.size() == 1) return Strides{centres[0], numbers};
  return Strides{centres[0], centres[centres.size() / 2]};
}

/* How often nodes 0, every, 2 every, ... are coupled to one beyond the box around them. */
struct CountFar {
  Lattice         lattice;
  PetscInt        bs, every, first, begin; // begin: which of them is this rank's first
  PetscInt        ncols, first_column;
  const PetscInt *ghost; // global numbers
  const PetscInt *ptr, *col;
  int             reach;

  HD void operator()(PetscInt k, std::int64_t *far) const
  {
    const PetscInt node = (begin + k) * every, row = (node - first) * bs;

    const auto here = lattice.point(node);

    for (PetscInt p = ptr[row]; p < ptr[row + 1]; p++) {
      const PetscInt other = (col[p] < ncols ? first_column + col[p] : ghost[col[p] - ncols]) / bs;

      const auto there = lattice.point(other);

      for (int d = 0; d < 3; d++) {
        const PetscInt away = there.at[d] - here.at[d];

        *far += away < -reach || away > reach;
      }
    }
  }
};

/* How far the coupled nodes are from either end of the lattice: points - x, and x + 1. isolated: [rows], null: none */
HD void far_from_ends(PetscInt i, std::int64_t *far, const NodeIds &ids, const unsigned char *isolated)
{
  bool coupled = false;

  for (PetscInt row = i * ids.bs; row < (i + 1) * ids.bs; row++) coupled = coupled || !isolated || !isolated[row];
  if (!coupled) return;
  const auto here = ids.lattice.point(ids(i));

  for (int d = 0; d < 3; d++) {
    const std::int64_t x = here.at[d], back = ids.lattice.points[d] - x;

    if (back > far[d]) far[d] = back;
    if (x >= far[3 + d]) far[3 + d] = x + 1;
  }
}

/* What the longest row looks like, of nodes of bs rows, by numbers below `numbers`: id[local columns], or null for the global ones; nothing where it has more
   neighbours than a box of 3 x 3 x 3, or of 5 x 5 x 5 where these reach two points. Collective. */
std::optional<Strides> guess_strides(const Csr &A, const LocalColumns &columns, PetscInt bs, std::int64_t numbers, const PetscInt *id, int reach = 1)
{
  const std::int64_t  longest = reach == 1 ? 27 : 125;
  const PetscInt      n = A.nrows / bs, first = columns.start() / bs;
  Array<std::int64_t> key(A.space, id ? n : 0);
  std::int64_t        grid[2] = {0, 0}, top;

  if (!columns.nglobal()) return {};
  if (id) {
    for_each_row(A.space, n, bound<length_and_node>(numbers, first, bs, A.ptr, id, key.data()));
    top = largest(A.space, key.data(), key.size());
  } else top = joined_rows<Most, 1, std::int64_t>(A.space, n, bound<most_length_and_node>(numbers, first, bs, A.ptr))[0];
  columns.largest(&top);
  const std::int64_t length = top / numbers, node = numbers - 1 - top % numbers;
  std::int64_t       here = node - first;

  if (length > longest * bs) return {};
  if (id) {
    for_each_row(A.space, n, RowOfKey{top, key.data()});
    here = sum(A.space, key.data(), key.size()) - 1;
  }
  if (here >= 0 && here < n) {
    const PetscInt  begin = read_value(A.space, A.ptr + here * bs), count = static_cast<PetscInt>(length);
    Array<PetscInt> number(A.space, id ? A.col + begin : nullptr, id ? count : 0);

    if (id) for_each_row(A.space, count, bound<take_ids>(id, number.data()));
    else number = globalize(columns, A.col + begin, static_cast<std::size_t>(length));
    std::vector<PetscInt> neighbour = number.to_host();

    for (PetscInt &j : neighbour) j /= bs;
    std::sort(neighbour.begin(), neighbour.end());
    neighbour.erase(std::unique(neighbour.begin(), neighbour.end()), neighbour.end());
    if (const std::optional<Strides> guess = strides_of(node, neighbour, numbers, reach)) grid[0] = guess->line, grid[1] = guess->plane;
  }
  columns.sum(grid, 2);
  if (grid[0] < 1 || grid[1] < grid[0]) return {};
  return Strides{grid[0], grid[1]};
}

} // namespace

Lattice guess_lattice(const Csr &A, const LocalColumns &columns, const Array<PetscInt> &id)
{
  Lattice      lattice;
  std::int64_t last = largest(A.space, id.data(), A.nrows);

  columns.largest(&last);
  const std::optional<Strides> grid = guess_strides(A, columns, 1, last + 1, id.data());
  if (!grid || (grid->plane % grid->line && grid->plane <= last)) return lattice;
  lattice.points[0] = lattice.tiles[0] = static_cast<PetscInt>(grid->line);
  lattice.points[1] = lattice.tiles[1] = static_cast<PetscInt>((grid->plane + grid->line - 1) / grid->line);
  lattice.points[2] = lattice.tiles[2] = static_cast<PetscInt>(last / grid->plane + 1);
  return lattice;
}

Lattice lattice_of(const Csr &A, const ColumnMap &columns, PetscInt bs, int reach)
{
  constexpr PetscInt           looked_at = 4096;
  const PetscInt               N = columns.nglobal() / bs, n = A.nrows / bs, first = columns.start() / bs, every = N / looked_at + 1;
  const PetscInt               begin = (first + every - 1) / every, end = (first + n + every - 1) / every;
  const std::optional<Strides> grid = guess_strides(A, columns, bs, N, nullptr, reach);
  Lattice                      lattice;

  if (!grid || grid->plane % grid->line || N % grid->plane) return lattice;
  lattice.points[0] = lattice.tiles[0] = static_cast<PetscInt>(grid->line);
  lattice.points[1] = lattice.tiles[1] = static_cast<PetscInt>(grid->plane / grid->line);
  lattice.points[2] = lattice.tiles[2] = static_cast<PetscInt>(N / grid->plane);
  std::int64_t total                   = joined_rows<Plus, 1, std::int64_t>(A.space, end - begin,
                                                          CountFar{lattice, bs, every, first, begin, A.nrows, columns.start(), columns.ghosts_here().data(),
                                                                   A.ptr, A.col, reach})[0];
  columns.sum(&total, 1);
  return total ? Lattice() : lattice;
}

Lattice without_isolated_planes(const Lattice &lattice, NodeIds ids, PetscInt bs, const Array<unsigned char> &isolated, const LocalColumns &columns)
{
  const Space         space = columns.space();
  Array<std::int64_t> far(space, 6);
  std::int64_t        low[3];

  if (!lattice.known() || !columns.any(isolated.size() > 0)) return lattice;
  ids.lattice = lattice;
  ids.bs      = bs;
  join_rows<Most, 6>(space, columns.n() / bs, bound<far_from_ends>(ids, isolated.size() ? isolated.data() : nullptr), far.data());
  std::vector<std::int64_t> most = far.to_host();

  for (std::int64_t &m : most) columns.largest(&m);
  for (int d = 0; d < 3; d++) low[d] = lattice.points[d] - most[d];
  return most[3] ? lattice.within(low, most.data() + 3) : lattice; // where no node is coupled, nothing is coarsened
}

} // namespace goza::saamg
