#include "numbering.hpp"
#include "core/util/algorithm.hpp"
#include "core/launch/joined_rows.hpp"
#include <limits>

namespace goza {
namespace {

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

/* The members of a level, order[begin ..], claim the neighbours that have no parent: each gets the first member that claims it. */
struct Level {
  const PetscInt *ptr, *col;
  PetscInt        begin;
  PetscInt       *order, *parent;
  std::int64_t   *place; // [members + 1]: children, then, once scanned, the places of their first
};

HD void claim_neighbours(PetscInt k, const Level &level)
{
  const PetscInt me = level.begin + k, v = level.order[me];

  for (PetscInt j = level.ptr[v]; j < level.ptr[v + 1]; j++)
    if (level.parent[level.col[j]] > me) take_smaller(level.parent + level.col[j], me);
}

HD void count_children(PetscInt k, const Level &level)
{
  const PetscInt me = level.begin + k, v = level.order[me];
  std::int64_t   n = 0;

  for (PetscInt j = level.ptr[v]; j < level.ptr[v + 1]; j++) n += level.parent[level.col[j]] == me;
  level.place[k] = n;
}

HD void name_children(PetscInt k, const Level &level, PetscInt end)
{
  const PetscInt me = level.begin + k, v = level.order[me];
  PetscInt       at = end + static_cast<PetscInt>(level.place[k]);

  for (PetscInt j = level.ptr[v]; j < level.ptr[v + 1]; j++)
    if (level.parent[level.col[j]] == me) level.order[at++] = level.col[j];
}

HD void plant_seed(PetscInt, PetscInt *order, PetscInt *parent, PetscInt at, PetscInt v)
{
  order[at] = v;
  parent[v] = -1;
}

HD void flag_unnamed(PetscInt v, const PetscInt *parent, char *flag) { flag[v] = parent[v] == nobody; }

HD void invert_at(PetscInt k, const PetscInt *order, PetscInt *number) { number[order[k]] = k; }

/* One search at a time. */
class Search {
public:
  explicit Search(const Csr &A) : order(A.space, A.nrows), A_(A), parent_(A.space, A.nrows), place_(A.space, A.nrows + 1) { forget(); }

  void forget()
  {
    named = 0;
    fill(A_.space, A_.nrows, nobody, parent_.data());
  }

  bool from(PetscInt start, PetscInt most_levels = nobody) // false: it takes more
  {
    PetscInt begin = named, levels = 0;

    for_each_row(A_.space, 1, bound<plant_seed>(order.data(), parent_.data(), named, start));
    for (named++; named > begin;) {
      if (levels++ == most_levels) return false;
      const PetscInt members = named - begin;
      const Level    level{A_.ptr, A_.col, begin, order.data(), parent_.data(), place_.data()};

      for_each_row(A_.space, members, bound<claim_neighbours>(level));
      for_each_row(A_.space, members, bound<count_children>(level));
      exclusive_scan(A_.space, place_.data(), members + 1); // the last place is not a count, and not read before
      for_each_row(A_.space, members, bound<name_children>(level, named));
      begin = named;
      named += static_cast<PetscInt>(read_value(A_.space, place_.data() + members));
    }
    return true;
  }

  Array<PetscInt> unnamed()
  {
    Array<char> flag(A_.space, A_.nrows);

    for_each_row(A_.space, A_.nrows, bound<flag_unnamed>(parent_.data(), flag.data()));
    return flagged(A_.space, flag.data(), A_.nrows);
  }

  Array<PetscInt> order;
  PetscInt        named = 0;

private:
  Csr                 A_;
  Array<PetscInt>     parent_; // who claimed it, by number
  Array<std::int64_t> place_;
};

HD inline bool is_far(PetscInt row, PetscInt col, PetscInt reach) { return (col > row ? col - row : row - col) > reach; }

struct FarEntries {
  static constexpr bool walks_along_row = true;

  const PetscInt *ptr, *col, *number;
  PetscInt        reach;

  HD void operator()(PetscInt row, std::int64_t *far) const
  {
    for (PetscInt j = ptr[row]; j < ptr[row + 1]; j++) *far += is_far(number[row], number[col[j]], reach);
  }
};

struct FarSectors {
  static constexpr bool walks_along_row = true;

  const PetscInt *ptr, *col;
  PetscInt        reach;

  HD void operator()(PetscInt row, std::int64_t *far) const
  {
    const PetscInt begin = ptr[row], above = row ? ptr[row - 1] : begin; // the entries of the row before: above .. begin - 1

    for (PetscInt j = begin; j < ptr[row + 1]; j++) {
      const PetscInt sector = col[j] / 4, beside = above + (j - begin);
      const bool     met = (j > begin && col[j - 1] / 4 == sector) || (beside < begin && col[beside] / 4 == sector);

      *far += !met && is_far(row, col[j], reach);
    }
  }
};

} // namespace

Array<PetscInt> breadth_first_order(const Csr &A, PetscInt most_levels)
{
  constexpr int starts = 8;
  Search        search(A);

  if (!A.nrows) return std::move(search.order);
  if (!search.from(0, most_levels)) return Array<PetscInt>(A.space);
  const PetscInt far = read_value(A.space, search.order.data() + search.named - 1);
  search.forget();
  search.from(far);
  for (int k = 1; k < starts && search.named < A.nrows; k++) search.from(read_value(A.space, search.unnamed().data()));
  if (search.named < A.nrows) {
    const Array<PetscInt> left = search.unnamed();

    copy_values(A.space, static_cast<const PetscInt *>(left.data()), left.size(), search.order.data() + search.named);
  }
  return std::move(search.order);
}

Array<PetscInt> inverse_of(const Array<PetscInt> &order)
{
  Array<PetscInt> number(order.space(), order.size());

  for_each_row(order.space(), static_cast<PetscInt>(order.size()), bound<invert_at>(order.data(), number.data()));
  return number;
}

std::int64_t far_entries(const Csr &A, PetscInt reach, const PetscInt *number)
{
  return joined_rows<Plus, 1, std::int64_t>(A.space, A.nrows, FarEntries{A.ptr, A.col, number, reach})[0];
}

std::int64_t far_sectors(const Csr &A, PetscInt reach) { return joined_rows<Plus, 1, std::int64_t>(A.space, A.nrows, FarSectors{A.ptr, A.col, reach})[0]; }

} // namespace goza
