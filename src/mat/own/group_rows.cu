#include "group_rows.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::mat {
namespace {

HD void put_length(PetscInt row, const Csr &own, const Csr &others, const GroupNumbers &numbers, PetscInt *length)
{
  length[numbers.row(row)] = own.ptr[row + 1] - own.ptr[row] + (others.nrows ? others.ptr[row + 1] - others.ptr[row] : 0);
}

/* One after another, each before those with higher numbers: nearly all are in order. */
struct PutRow {
  Csr             own, others;
  GroupNumbers    numbers;
  const PetscInt *begin;
  PetscInt       *col;
  PetscScalar    *val;

  HD void put(PetscInt first, PetscInt next, PetscInt column, PetscScalar value) const
  {
    for (; next > first && col[next - 1] > column; next--) {
      col[next] = col[next - 1];
      val[next] = val[next - 1];
    }
    col[next] = column;
    val[next] = value;
  }

  HD void operator()(PetscInt row) const
  {
    const PetscInt first = begin[numbers.row(row)];
    PetscInt       next  = first;

    for (PetscInt k = own.ptr[row]; k < own.ptr[row + 1]; k++) put(first, next++, numbers.column(own.col[k]), own.val[k]);
    if (!others.nrows) return;
    for (PetscInt k = others.ptr[row]; k < others.ptr[row + 1]; k++) put(first, next++, numbers.other[others.col[k]], others.val[k]);
  }
};

} // namespace

void put_lengths(Space space, const Csr &own, const Csr &others, const GroupNumbers &numbers, PetscInt *length)
{
  for_each_row(space, own.nrows, bound<put_length>(own, others, numbers, length));
}

void put_rows(Space space, const Csr &own, const Csr &others, const GroupNumbers &numbers, const PetscInt *begin, PetscInt *col, PetscScalar *val)
{
  for_each_row(space, own.nrows, PutRow{own, others, numbers, begin, col, val});
}

} // namespace goza::mat
