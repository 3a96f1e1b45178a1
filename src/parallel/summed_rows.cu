#include "summed_rows.hpp"
#include "core/sparse/csr_ops.hpp"
#include "core/sparse/csr_pattern.hpp"
#include "core/sparse/row_length.hpp"
#include "core/sparse/row_runs.hpp"
#include "entry_messages.hpp"
#include "renumber.hpp"
#include <iterator>

namespace goza::parallel {
namespace {

/* Something is received for it, or it lacks the diagonal entry that it is to have. */
HD void is_changed(PetscInt row, const PetscInt *ptr, const PetscInt *col, const PetscInt *slot_ptr, bool with_diagonal, char *flag)
{
  const PetscInt end     = ptr[row + 1];
  bool           changed = slot_ptr[row + 1] > slot_ptr[row];

  if (with_diagonal && !changed) {
    const PetscInt p = lower_bound(col, ptr[row], end, row);

    changed = p == end || col[p] != row;
  }
  flag[row] = changed;
}

/* The changed rows, for find_pattern(). */
struct ChangedRows {
  const PetscInt *list, *ptr, *col;
  NewNumber       number;
  const PetscInt *slot_ptr, *slot, *received_ptr, *received_col;
  bool            with_diagonal;

  HD PetscInt bound(PetscInt k) const
  {
    const PetscInt row = list[k];
    std::int64_t   n   = static_cast<std::int64_t>(ptr[row + 1]) - ptr[row] + with_diagonal;

    for (PetscInt s = slot_ptr[row]; s < slot_ptr[row + 1]; s++) n += received_ptr[slot[s] + 1] - received_ptr[slot[s]];
    return n < PETSC_MAX_INT ? static_cast<PetscInt>(n) : PETSC_MAX_INT;
  }

  template <class F> HD void visit(PetscInt k, int lane, int lanes, F f) const
  {
    const PetscInt row = list[k];

    if (with_diagonal && lane == 0) f(row);
    for (PetscInt p = ptr[row] + lane; p < ptr[row + 1]; p += lanes) f(number(col[p]));
    for (PetscInt s = slot_ptr[row]; s < slot_ptr[row + 1]; s++)
      for (PetscInt p = received_ptr[slot[s]] + lane; p < received_ptr[slot[s] + 1]; p += lanes) f(received_col[p]);
  }
};

HD void put_length(PetscInt k, const PetscInt *list, const PetscInt *ptr, PetscInt *length) { length[list[k]] = ptr[k + 1] - ptr[k]; }

HD void put_columns(PetscInt k, int lane, int lanes, const PetscInt *list, const PetscInt *from_ptr, const PetscInt *from, const PetscInt *ptr, PetscInt *col)
{
  const PetscInt begin = from_ptr[k], length = from_ptr[k + 1] - begin;

  for (PetscInt p = lane; p < length; p += lanes) col[ptr[list[k]] + p] = from[begin + p];
}

/* Rows that are as long as their own part. Among them are changed rows whose columns are all there: SumParts comes after. */
struct OwnPart {
  Csr             own;
  NewNumber       number;
  const PetscInt *ptr;
  PetscInt       *col; // null: values only
  PetscScalar    *val;

  HD bool as_they_are(PetscInt first, PetscInt last) const { return ptr[last] - ptr[first] == own.ptr[last] - own.ptr[first]; }
  HD void copy(PetscInt first, PetscInt last, int lane, int lanes) const
  {
    const PetscInt from = own.ptr[first], to = ptr[first];

    copy_entries(own.ptr[last] - from, own.col + from, own.val + from, col ? col + to : nullptr, val + to, number, lane, lanes);
  }
  HD void operator()(PetscInt, int, int) const { } // longer ones are for SumParts
};

/* A changed row: its own part, then what was received, one after the other. */
struct SumParts {
  Csr             own, received;
  NewNumber       number;
  const PetscInt *list, *slot_ptr, *slot, *ptr, *col;
  PetscScalar    *val;

  HD void operator()(PetscInt k, int lane, int lanes) const
  {
    const PetscInt row = list[k], begin = ptr[row], end = ptr[row + 1];

    for (PetscInt p = begin + lane; p < end; p += lanes) val[p] = 0;
    wait_for_lanes(lanes);
    for (PetscInt p = own.ptr[row] + lane; p < own.ptr[row + 1]; p += lanes) val[lower_bound(col, begin, end, number(own.col[p]))] = own.val[p];
    for (PetscInt s = slot_ptr[row]; s < slot_ptr[row + 1]; s++) {
      wait_for_lanes(lanes);
      for (PetscInt p = received.ptr[slot[s]] + lane; p < received.ptr[slot[s] + 1]; p += lanes)
        val[lower_bound(col, begin, end, received.col[p])] += received.val[p];
    }
  }
};

} // namespace

SummedRows::SummedRows(const Csr &parts, const LocalColumns &columns, MapPtr rows, bool with_diagonal, CsrMatrix &sum) :
  rows_(std::move(rows)), received_(parts.space, rows_->nsend(), 0), changed_(parts.space)
{
  receive(parts, columns);
  find_columns(parts, columns);
  find_rows(parts, columns, with_diagonal, sum);
  fill(parts, columns, true, sum);
}

void SummedRows::update(const Csr &parts, const LocalColumns &columns, CsrMatrix &sum)
{
  receive_values(parts);
  fill(parts, columns, false, sum);
}

/* Columns by global numbers. */
void SummedRows::receive(const Csr &parts, const LocalColumns &columns)
{
  const Space     space = parts.space;
  const PetscInt  n = rows_->n(), nghost = rows_->nghost(), all = entries(parts);
  Array<PetscInt> length(space, nghost);

  nnz_          = nghost ? read_value(space, parts.ptr + n) : all;
  received_.ptr = Array<PetscInt>(space, received_.nrows + 1);
  for_each_row(space, nghost, RowLength<PetscInt>{parts.ptr + n, nullptr, length.data()});
  rows_->send_runs(true, static_cast<const PetscInt *>(length.data()), row_begins(rows_->receives()), received_.ptr.data(), row_begins(rows_->sends()));
  const PetscInt  nreceived = lengths_to_pointer(space, received_.ptr);
  Array<PetscInt> send(space, all - nnz_);

  out_          = entry_begins(space, parts.ptr + n, nnz_, all, rows_->receives());
  in_           = entry_begins(space, received_.ptr.data(), 0, nreceived, rows_->sends());
  received_.col = Array<PetscInt>(space, nreceived);
  received_.val = Array<PetscScalar>(space, nreceived);
  put_numbers(space, all - nnz_, GlobalNumber(columns), parts.col + nnz_, send.data());
  rows_->send_runs(true, static_cast<const PetscInt *>(send.data()), out_, received_.col.data(), in_);
  receive_values(parts);
}

void SummedRows::receive_values(const Csr &parts) { rows_->send_runs(true, parts.val + nnz_, out_, received_.val.data(), in_); }

/* Ghosts of the sum: those of the own parts and of what was received. */
void SummedRows::find_columns(const Csr &parts, const LocalColumns &columns)
{
  const Space                 space = parts.space;
  const std::vector<PetscInt> used  = used_ghosts(space, columns.n(), columns.ghosts(), parts.col, nnz_),
                              found = ghosts_among(columns, received_.col.data(), received_.nnz());
  std::vector<PetscInt> ghosts;

  std::set_union(used.begin(), used.end(), found.begin(), found.end(), std::back_inserter(ghosts));
  columns_        = std::make_shared<ColumnMap>(columns, std::move(ghosts));
  received_.ncols = columns_->nlocal();
  put_numbers(space, received_.nnz(), LocalNumber(*columns_), received_.col.data(), received_.col.data());
}

/* The changed rows, their columns, and where all rows of the sum lie. */
void SummedRows::find_rows(const Csr &parts, const LocalColumns &columns, bool with_diagonal, CsrMatrix &sum)
{
  const Space     space    = parts.space;
  const PetscInt  n        = rows_->n();
  const PetscInt *slot_ptr = rows_->slot_ptr().data(), *slot = rows_->slot().data();
  Array<char>     flag(space, n);
  Array<PetscInt> ptr, col;

  for_each_row(space, n, bound<is_changed>(parts.ptr, parts.col, slot_ptr, with_diagonal, flag.data()));
  changed_                = flagged(space, flag.data(), n);
  const PetscInt nchanged = static_cast<PetscInt>(changed_.size());
  find_pattern(space, nchanged, columns_->nlocal(),
               ChangedRows{changed_.data(), parts.ptr, parts.col, NewNumber(columns, *columns_), slot_ptr, slot, received_.ptr.data(), received_.col.data(),
                           with_diagonal},
               false, ptr, col);
  sum     = CsrMatrix(space, n, columns_->nlocal());
  sum.ptr = Array<PetscInt>(space, n + 1);
  for_each_row(space, n, RowLength<PetscInt>{parts.ptr, nullptr, sum.ptr.data()});
  for_each_row(space, nchanged, bound<put_length>(changed_.data(), ptr.data(), sum.ptr.data()));
  const PetscInt nnz = lengths_to_pointer(space, sum.ptr);
  sum.col            = Array<PetscInt>(space, nnz);
  sum.val            = Array<PetscScalar>(space, nnz);
  for_each_row_by_lanes(space, nchanged, bound<put_columns>(changed_.data(), ptr.data(), col.data(), sum.ptr.data(), sum.col.data()));
}

void SummedRows::fill(const Csr &parts, const LocalColumns &columns, bool with_columns, CsrMatrix &sum) const
{
  const Space     space    = parts.space;
  const NewNumber number   = NewNumber(columns, *columns_);
  const PetscInt *slot_ptr = rows_->slot_ptr().data(), *slot = rows_->slot().data();

  for_each_row_in_runs(space, rows_->n(), nnz_, OwnPart{parts, number, sum.ptr.data(), with_columns ? sum.col.data() : nullptr, sum.val.data()});
  for_each_row_by_lanes(space, static_cast<PetscInt>(changed_.size()),
                        SumParts{parts, received_.view(), number, changed_.data(), slot_ptr, slot, sum.ptr.data(), sum.col.data(), sum.val.data()});
}

CsrMatrix transpose(const Csr &A, const LocalColumns &rows, const MapPtr &columns, MapPtr &columns_of_transpose)
{
  CsrMatrix T = transpose(A);

  if (columns->size() == 1) columns_of_transpose = std::make_shared<ColumnMap>(rows, std::vector<PetscInt>());
  else {
    const CsrMatrix  parts = std::move(T);
    const SummedRows sum(parts.view(), LocalColumns(rows, {}), columns, false, T);

    columns_of_transpose = sum.columns();
  }
  return T;
}

} // namespace goza::parallel
