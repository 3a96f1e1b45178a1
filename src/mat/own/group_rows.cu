#include "group_rows.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::mat
{

namespace
{

/* One after another, each before those with higher numbers: nearly all are in order. */
struct PutRow {
  Csr       own, others;
  GroupRows to;

  HD void put(PetscInt first, PetscInt next, PetscInt column, PetscScalar value) const
  {
    for (; next > first && to.col[next - 1] > column; next--) {
      to.col[next] = to.col[next - 1];
      to.val[next] = to.val[next - 1];
    }
    to.col[next] = column;
    to.val[next] = value;
  }

  HD void operator()(PetscInt row) const
  {
    const PetscInt first = to.begin[row];
    PetscInt       next  = first;

    for (PetscInt k = own.ptr[row]; k < own.ptr[row + 1]; k++) put(first, next++, to.own[own.col[k]], own.val[k]);
    if (!others.nrows) return;
    for (PetscInt k = others.ptr[row]; k < others.ptr[row + 1]; k++) put(first, next++, to.other[others.col[k]], others.val[k]);
  }
};

} // namespace

void put_rows(Space space, const Csr &own, const Csr &others, const GroupRows &to)
{
  for_each_row(space, own.nrows, PutRow{own, others, to});
}

} // namespace goza::mat
