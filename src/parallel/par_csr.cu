#include "par_csr.hpp"
#include "core/util/algorithm.hpp"
#include "core/util/counted.hpp"
#include "core/sparse/row_runs.hpp"
#include "renumber.hpp"
#include <iterator>

namespace goza::parallel {
namespace {

/* The row pointers of two matrices added up, or one taken off the other. */
HD void add_pointers(PetscInt row, const PetscInt *a, const PetscInt *b, PetscInt *ptr) { ptr[row] = a[row] + b[row]; }

HD void subtract_pointers(PetscInt row, const PetscInt *a, const PetscInt *b, PetscInt *ptr) { ptr[row] = a[row] - b[row]; }

/* A row of the diagonal block has nothing behind it, most often. */
struct JoinRow {
  Csr             D, O;
  const PetscInt *ptr;
  PetscInt       *col;
  PetscScalar    *val;

  HD bool as_they_are(PetscInt first, PetscInt last) const { return O.ptr[first] == O.ptr[last]; }
  HD void copy(PetscInt first, PetscInt last, int lane, int lanes) const
  {
    const PetscInt from = D.ptr[first], to = ptr[first];

    copy_entries(D.ptr[last] - from, D.col + from, D.val + from, col + to, val + to, SameNumber(), lane, lanes);
  }
  HD void operator()(PetscInt row, int lane, int lanes) const
  {
    const PetscInt to = ptr[row], nd = D.ptr[row + 1] - D.ptr[row], no = O.ptr[row + 1] - O.ptr[row];

    copy(row, row + 1, lane, lanes);
    for (PetscInt p = lane; p < no; p += lanes) {
      col[to + nd + p] = D.ncols + O.col[O.ptr[row] + p];
      val[to + nd + p] = O.val[O.ptr[row] + p];
    }
  }
};

/* How many entries of a row are in columns that others own. Most rows have none, as their last entry tells. */
HD void others_length(PetscInt row, const PetscInt *ptr, const PetscInt *col, PetscInt n, PetscInt *others)
{
  const PetscInt begin = ptr[row], end = ptr[row + 1];

  others[row] = begin == end || col[end - 1] < n ? 0 : end - lower_bound(col, begin, end, n);
}

struct SplitRow {
  Csr             A;
  PetscInt        n;
  const PetscInt *dptr, *optr;
  PetscInt       *dcol, *ocol;
  PetscScalar    *dval, *oval;

  HD bool as_they_are(PetscInt first, PetscInt last) const { return optr[first] == optr[last]; }
  HD void copy(PetscInt first, PetscInt last, int lane, int lanes) const
  {
    const PetscInt from = A.ptr[first], to = dptr[first];

    copy_entries(dptr[last] - to, A.col + from, A.val + from, dcol + to, dval + to, SameNumber(), lane, lanes);
  }
  HD void operator()(PetscInt row, int lane, int lanes) const
  {
    const PetscInt from = A.ptr[row] + dptr[row + 1] - dptr[row], to = optr[row], length = optr[row + 1] - to;

    copy(row, row + 1, lane, lanes);
    for (PetscInt p = lane; p < length; p += lanes) {
      ocol[to + p] = A.col[from + p] - n;
      oval[to + p] = A.val[from + p];
    }
  }
};

/* [nrows + 1]; a matrix without rows need not have a row pointer. */
template <auto body> Array<PetscInt> pointer_of(const Csr &A, const PetscInt *b)
{
  Array<PetscInt> ptr(A.space, A.nrows + 1);

  if (A.nrows) for_each_row(A.space, A.nrows + 1, bound<body>(A.ptr, b, ptr.data()));
  else ptr.zero();
  return ptr;
}

} // namespace

CsrMatrix join_columns(const Csr &D, const Csr &O)
{
  const PetscInt nd = entries(D), nnz = counted(static_cast<std::int64_t>(nd) + entries(O));
  CsrMatrix      A(D.space, D.nrows, D.ncols + O.ncols);

  A.ptr = pointer_of<add_pointers>(D, O.ptr);
  A.col = Array<PetscInt>(D.space, nnz);
  A.val = Array<PetscScalar>(D.space, nnz);
  for_each_row_in_runs(D.space, D.nrows, nd, JoinRow{D, O, A.ptr.data(), A.col.data(), A.val.data()});
  return A;
}

void split_columns(const Csr &A, PetscInt n, CsrMatrix &D, CsrMatrix &O)
{
  const PetscInt nnz = entries(A);

  D     = CsrMatrix(A.space, A.nrows, n);
  O     = CsrMatrix(A.space, A.nrows, A.ncols - n);
  O.ptr = Array<PetscInt>(A.space, A.nrows + 1);
  for_each_row(A.space, A.nrows, bound<others_length>(A.ptr, A.col, n, O.ptr.data()));
  const PetscInt others = lengths_to_pointer(A.space, O.ptr);
  D.ptr                 = pointer_of<subtract_pointers>(A, O.ptr.data());
  D.col                 = Array<PetscInt>(A.space, nnz - others);
  D.val                 = Array<PetscScalar>(A.space, nnz - others);
  O.col                 = Array<PetscInt>(A.space, others);
  O.val                 = Array<PetscScalar>(A.space, others);
  for_each_row_in_runs(A.space, A.nrows, nnz, SplitRow{A, n, D.ptr.data(), O.ptr.data(), D.col.data(), O.col.data(), D.val.data(), O.val.data()});
}

Array<PetscInt> globalize(const LocalColumns &columns, const PetscInt *col, std::size_t n)
{
  Array<PetscInt> global(columns.space(), n);

  put_numbers(columns.space(), static_cast<PetscInt>(n), GlobalNumber(columns), col, global.data());
  return global;
}

/* The same columns by the numbers of a map with other ghosts, in place. */
static void renumber(const LocalColumns &from, const LocalColumns &to, Array<PetscInt> &col)
{
  put_numbers(from.space(), static_cast<PetscInt>(col.size()), NewNumber(from, to), col.data(), col.data());
}

MapPtr join_maps(CsrMatrix &A, const LocalColumns &acols, CsrMatrix &B, const LocalColumns &bcols)
{
  std::vector<PetscInt> ghosts;

  std::set_union(acols.ghosts().begin(), acols.ghosts().end(), bcols.ghosts().begin(), bcols.ghosts().end(), std::back_inserter(ghosts));
  const MapPtr map = std::make_shared<ColumnMap>(acols, std::move(ghosts));
  renumber(acols, *map, A.col);
  renumber(bcols, *map, B.col);
  A.ncols = B.ncols = map->nlocal();
  return map;
}

MapPtr drop_unused_ghosts(const LocalColumns &owners, const std::vector<PetscInt> &ghosts, CsrMatrix &M)
{
  const MapPtr map = std::make_shared<ColumnMap>(owners, used_ghosts(owners.space(), owners.n(), ghosts, M.col.data(), M.nnz()));

  if (map->ghosts().size() != ghosts.size()) renumber(LocalColumns(owners, ghosts), *map, M.col);
  M.ncols = map->nlocal();
  return map;
}

} // namespace goza::parallel
