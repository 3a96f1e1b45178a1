#include "par_csr.hpp"
#include "core/algorithm.hpp"
#include "core/by_lanes.hpp"
#include "core/row_length.hpp"
#include "core/search.hpp"
#include "core/sort_unique.hpp"
#include <algorithm>
#include <iterator>

namespace goza
{

namespace
{

struct JoinedLength {
  const PetscInt *dptr, *optr;
  PetscInt       *length;

  HD void operator()(PetscInt row) const { length[row] = dptr[row + 1] - dptr[row] + optr[row + 1] - optr[row]; }
};

struct JoinRow {
  Csr             D, O;
  const PetscInt *ptr;
  PetscInt       *col;
  PetscScalar    *val;

  HD void operator()(PetscInt row, int lane, int lanes) const
  {
    const PetscInt to = ptr[row], nd = D.ptr[row + 1] - D.ptr[row], no = O.ptr[row + 1] - O.ptr[row];

    for (PetscInt p = lane; p < nd; p += lanes) {
      col[to + p] = D.col[D.ptr[row] + p];
      val[to + p] = D.val[D.ptr[row] + p];
    }
    for (PetscInt p = lane; p < no; p += lanes) {
      col[to + nd + p] = D.ncols + O.col[O.ptr[row] + p];
      val[to + nd + p] = O.val[O.ptr[row] + p];
    }
  }
};

/* How many entries of a row are in owned columns. */
struct OwnLength {
  const PetscInt *ptr, *col;
  PetscInt        n;
  PetscInt       *own, *others;

  HD void operator()(PetscInt row) const
  {
    const PetscInt first_other = lower_bound(col, ptr[row], ptr[row + 1], n);

    own[row]    = first_other - ptr[row];
    others[row] = ptr[row + 1] - first_other;
  }
};

struct SplitRow {
  Csr             A;
  PetscInt        n;
  const PetscInt *dptr, *optr;
  PetscInt       *dcol, *ocol;
  PetscScalar    *dval, *oval;

  HD void operator()(PetscInt row, int lane, int lanes) const
  {
    const PetscInt begin = A.ptr[row], own = dptr[row + 1] - dptr[row], length = A.ptr[row + 1] - begin;

    for (PetscInt p = lane; p < length; p += lanes) {
      if (p < own) {
        dcol[dptr[row] + p] = A.col[begin + p];
        dval[dptr[row] + p] = A.val[begin + p];
      } else {
        ocol[optr[row] + p - own] = A.col[begin + p] - n;
        oval[optr[row] + p - own] = A.val[begin + p];
      }
    }
  }
};

struct IsOutside {
  PetscInt        start, n;
  const PetscInt *col;
  char           *flag;

  HD void operator()(PetscInt p) const { flag[p] = col[p] >= 0 && (col[p] < start || col[p] >= start + n); }
};

struct ToLocal {
  PetscInt        start, n, nghost;
  const PetscInt *ghosts;
  PetscInt       *col;

  HD void operator()(PetscInt p) const
  {
    if (col[p] >= 0) col[p] = col[p] >= start && col[p] < start + n ? col[p] - start : n + lower_bound(ghosts, 0, nghost, col[p]);
  }
};

struct ToGlobal {
  PetscInt        start, n;
  const PetscInt *ghosts, *col;
  PetscInt       *global;

  HD void operator()(PetscInt p) const { global[p] = col[p] < 0 ? col[p] : col[p] < n ? start + col[p] : ghosts[col[p] - n]; }
};

struct MarkUsed {
  PetscInt        n;
  const PetscInt *col;
  char           *used; // [ghosts]

  HD void operator()(PetscInt p) const
  {
    if (col[p] >= n) used[col[p] - n] = 1;
  }
};

struct Renumber {
  PetscInt        n, nnew;
  const PetscInt *old_ghosts, *new_ghosts;
  PetscInt       *col;

  HD void operator()(PetscInt p) const
  {
    if (col[p] >= n) col[p] = n + lower_bound(new_ghosts, 0, nnew, old_ghosts[col[p] - n]);
  }
};

struct PackRow {
  Csr             M;
  const PetscInt *list, *to;
  const PetscInt *gcol; // of M's entries; null: values only
  PetscInt       *col;
  PetscScalar    *val;

  HD void operator()(PetscInt k, int lane, int lanes) const
  {
    const PetscInt begin = M.ptr[list[k]], length = M.ptr[list[k] + 1] - begin;

    for (PetscInt p = lane; p < length; p += lanes) {
      if (gcol) col[to[k] + p] = gcol[begin + p];
      val[to[k] + p] = M.val[begin + p];
    }
  }
};

struct SelectionLength {
  const PetscInt *slot_ptr;
  PetscInt       *length;

  HD void operator()(PetscInt i) const { length[i] = 1 + slot_ptr[i + 1] - slot_ptr[i]; }
};

struct SelectionRow {
  PetscInt        n;
  const PetscInt *ptr, *slot_ptr, *slot;
  PetscInt       *col;
  PetscScalar    *val;

  HD void operator()(PetscInt i) const
  {
    col[ptr[i]] = i;
    val[ptr[i]] = 1;
    for (PetscInt s = slot_ptr[i], p = ptr[i] + 1; s < slot_ptr[i + 1]; s++, p++) {
      col[p] = n + slot[s];
      val[p] = 1;
    }
  }
};

/* A row pointer from row lengths. */
PetscInt to_pointer(Space space, const PetscInt *length, PetscInt n, Array<PetscInt> &ptr)
{
  ptr = Array<PetscInt>(space, n + 1);
  if (n) ptr.copy_from(length, n);
  return lengths_to_pointer(space, ptr);
}

/* Where each message begins among the entries of rows ptr[0 .. n], counted from the first. */
std::vector<PetscInt> message_begins(Space space, const PetscInt *ptr, PetscInt n, const std::vector<HaloMessage> &messages)
{
  const std::vector<PetscInt> host = Array<PetscInt>(space, ptr, n + 1).to_host();
  std::vector<PetscInt>       begin(1, 0);

  for (const HaloMessage &m : messages) begin.push_back(host[m.begin + m.n] - host[0]);
  return begin;
}

std::vector<PetscInt> row_begins(const std::vector<HaloMessage> &messages)
{
  std::vector<PetscInt> begin(1, 0);

  for (const HaloMessage &m : messages) begin.push_back(m.begin + m.n);
  return begin;
}

template <class T> void copy_within(Space space, T *to, const T *from, std::size_t n)
{
  if (space == Space::Cuda) {
    if (n) device::copy_async(to, from, n * sizeof(T));
  } else std::copy_n(from, n, to);
}

} // namespace

CsrMatrix join_columns(const Csr &D, const Csr &O)
{
  CsrMatrix A(D.space, D.nrows, D.ncols + O.ncols);

  A.ptr = Array<PetscInt>(D.space, D.nrows + 1);
  for_each_row(D.space, D.nrows, JoinedLength{D.ptr, O.ptr, A.ptr.data()});
  const PetscInt nnz = lengths_to_pointer(D.space, A.ptr);
  A.col              = Array<PetscInt>(D.space, nnz);
  A.val              = Array<PetscScalar>(D.space, nnz);
  for_each_row_by_lanes(D.space, D.nrows, JoinRow{D, O, A.ptr.data(), A.col.data(), A.val.data()});
  return A;
}

void split_columns(const Csr &A, PetscInt n, CsrMatrix &D, CsrMatrix &O)
{
  D     = CsrMatrix(A.space, A.nrows, n);
  O     = CsrMatrix(A.space, A.nrows, A.ncols - n);
  D.ptr = Array<PetscInt>(A.space, A.nrows + 1);
  O.ptr = Array<PetscInt>(A.space, A.nrows + 1);
  for_each_row(A.space, A.nrows, OwnLength{A.ptr, A.col, n, D.ptr.data(), O.ptr.data()});
  for (CsrMatrix *M : {&D, &O}) {
    const PetscInt nnz = lengths_to_pointer(A.space, M->ptr);

    M->col = Array<PetscInt>(A.space, nnz);
    M->val = Array<PetscScalar>(A.space, nnz);
  }
  for_each_row_by_lanes(A.space, A.nrows, SplitRow{A, n, D.ptr.data(), O.ptr.data(), D.col.data(), O.col.data(), D.val.data(), O.val.data()});
}

std::vector<PetscInt> localize(const LocalColumns &owners, Array<PetscInt> &col)
{
  const Space     space = owners.space();
  const PetscInt  nnz   = static_cast<PetscInt>(col.size());
  Array<char>     flag(space, nnz);
  Array<PetscInt> outside(space, nnz);

  for_each_row(space, nnz, IsOutside{owners.start(), owners.n(), col.data(), flag.data()});
  const PetscInt        found  = keep_flagged(space, col.data(), flag.data(), nnz, outside.data());
  const PetscInt        unique = sort_unique(space, outside.data(), found);
  std::vector<PetscInt> ghosts = Array<PetscInt>(space, outside.data(), unique).to_host();

  for_each_row(space, nnz, ToLocal{owners.start(), owners.n(), unique, outside.data(), col.data()});
  return ghosts;
}

Array<PetscInt> globalize(const LocalColumns &columns, const PetscInt *col, std::size_t n)
{
  Array<PetscInt> global(columns.space(), n);

  for_each_row(columns.space(), static_cast<PetscInt>(n), ToGlobal{columns.start(), columns.n(), columns.ghosts_here().data(), col, global.data()});
  return global;
}

/* The same columns by the numbers of a map with other ghosts, in place. */
static void renumber(const LocalColumns &from, const LocalColumns &to, Array<PetscInt> &col)
{
  for_each_row(from.space(), static_cast<PetscInt>(col.size()), Renumber{from.n(), to.nghost(), from.ghosts_here().data(), to.ghosts_here().data(), col.data()});
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
  const PetscInt        n = static_cast<PetscInt>(ghosts.size());
  Array<char>           used(owners.space(), n);
  std::vector<PetscInt> kept;

  used.zero();
  for_each_row(owners.space(), M.nnz(), MarkUsed{owners.n(), M.col.data(), used.data()});
  const std::vector<char> flag = used.to_host();
  for (PetscInt g = 0; g < n; g++) {
    if (flag[g]) kept.push_back(ghosts[g]);
  }
  const MapPtr map = std::make_shared<ColumnMap>(owners, std::move(kept));

  if (map->nghost() != n) renumber(LocalColumns(owners, ghosts), *map, M.col);
  M.ncols = map->nlocal();
  return map;
}

RowsBelow::RowsBelow(const Csr &M, const LocalColumns &columns, MapPtr wanted) : wanted_(std::move(wanted)), nnz_(entries(M))
{
  const Space           space = M.space;
  const ColumnMap      &map   = *wanted_;
  const PetscInt        nsend = map.nsend();
  Array<PetscInt>       length(space, map.nlocal()), send_length(space, nsend), send_col;
  Array<PetscScalar>    send_val;
  const Array<PetscInt> gcol = globalize(columns, M.col, nnz_);

  for_each_row(space, M.nrows, RowLength<PetscInt>{M.ptr, nullptr, length.data()});
  for_each_row(space, nsend, RowLength<PetscInt>{M.ptr, map.send_index().data(), send_length.data()});
  map.update(length);
  const PetscInt nsent = to_pointer(space, send_length.data(), nsend, send_ptr_);

  rows_              = CsrMatrix(space, map.nlocal(), 0);
  const PetscInt nnz = to_pointer(space, length.data(), map.nlocal(), rows_.ptr);
  rows_.col          = Array<PetscInt>(space, nnz);
  rows_.val          = Array<PetscScalar>(space, nnz);
  send_col           = Array<PetscInt>(space, nsent);
  send_val           = Array<PetscScalar>(space, nsent);
  out_               = message_begins(space, send_ptr_.data(), nsend, map.sends());
  in_                = message_begins(space, rows_.ptr.data() + map.n(), map.nghost(), map.receives());
  for_each_row_by_lanes(space, nsend, PackRow{M, map.send_index().data(), send_ptr_.data(), gcol.data(), send_col.data(), send_val.data()});
  copy_within(space, rows_.col.data(), gcol.data(), nnz_);
  copy_within(space, rows_.val.data(), M.val, nnz_);
  map.ship(false, static_cast<const PetscInt *>(send_col.data()), out_, rows_.col.data() + nnz_, in_);
  map.ship(false, static_cast<const PetscScalar *>(send_val.data()), out_, rows_.val.data() + nnz_, in_);
  columns_    = std::make_unique<LocalColumns>(columns, localize(columns, rows_.col));
  rows_.ncols = columns_->nlocal();
}

void RowsBelow::update(const Csr &M)
{
  Array<PetscScalar> send_val(M.space, out_.back());

  for_each_row_by_lanes(M.space, wanted_->nsend(), PackRow{M, wanted_->send_index().data(), send_ptr_.data(), nullptr, nullptr, send_val.data()});
  copy_within(M.space, rows_.val.data(), M.val, nnz_);
  wanted_->ship(false, static_cast<const PetscScalar *>(send_val.data()), out_, rows_.val.data() + nnz_, in_);
}

SummedRows::SummedRows(const Csr &parts, const LocalColumns &columns, MapPtr rows, bool with_diagonal, CsrMatrix &sum) : rows_(std::move(rows))
{
  const Space           space = parts.space;
  const PetscInt        n = rows_->n(), nghost = rows_->nghost(), nsend = rows_->nsend();
  Array<PetscInt>       ghost_length(space, nghost), length(space, n + nsend);
  const Array<PetscInt> gcol = globalize(columns, parts.col, entries(parts));

  nnz_ = n ? read_value(space, parts.ptr + n) : 0;
  for_each_row(space, n, RowLength<PetscInt>{parts.ptr, nullptr, length.data()});
  for_each_row(space, nghost, RowLength<PetscInt>{parts.ptr + n, nullptr, ghost_length.data()});
  rows_->ship(true, static_cast<const PetscInt *>(ghost_length.data()), row_begins(rows_->receives()), length.data() + n, row_begins(rows_->sends()));
  parts_             = CsrMatrix(space, n + nsend, 0);
  const PetscInt nnz = to_pointer(space, length.data(), n + nsend, parts_.ptr);
  parts_.col         = Array<PetscInt>(space, nnz);
  parts_.val         = Array<PetscScalar>(space, nnz);
  out_               = message_begins(space, parts.ptr + n, nghost, rows_->receives());
  in_                = message_begins(space, parts_.ptr.data() + n, nsend, rows_->sends());
  copy_within(space, parts_.col.data(), gcol.data(), nnz_);
  rows_->ship(true, gcol.data() + nnz_, out_, parts_.col.data() + nnz_, in_);
  ship_values(parts);
  columns_     = std::make_shared<ColumnMap>(columns, localize(columns, parts_.col));
  parts_.ncols = columns_->nlocal();
  sum          = multiply(selection().view(), parts_.view(), with_diagonal);
}

void SummedRows::update(const Csr &parts, CsrMatrix &sum)
{
  ship_values(parts);
  multiply_numeric(selection().view(), parts_.view(), sum);
}

void SummedRows::ship_values(const Csr &parts)
{
  copy_within(parts.space, parts_.val.data(), parts.val, nnz_);
  rows_->ship(true, parts.val + nnz_, out_, parts_.val.data() + nnz_, in_);
}

/* Ones where a row of the sum takes a row of the parts. */
CsrMatrix SummedRows::selection() const
{
  const Space    space = parts_.space();
  const PetscInt n     = rows_->n();
  CsrMatrix      S(space, n, n + rows_->nsend());

  S.ptr = Array<PetscInt>(space, n + 1);
  for_each_row(space, n, SelectionLength{rows_->slot_ptr().data(), S.ptr.data()});
  const PetscInt nnz = lengths_to_pointer(space, S.ptr);
  S.col              = Array<PetscInt>(space, nnz);
  S.val              = Array<PetscScalar>(space, nnz);
  for_each_row(space, n, SelectionRow{n, S.ptr.data(), rows_->slot_ptr().data(), rows_->slot().data(), S.col.data(), S.val.data()});
  return S;
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

} // namespace goza
