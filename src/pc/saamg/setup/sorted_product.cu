#include "sorted_product.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/launch/for_each_row.hpp"
#include "core/util/algorithm.hpp"
#include "core/util/counted.hpp"

namespace goza::saamg {
namespace {

/* [A's entries] */
HD void row_of_entry(PetscInt row, int lane, int lanes, const PetscInt *ptr, PetscInt *row_of)
{
  for (PetscInt p = ptr[row] + lane; p < ptr[row + 1]; p += lanes) row_of[p] = row;
}

Array<PetscInt> rows_of_entries(const Csr &A)
{
  Array<PetscInt> row_of(A.space, entries(A), unset);

  for_each_row_by_few_lanes(A.space, A.nrows, bound<row_of_entry>(A.ptr, row_of.data()));
  return row_of;
}

HD PetscInt column_of(const PetscInt *ptr, const PetscInt *col, PetscInt row) { return ptr[row] < ptr[row + 1] ? col[ptr[row]] : -1; }

/* Where an entry of A goes, -1: nowhere; those behind A's entries are zeros on the product's diagonal. */
struct Places {
  PetscInt        nnz;
  const PetscInt *row_of, *acol, *ptr, *col; // ptr, col: of P
  PetscInt       *row, *column;

  HD void operator()(PetscInt p) const
  {
    const PetscInt i = p < nnz ? column_of(ptr, col, row_of[p]) : p - nnz, j = p < nnz ? column_of(ptr, col, acol[p]) : i;

    row[p]    = j < 0 ? -1 : i;
    column[p] = i < 0 ? -1 : j;
  }
};

/* Of the entries in their order, the first of each place. */
HD void is_first(PetscInt k, const PetscInt *order, const PetscInt *row, const PetscInt *column, PetscInt *first)
{
  const PetscInt p = order[k], before = k ? order[k - 1] : p;

  first[k] = row[p] >= 0 && (k == 0 || row[before] != row[p] || column[before] != column[p]);
}

HD void begin_place(PetscInt k, const PetscInt *number, const PetscInt *order, const PetscInt *column, PetscInt *begin, PetscInt *col)
{
  if (number[k] == number[k + 1]) return;
  begin[number[k]] = k;
  col[number[k]]   = column[order[k]];
}

HD void begin_row(PetscInt row, PetscInt nrows, const PetscInt *first, const PetscInt *number, PetscInt *ptr, PetscInt *begin)
{
  ptr[row] = number[first[row]];
  if (row == nrows) begin[ptr[row]] = first[row];
}

struct Term {
  Csr             A, P;
  PetscInt        nnz;
  const PetscInt *entry, *row_of;
  bool            conjugated;
  PetscScalar    *term;

  HD void operator()(PetscInt k) const
  {
    const PetscInt    p    = entry[k];
    const PetscScalar left = p < nnz ? of_row(row_of[p]) : PetscScalar(0);

    term[k] = left == PetscScalar(0) ? PetscScalar(0) : (conjugated ? PetscConj(left) : left) * A.val[p] * of_row(A.col[p]);
  }

private:
  HD PetscScalar of_row(PetscInt i) const { return P.ptr[i] < P.ptr[i + 1] ? P.val[P.ptr[i]] : PetscScalar(0); }
};

HD void sum_terms(PetscInt k, int lane, int lanes, const PetscInt *begin, const PetscScalar *term, PetscScalar *val)
{
  PetscScalar sum = 0;

  for (PetscInt t = begin[k] + lane; t < begin[k + 1]; t += lanes) sum += term[t];
  sum = sum_of_lanes(sum, lanes);
  if (lane == 0) val[k] = sum;
}

/* The entries of A, and behind them those of the product's diagonal, by row and column of the product, in their order where these are the same; row i has those
   from first[i] to first[i + 1] - 1. */
Array<PetscInt> order_of(const Csr &A, PetscInt n, const Array<PetscInt> &row, const Array<PetscInt> &column, Array<PetscInt> &first)
{
  const Space     space = A.space;
  const PetscInt  m     = static_cast<PetscInt>(row.size());
  Array<PetscInt> by_column, by_row, found(space, m, unset);

  group_by(space, column.data(), m, n, first, by_column);
  gather(space, m, by_column.data(), row.data(), found.data());
  group_by(space, found.data(), m, n, first, by_row);
  gather(space, m, by_row.data(), by_column.data(), found.data());
  return found;
}

} // namespace

CsrMatrix SortedProduct::pattern(const Csr &A, const Csr &P)
{
  const Space     space = A.space;
  const PetscInt  nnz = entries(A), n = P.ncols, m = counted(static_cast<std::int64_t>(nnz) + n);
  Array<PetscInt> row(space, m, unset), column(space, m, unset), first, number(space, m + 1, unset);
  CsrMatrix       C(space, n, n);

  {
    const Array<PetscInt> row_of = rows_of_entries(A);

    for_each_row(space, m, Places{nnz, row_of.data(), A.col, P.ptr, P.col, row.data(), column.data()});
  }
  entry_ = order_of(A, n, row, column, first);
  for_each_row(space, m, bound<is_first>(entry_.data(), row.data(), column.data(), number.data()));
  const PetscInt found = lengths_to_pointer(space, number);

  begin_ = Array<PetscInt>(space, found + 1, unset);
  C.ptr  = Array<PetscInt>(space, n + 1, unset);
  C.col  = Array<PetscInt>(space, found, unset);
  for_each_row(space, m, bound<begin_place>(number.data(), entry_.data(), column.data(), begin_.data(), C.col.data()));
  for_each_row(space, n + 1, bound<begin_row>(n, first.data(), number.data(), C.ptr.data(), begin_.data()));
  return C;
}

CsrMatrix SortedProduct::make(const Csr &A, const Csr &P, bool conjugated)
{
  CsrMatrix C = pattern(A, P);

  update(A, P, conjugated, C);
  return C;
}

void SortedProduct::update(const Csr &A, const Csr &P, bool conjugated, CsrMatrix &product) const
{
  const Space           space  = A.space;
  const PetscInt        m      = static_cast<PetscInt>(entry_.size());
  const Array<PetscInt> row_of = rows_of_entries(A);
  Array<PetscScalar>    term(space, m, unset);

  if (product.val.size() != product.col.size()) product.val = Array<PetscScalar>(space, product.col.size(), unset);
  for_each_row(space, m, Term{A, P, entries(A), entry_.data(), row_of.data(), conjugated, term.data()});
  for_each_row_by_lanes(space, product.nnz(), bound<sum_terms>(begin_.data(), term.data(), product.val.data()));
}

} // namespace goza::saamg
