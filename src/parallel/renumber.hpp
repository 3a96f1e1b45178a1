/* Columns by other numbers. For .cu files. */
#pragma once
#include "column_map.hpp"
#include "core/launch/for_each_row.hpp"
#include "core/util/search.hpp"

namespace goza::parallel {

/* Of a local column; negative numbers stay. */
struct GlobalNumber {
  PetscInt        start, n;
  const PetscInt *ghosts;

  explicit GlobalNumber(const LocalColumns &columns) : start(columns.start()), n(columns.n()), ghosts(columns.ghosts_here().data()) { }

  HD PetscInt operator()(PetscInt col) const { return col < 0 ? col : col < n ? start + col : ghosts[col - n]; }
};

/* Of a global column that is owned or a ghost; negative numbers stay. */
struct LocalNumber {
  PetscInt        start, n, nghost;
  const PetscInt *ghosts;

  explicit LocalNumber(const LocalColumns &columns) : start(columns.start()), n(columns.n()), nghost(columns.nghost()), ghosts(columns.ghosts_here().data()) { }

  HD PetscInt operator()(PetscInt col) const { return col < 0 ? col : col >= start && col < start + n ? col - start : n + lower_bound(ghosts, 0, nghost, col); }
};

/* Of a local column where there are other ghosts, it among them. */
struct NewNumber {
  PetscInt        n, nnew;
  const PetscInt *old_ghosts, *new_ghosts;

  NewNumber(const LocalColumns &from, const LocalColumns &to) :
    n(from.n()), nnew(to.nghost()), old_ghosts(from.ghosts_here().data()), new_ghosts(to.ghosts_here().data())
  {
  }

  HD PetscInt operator()(PetscInt col) const { return col < n ? col : n + lower_bound(new_ghosts, 0, nnew, old_ghosts[col - n]); }
};

/* to: may be from */
template <class Number> HD void put_numbers_at(PetscInt p, const Number &number, const PetscInt *from, PetscInt *to) { to[p] = number(from[p]); }

template <class Number> void put_numbers(Space space, PetscInt n, const Number &number, const PetscInt *from, PetscInt *to)
{
  for_each_row(space, n, bound<put_numbers_at<Number>>(number, from, to));
}

/* The global numbers, of col[n], of columns that others own, ascending. */
std::vector<PetscInt> ghosts_among(const LocalColumns &owners, const PetscInt *col, PetscInt n);

/* Those of `ghosts` that are among local columns col[n], of which so many are owned. */
std::vector<PetscInt> used_ghosts(Space space, PetscInt nowned, const std::vector<PetscInt> &ghosts, const PetscInt *col, PetscInt n);

} // namespace goza::parallel
