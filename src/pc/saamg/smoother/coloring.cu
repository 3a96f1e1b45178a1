#include "coloring.hpp"
#include "core/algorithm.hpp"
#include "core/csr_ops.hpp"
#include "core/for_each_row.hpp"
#include "pc/saamg/graph.hpp"
#include <optional>

namespace goza
{

namespace
{

/* The rows that a row is coupled to, itself perhaps among them: those of A's row and, where the pattern is not symmetric, those of A^T's. */
struct Neighbours {
  const PetscInt *ptr, *col, *mirror_ptr, *mirror_col; // the latter null where they would say the same

  template <class F> HD void visit(PetscInt i, F f) const
  {
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) f(col[p]);
    if (!mirror_ptr) return;
    for (PetscInt p = mirror_ptr[i]; p < mirror_ptr[i + 1]; p++) f(mirror_col[p]);
  }
};

struct CountUnmirrored { // columns ascend
  const PetscInt *ptr, *col;
  std::int64_t   *count;

  HD bool holds(PetscInt row, PetscInt c) const
  {
    PetscInt low = ptr[row], high = ptr[row + 1];

    while (low < high) {
      const PetscInt middle = low + (high - low) / 2;

      if (col[middle] < c) low = middle + 1;
      else high = middle;
    }
    return low < ptr[row + 1] && col[low] == c;
  }
  HD void operator()(PetscInt i) const
  {
    count[i] = 0;
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) count[i] += !holds(col[p], i);
  }
};

struct Priority {
  PetscInt       first;
  std::uint64_t *key;
  PetscInt      *color, *list;

  HD void operator()(PetscInt i) const
  {
    key[i]   = hash62(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(i));
    color[i] = -1;
    list[i]  = i;
  }
};

/* Once more: what had the last colour goes first. */
struct Again {
  std::uint64_t *key;
  PetscInt      *color, *list;

  HD void operator()(PetscInt i) const
  {
    key[i]   = static_cast<std::uint64_t>(color[i]);
    color[i] = -1;
    list[i]  = i;
  }
};

struct TakeColor {
  const PetscInt      *list;
  Neighbours           near;
  const std::uint64_t *key;
  PetscInt            *color; // -1: none yet
  char                *open;

  HD void operator()(PetscInt k) const
  {
    const PetscInt i    = list[k];
    bool           wait = false;

    near.visit(i, [&](PetscInt j) { wait = wait || (color[j] < 0 && key[j] > key[i]); });
    open[k] = wait;
    for (PetscInt base = 0; !wait && color[i] < 0; base += 64) {
      std::uint64_t taken = 0;
      PetscInt      c     = 0;

      near.visit(i, [&](PetscInt j) {
        if (color[j] >= base && color[j] < base + 64) taken |= std::uint64_t(1) << (color[j] - base);
      });
      if (taken == ~std::uint64_t(0)) continue;
      while (taken >> c & 1) c++;
      color[i] = base + c;
    }
  }
};

struct Widen {
  const PetscInt *from;
  std::int64_t   *to;

  HD void operator()(PetscInt i) const { to[i] = from[i]; }
};

/* The longest row in front, the first of equals. */
struct LengthAndRow {
  PetscInt        n;
  const PetscInt *ptr;
  std::int64_t   *key;

  HD void operator()(PetscInt i) const { key[i] = static_cast<std::int64_t>(ptr[i + 1] - ptr[i]) * n + (n - 1 - i); }
};

struct Parities {
  std::int64_t line, plane, first;
  bool         diagonals; // a colour for each corner of a cube of 2^3; else a chessboard
  PetscInt    *color;

  HD void operator()(PetscInt i) const
  {
    const std::int64_t g = first + i, z = g / plane, y = (g - z * plane) / line, x = g - z * plane - y * line;

    color[i] = static_cast<PetscInt>(diagonals ? (x & 1) + 2 * (y & 1) + 4 * (z & 1) : (x + y + z) & 1);
  }
};

struct CountClashes {
  Neighbours      near;
  const PetscInt *color;
  std::int64_t   *count;

  HD void operator()(PetscInt i) const
  {
    std::int64_t n = 0;

    near.visit(i, [&](PetscInt j) { n += j != i && color[j] == color[i]; });
    count[i] = n;
  }
};

struct Grid2 {
  std::int64_t line, plane;
};

/* The offsets of an inner row of a grid's matrix come in runs of consecutive numbers: .. 0 1 | L-1 L L+1 | .. | P-1 P P+1 | .. with as many runs before the
   one around the plane P as behind it. */
std::optional<Grid2> guess_grid(const Csr &A)
{
  constexpr PetscInt  longest = 27;
  Array<std::int64_t> key(A.space, A.nrows);

  for_each_row(A.space, A.nrows, LengthAndRow{A.nrows, A.ptr, key.data()});
  const std::int64_t    top    = largest(A.space, key.data(), key.size());
  const PetscInt        length = static_cast<PetscInt>(top / A.nrows), row = static_cast<PetscInt>(A.nrows - 1 - top % A.nrows);
  std::vector<PetscInt> centres;

  if (length > longest) return {};
  const PetscInt              begin = read_value(A.space, A.ptr + row);
  const std::vector<PetscInt> col   = Array<PetscInt>(A.space, A.col + begin, length).to_host();
  for (PetscInt p = 0, q; p < length; p = q) {
    for (q = p + 1; q < length && col[q] == col[q - 1] + 1; q++) { }
    if (col[p] > row) centres.push_back((col[p] + col[q - 1]) / 2 - row);
  }
  if (centres.empty()) return {};
  if (centres.size() == 1) return Grid2{centres[0], A.nrows};
  return Grid2{centres[0], centres[centres.size() / 2]};
}

bool color_grid(const Csr &A, const Neighbours &near, PetscInt first, PetscInt *color)
{
  const std::optional<Grid2> grid = guess_grid(A);
  Array<std::int64_t>        clashes(A.space, A.nrows);

  if (!grid || grid->line < 1 || grid->plane < grid->line) return false;
  for (bool diagonals : {false, true}) {
    for_each_row(A.space, A.nrows, Parities{grid->line, grid->plane, first, diagonals, color});
    for_each_row(A.space, A.nrows, CountClashes{near, color, clashes.data()});
    if (!sum(A.space, clashes.data(), clashes.size())) return true;
  }
  return false;
}

void color_greedily(Space space, PetscInt n, const Neighbours &near, PetscInt first, PetscInt *color)
{
  constexpr int        passes = 4;
  Array<std::uint64_t> key(space, n);
  Array<PetscInt>      list(space, n), rest(space, n);
  Array<char>          open(space, n);

  for (int pass = 0; pass < passes; pass++) {
    if (pass) for_each_row(space, n, Again{key.data(), color, list.data()});
    else for_each_row(space, n, Priority{first, key.data(), color, list.data()});
    for (PetscInt left = n; left > 0;) {
      for_each_row(space, left, TakeColor{list.data(), near, key.data(), color, open.data()});
      left = keep_flagged(space, list.data(), open.data(), left, rest.data());
      list.swap(rest);
    }
  }
}

} // namespace

Coloring color_rows(const Csr &A, PetscInt first, bool grids)
{
  const PetscInt      n = A.nrows;
  Coloring            result;
  Array<PetscInt>     color(A.space, n), begin;
  Array<std::int64_t> count(A.space, n);
  CsrMatrix           mirror;
  Neighbours          near{A.ptr, A.col, nullptr, nullptr};
  bool                symmetric = columns_ascend(A);

  result.rows = Array<PetscInt>(A.space);
  if (!n) return result;
  if (symmetric) {
    for_each_row(A.space, n, CountUnmirrored{A.ptr, A.col, count.data()});
    symmetric = !sum(A.space, count.data(), count.size());
  }
  if (!symmetric) {
    mirror          = transpose(A);
    near.mirror_ptr = mirror.ptr.data();
    near.mirror_col = mirror.col.data();
  }
  if (!grids || !symmetric || !color_grid(A, near, first, color.data())) { color_greedily(A.space, n, near, first, color.data()); }
  for_each_row(A.space, n, Widen{color.data(), count.data()});
  group_by(A.space, color.data(), n, static_cast<PetscInt>(largest(A.space, count.data(), count.size())) + 1, begin, result.rows);
  result.begin = begin.to_host();
  return result;
}

} // namespace goza
