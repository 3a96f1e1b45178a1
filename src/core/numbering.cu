#include "numbering.hpp"
#include "algorithm.hpp"
#include "csr_matrix.hpp"
#include "for_each_row.hpp"
#include <limits>

namespace goza
{

namespace
{

constexpr PetscInt nobody = std::numeric_limits<PetscInt>::max();

HD inline void take_smaller(PetscInt *place, PetscInt value)
{
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(PetscInt) == sizeof(int)) atomicMin(reinterpret_cast<int *>(place), static_cast<int>(value));
  else atomicMin(reinterpret_cast<long long *>(place), static_cast<long long>(value));
#else
  if (value < *place) *place = value;
#endif
}

/* The members of a level, order[begin ..], claim the neighbours that nobody has: each goes to the first of those who ask. */
struct Level {
  const PetscInt *ptr, *col;
  PetscInt        begin;
  PetscInt       *order, *parent;
  std::int64_t   *place; // [members + 1]: children, then, once scanned, the places of their first
};

struct Claim {
  Level level;

  HD void operator()(PetscInt k) const
  {
    const PetscInt me = level.begin + k, v = level.order[me];

    for (PetscInt j = level.ptr[v]; j < level.ptr[v + 1]; j++) {
      if (level.parent[level.col[j]] > me) take_smaller(level.parent + level.col[j], me);
    }
  }
};

struct CountChildren {
  Level level;

  HD void operator()(PetscInt k) const
  {
    const PetscInt me = level.begin + k, v = level.order[me];
    std::int64_t   n = 0;

    for (PetscInt j = level.ptr[v]; j < level.ptr[v + 1]; j++) n += level.parent[level.col[j]] == me;
    level.place[k] = n;
  }
};

struct NameChildren {
  Level    level;
  PetscInt end;

  HD void operator()(PetscInt k) const
  {
    const PetscInt me = level.begin + k, v = level.order[me];
    PetscInt       at = end + static_cast<PetscInt>(level.place[k]);

    for (PetscInt j = level.ptr[v]; j < level.ptr[v + 1]; j++) {
      if (level.parent[level.col[j]] == me) level.order[at++] = level.col[j];
    }
  }
};

struct Fill {
  PetscInt *to, value;

  HD void operator()(PetscInt k) const { to[k] = value; }
};

struct Seed {
  PetscInt *order, *parent, at, v;

  HD void operator()(PetscInt) const
  {
    order[at] = v;
    parent[v] = -1;
  }
};

struct Unnamed {
  const PetscInt *parent;
  char           *flag;

  HD void operator()(PetscInt v) const { flag[v] = parent[v] == nobody; }
};

struct CopyTo {
  const PetscInt *from;
  PetscInt       *to;

  HD void operator()(PetscInt k) const { to[k] = from[k]; }
};

struct Invert {
  const PetscInt *order;
  PetscInt       *number;

  HD void operator()(PetscInt k) const { number[order[k]] = k; }
};

/* One search at a time. */
class Search {
public:
  explicit Search(const Csr &A) : order(A.space, A.nrows), A_(A), parent_(A.space, A.nrows), place_(A.space, A.nrows + 1) { forget(); }

  void forget()
  {
    named = 0;
    for_each_row(A_.space, A_.nrows, Fill{parent_.data(), nobody});
  }

  void from(PetscInt start)
  {
    PetscInt begin = named;

    for_each_row(A_.space, 1, Seed{order.data(), parent_.data(), named, start});
    for (named++; named > begin;) {
      const PetscInt members = named - begin;
      const Level    level{A_.ptr, A_.col, begin, order.data(), parent_.data(), place_.data()};

      for_each_row(A_.space, members, Claim{level});
      for_each_row(A_.space, members, CountChildren{level});
      exclusive_scan(A_.space, place_.data(), members + 1); // the last place is not a count, and not read before
      for_each_row(A_.space, members, NameChildren{level, named});
      begin = named;
      named += static_cast<PetscInt>(read_value(A_.space, place_.data() + members));
    }
  }

  Array<PetscInt> unnamed()
  {
    Array<char> flag(A_.space, A_.nrows);

    for_each_row(A_.space, A_.nrows, Unnamed{parent_.data(), flag.data()});
    return flagged(A_.space, flag.data(), A_.nrows);
  }

  Array<PetscInt> order;
  PetscInt        named = 0;

private:
  Csr                 A_;
  Array<PetscInt>     parent_; // who claimed it, by number
  Array<std::int64_t> place_;
};

struct CountColumn { // from the entries sorted by column
  const PetscInt *ptr;
  PetscInt       *count;

  HD void operator()(PetscInt c) const { count[c] = ptr[c + 1] - ptr[c]; }
};

struct AtLeast {
  const PetscInt *count;
  PetscInt        limit;
  bool            other; // those that do not reach it
  char           *flag;

  HD void operator()(PetscInt c) const { flag[c] = (count[c] >= limit) != other; }
};

struct CountOf {
  const PetscInt *list, *count;
  std::int64_t   *wide;

  HD void operator()(PetscInt k) const { wide[k] = count[list[k]]; }
};

struct Reaches {
  const PetscInt *count;
  PetscInt        limit;
  std::int64_t   *one;

  HD void operator()(PetscInt c) const { one[c] = count[c] >= limit; }
};

struct Near {
  const PetscInt *ptr, *col, *number;
  PetscInt        reach;
  std::int64_t   *near;

  HD void operator()(PetscInt row) const
  {
    const PetscInt me = number ? number[row] : row;
    std::int64_t   n  = 0;

    for (PetscInt j = ptr[row]; j < ptr[row + 1]; j++) {
      const PetscInt c = number ? number[col[j]] : col[j], gap = c > me ? c - me : me - c;

      n += gap <= reach;
    }
    near[row] = n;
  }
};

} // namespace

Array<PetscInt> breadth_first_order(const Csr &A)
{
  constexpr int starts = 8;
  Search        search(A);

  if (!A.nrows) return std::move(search.order);
  search.from(0);
  const PetscInt far = read_value(A.space, search.order.data() + search.named - 1);
  search.forget();
  search.from(far);
  for (int k = 1; k < starts && search.named < A.nrows; k++) search.from(read_value(A.space, search.unnamed().data()));
  if (search.named < A.nrows) {
    const Array<PetscInt> left = search.unnamed();

    for_each_row(A.space, static_cast<PetscInt>(left.size()), CopyTo{left.data(), search.order.data() + search.named});
  }
  return std::move(search.order);
}

Array<PetscInt> hubs_first_order(const Csr &A, PetscInt hubs, double *share)
{
  const PetscInt      nnz = entries(A);
  Array<PetscInt>     ptr(A.space), by_column(A.space), count(A.space, A.ncols), order(A.space, A.ncols);
  Array<std::int64_t> wide(A.space, A.ncols);
  Array<char>         flag(A.space, A.ncols);
  PetscInt            low = 1, high = A.nrows + 1; // too many columns reach low, few enough reach high

  group_by(A.space, A.col, nnz, A.ncols, ptr, by_column);
  for_each_row(A.space, A.ncols, CountColumn{ptr.data(), count.data()});
  while (high - low > 1) {
    const PetscInt middle = low + (high - low) / 2;

    for_each_row(A.space, A.ncols, Reaches{count.data(), middle, wide.data()});
    if (sum(A.space, wide.data(), A.ncols) > hubs) low = middle;
    else high = middle;
  }
  PetscInt placed = 0;
  for (bool other : {false, true}) {
    for_each_row(A.space, A.ncols, AtLeast{count.data(), high, other, flag.data()});
    const Array<PetscInt> list = flagged(A.space, flag.data(), A.ncols);
    const PetscInt        n    = static_cast<PetscInt>(list.size());

    for_each_row(A.space, n, CopyTo{list.data(), order.data() + placed});
    if (!other) {
      for_each_row(A.space, n, CountOf{list.data(), count.data(), wide.data()});
      *share = nnz ? static_cast<double>(sum(A.space, wide.data(), n)) / static_cast<double>(nnz) : 0;
    }
    placed += n;
  }
  return order;
}

Array<PetscInt> inverse_of(const Array<PetscInt> &order)
{
  Array<PetscInt> number(order.space(), order.size());

  for_each_row(order.space(), static_cast<PetscInt>(order.size()), Invert{order.data(), number.data()});
  return number;
}

double near_share(const Csr &A, PetscInt nnz, PetscInt reach, const PetscInt *number)
{
  Array<std::int64_t> near(A.space, A.nrows);

  for_each_row(A.space, A.nrows, Near{A.ptr, A.col, number, reach, near.data()});
  return nnz ? static_cast<double>(sum(A.space, near.data(), A.nrows)) / static_cast<double>(nnz) : 1;
}

} // namespace goza
