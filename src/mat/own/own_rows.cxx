/* Single entries and rows of an owning matrix. */
#include "mat/common/named_rows.hpp"
#include "mat/common/zero_rows.hpp"
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/errors.hpp"
#include <algorithm>

namespace goza::mat {
namespace {

constexpr char zero[] = "zero its rows";

/* On the host, for one entry after another. */
PetscErrorCode Open(Mat A, OwnMat *own)
{
  PetscFunctionBegin;
  if (own->is_open) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OwnSettle(A, own));
  PetscCall(own->storage->before_values(A, own));
  PetscCall(OwnWrite(A, own, Space::Host, true, &own->open));
  own->is_open = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckPlace(Mat A, PetscInt row, PetscInt col)
{
  PetscFunctionBegin;
  PetscCheck(row < A->rmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row too large: row %" PetscInt_FMT " max %" PetscInt_FMT, row, A->rmap->N - 1);
  PetscCheck(col < A->cmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Column too large: col %" PetscInt_FMT " max %" PetscInt_FMT, col, A->cmap->N - 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool owns(PetscLayout map, PetscInt k) { return k >= map->rstart && k < map->rend; }

/* Into this rank's columns. waits: there is no place for it yet */
PetscErrorCode SetInside(Mat A, OwnMat *own, const OtherEntry &e, InsertMode mode, bool *waits)
{
  const PetscInt row = e.row - A->rmap->rstart, col = e.col - A->cmap->rstart;

  PetscFunctionBegin;
  *waits = false;
  PetscCall(Open(A, own));
  PetscScalar *p = place_in(own->open, row, col);
  if (!p) {
    if (own->closed) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(own->storage->new_entry(A, own, row, col, e.value, waits));
    if (*waits) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Open(A, own));
    p = place_in(own->open, row, col);
  }
  if (!p || std::visit([=](const auto &v) { return v.mirrored(row, col); }, own->open))
    PetscFunctionReturn(PETSC_SUCCESS); /* the entry above the diagonal is set for both */
  if (mode == ADD_VALUES) *p += e.value;
  else *p = e.value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValues_Own(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[], const PetscScalar v[], InsertMode mode)
{
  OwnMat *own = own_of(A);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < m; k++) {
    if (rows[k] >= 0 && !owns(A->rmap, rows[k])) {
      PetscCheck(rows[k] < A->rmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row too large: row %" PetscInt_FMT " max %" PetscInt_FMT, rows[k],
                 A->rmap->N - 1);
      PetscCheck(!A->nooffprocentries, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "Setting off process row %" PetscInt_FMT " even though MatSetOption(,MAT_NO_OFF_PROC_ENTRIES,PETSC_TRUE) was set", rows[k]);
      if (own->others.ignored) continue;
    }
    for (PetscInt l = 0; l < n; l++) {
      if (rows[k] < 0 || cols[l] < 0) continue;
      PetscCall(OwnSetEntry(A, own, {rows[k], cols[l], !v ? PetscScalar(0) : own->row_oriented ? v[k * n + l] : v[l * m + k]}, mode));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetValues_Own(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[], PetscScalar v[])
{
  OwnMat   *own = own_of(A);
  OwnValues d;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, Space::Host, &d));
  for (PetscInt k = 0; k < m; k++) {
    for (PetscInt l = 0; l < n; l++) {
      if (rows[k] < 0 || cols[l] < 0) continue;
      PetscCall(CheckPlace(A, rows[k], cols[l]));
      PetscCheck(owns(A->rmap, rows[k]), PETSC_COMM_SELF, PETSC_ERR_SUP, "Only local values currently supported: row %" PetscInt_FMT " is another rank's",
                 rows[k]);
      if (owns(A->cmap, cols[l])) {
        const PetscScalar *p = place_in(d, rows[k] - A->rmap->rstart, cols[l] - A->cmap->rstart);

        v[k * n + l] = p ? *p : PetscScalar(0);
      } else if (own->others.rest) PetscCall(MatGetValues(own->others.rest, 1, &rows[k], 1, &cols[l], &v[k * n + l]));
      else v[k * n + l] = 0;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One that nobody has. */
LentRow &free_row(std::list<LentRow> &rows)
{
  const auto free = std::find_if(rows.begin(), rows.end(), [](const LentRow &r) { return !r.lent; });

  return free != rows.end() ? *free : rows.emplace_back();
}

/* Of diagonals the entries that are not 0, and the main one; of rows all. */
PetscErrorCode MatGetRow_Own(Mat A, PetscInt row, PetscInt *n, PetscInt *cols[], PetscScalar *vals[])
{
  OwnMat            *own = own_of(A);
  OwnValues          d;
  PetscInt           nothers = 0, next = 0;
  const PetscInt    *other = NULL;
  const PetscScalar *value = NULL;
  LentRow           *lent  = nullptr;

  PetscFunctionBegin;
  PetscCheck(owns(A->rmap, row), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row %" PetscInt_FMT " out of range", row);
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, Space::Host, &d));
  PetscCall(Guarded([&] { lent = &free_row(own->rows); }));
  lent->col.clear();
  lent->val.clear();
  if (own->others.rest) PetscCall(MatGetRow(own->others.rest, row, &nothers, &other, &value));
  PetscErrorCode failed = Guarded([&] {
    const auto put = [lent](PetscInt col, PetscScalar v) {
      lent->col.push_back(col);
      lent->val.push_back(v);
    };
    const auto put_others = [&](PetscInt below) {
      for (; next < nothers && other[next] < below; next++)
        if (own->storage->by_rows() || value[next] != PetscScalar(0)) put(other[next], value[next]);
    };

    put_others(A->cmap->rstart);
    std::visit(
      [&](const auto &entries) {
        entries.for_each_of_row(row - A->rmap->rstart, [&](PetscInt col, const PetscScalar *p) {
          if (entries.is_entry(row - A->rmap->rstart, col, *p)) put(col + A->cmap->rstart, *p);
        });
      },
      d);
    put_others(PETSC_MAX_INT);
  });
  if (own->others.rest) PetscCall(MatRestoreRow(own->others.rest, row, &nothers, &other, &value));
  PetscCall(failed);
  lent->row  = row;
  lent->lent = true;
  *n         = (PetscInt)lent->col.size();
  if (cols) *cols = lent->col.data();
  if (vals) *vals = lent->val.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatRestoreRow_Own(Mat A, PetscInt row, PetscInt *n, PetscInt *cols[], PetscScalar *vals[])
{
  auto      &rows = own_of(A)->rows;
  const auto lent = std::find_if(rows.begin(), rows.end(), [row](const LentRow &r) { return r.lent && r.row == row; });

  PetscFunctionBegin;
  if (lent != rows.end()) lent->lent = false;
  if (n) *n = 0;
  if (cols) *cols = NULL;
  if (vals) *vals = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which rows are named, and their list, in the space of the values. */
struct NamedRows {
  Array<PetscInt> list;
  Array<char>     gone;
  PetscInt        n = 0, in_columns = 0; // in_columns: whose number is a column's, too
};

/* Collective. */
PetscErrorCode FindNamed(Mat A, const OwnMat *own, PetscInt n, const PetscInt rows[], NamedRows *named)
{
  std::vector<PetscInt> list;

  PetscFunctionBegin;
  PetscCall(MatFindNamedRows(A, n, rows, zero, &list));
  PetscCall(Together(comm_of(A), zero, [&] {
    named->n          = static_cast<PetscInt>(list.size());
    named->in_columns = static_cast<PetscInt>(std::lower_bound(list.begin(), list.end(), A->cmap->n) - list.begin());
    named->list       = Array<PetscInt>(own->space, list.data(), list.size());
    named->gone       = Array<char>(own->space, A->rmap->n);
    mark(own->space, named->list.data(), named->n, named->gone.data(), A->rmap->n);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows, and columns where they are to go, too. alike: a rank's rows and columns are the same, so that it has the diagonal. */
PetscErrorCode ZeroNamed(Mat A, bool columns, bool alike, const NamedRows &named, PetscScalar diag, Vec x, Vec b)
{
  OwnMat           *own = own_of(A);
  OwnValues         v;
  VecRead           in;
  VecWrite          out;
  const bool        rhs = x && b;
  const PetscScalar put = alike ? diag : 0;

  PetscFunctionBegin;
  if (!columns && named.n) PetscCall(own->storage->full(A, own));
  if (named.n && put != PetscScalar(0)) PetscCall(own->storage->put_diagonal(A, own, &named.list));
  PetscCall(OwnWrite(A, own, own->space, true, &v));
  if (rhs) PetscCall(in.get(x, own->space, own->staged.x));
  if (rhs) PetscCall(out.get(b, own->space, own->staged.y, true));
  PetscCall(Guarded([&] {
    if (columns) zero_rows_and_columns(own->space, v, named.gone.data(), put, rhs ? in.data() : nullptr, rhs ? out.data() : nullptr);
    else zero_rows(own->space, v, named.gone.data(), put);
    if (rhs) set_rows(own->space, named.list.data(), named.in_columns, diag, in.data(), out.data());
  }));
  if (rhs) PetscCall(out.restore());
  if (rhs) PetscCall(in.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. The diagonal entries of rows where the rows and columns of a rank are not the same: they may be other ranks' columns, or beyond the last one. As
   of PETSc's AIJ they may be new ones. */
PetscErrorCode InsertDiagonal(Mat A, const std::vector<PetscInt> &rows, PetscScalar diag)
{
  OwnMat        *own   = own_of(A);
  const bool     fixed = std::exchange(own->fixed, false), closed = std::exchange(own->closed, false);
  PetscErrorCode failed = PETSC_SUCCESS;

  PetscFunctionBegin;
  for (PetscInt row : rows) {
    const PetscInt k = A->rmap->rstart + row;

    if (!failed && k < A->cmap->N) failed = MatSetValues(A, 1, &k, 1, &k, &diag, INSERT_VALUES);
  }
  failed = FailTogether(comm_of(A), failed, zero);
  if (!failed) failed = MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY);
  if (!failed) failed = MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
  own->fixed  = fixed;
  own->closed = closed;
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckAlike(Mat A, bool columns)
{
  PetscFunctionBegin;
  PetscCheck(!columns && A->rmap->size == 1, PETSC_COMM_SELF, PETSC_ERR_SUP, "%s of a matrix of type %s whose rows and columns are not distributed alike",
             columns ? "MatZeroRowsColumns()" : "MatZeroRows() with a solution and a right-hand side", ((PetscObject)A)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ZeroThem(Mat A, bool columns, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b)
{
  OwnMat   *own = own_of(A);
  NamedRows named;
  Mat       rest;
  PetscBool alike;

  PetscFunctionBegin;
  PetscCall(MatHasCongruentLayouts(A, &alike));
  PetscErrorCode failed = alike || (!columns && !(x && b)) ? PETSC_SUCCESS : CheckAlike(A, columns);
  if (!failed) failed = OwnSettle(A, own);
  PetscCall(FailTogether(comm_of(A), failed, zero));
  PetscCall(FindNamed(A, own, n, rows, &named));
  PetscCall(OwnRest(A, own, &rest));
  if (rest)
    PetscCall(columns ? MatZeroRowsColumns(rest, n, rows, 0, x, b) : MatZeroRows(rest, n, rows, 0, NULL, NULL)); /* before b gets its values at the rows */
  PetscCall(FailTogether(comm_of(A), ZeroNamed(A, columns, alike, named, diag, x, b), zero));
  if (!alike && diag != PetscScalar(0)) PetscCall(InsertDiagonal(A, named.list.to_host(), diag));
  OwnUnsay(A, columns, columns && PetscImaginaryPart(diag) == 0);
  PetscCall(OwnAgreeOnPattern(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatZeroRows_Own(Mat A, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b) { return ZeroThem(A, false, n, rows, diag, x, b); }

PetscErrorCode MatZeroRowsColumns_Own(Mat A, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b)
{
  return ZeroThem(A, true, n, rows, diag, x, b);
}

} // namespace

/* Where many wait for one place, as of elements, they are added up now and then. */
static PetscErrorCode Wait(OwnMat *own, const OtherEntry &e, InsertMode mode)
{
  OwnOthers &others = own->others;

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    others.waiting.push_back(e);
    if (others.waiting.size() < 2 * others.joined) return;
    join_doubles(others.waiting, mode);
    others.joined = std::max<std::size_t>(others.joined, others.waiting.size());
  }));
  others.mode = mode;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnSetEntry(Mat A, OwnMat *own, const OtherEntry &e, InsertMode mode)
{
  bool waits = true;

  PetscFunctionBegin;
  PetscCall(CheckPlace(A, e.row, e.col));
  if (owns(A->rmap, e.row) && owns(A->cmap, e.col)) PetscCall(SetInside(A, own, e, mode, &waits));
  if (waits) PetscCall(Wait(own, e, mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnSetWaiting(Mat A, OwnMat *own, InsertMode mode)
{
  std::vector<OtherEntry> &waiting = own->others.waiting, inside;
  std::vector<PetscInt>    i, j;
  bool                     waits;

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    const auto first = std::stable_partition(waiting.begin(), waiting.end(),
                                             [&](const OtherEntry &e) { return !owns(A->rmap, e.row) || !owns(A->cmap, e.col); });

    inside.assign(first, waiting.end());
    waiting.erase(first, waiting.end());
    join_doubles(inside, mode);
    for (const OtherEntry &e : inside) {
      i.push_back(e.row);
      j.push_back(e.col);
    }
  }));
  if (inside.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  const EntryList list{static_cast<std::int64_t>(i.size()), i.data(), j.data(), A->rmap->rstart, A->cmap->rstart, A->rmap->n, A->cmap->n};
  PetscCall(OwnSettle(A, own));
  PetscCall(own->storage->put(A, own, &list, 1, false));
  for (const OtherEntry &e : inside) PetscCall(SetInside(A, own, e, mode, &waits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void OwnSetRowOps(Mat A)
{
  A->ops->setvalues       = MatSetValues_Own;
  A->ops->getvalues       = MatGetValues_Own;
  A->ops->getrow          = MatGetRow_Own;
  A->ops->restorerow      = MatRestoreRow_Own;
  A->ops->zerorows        = MatZeroRows_Own;
  A->ops->zerorowscolumns = MatZeroRowsColumns_Own;
}

} // namespace goza::mat
