/* Single entries and rows of an owning matrix. */
#include "diagonal_ops.hpp"
#include "mat/common/zero_rows.hpp"
#include "own_cds.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"
#include <algorithm>
#include <petscsf.h>

namespace goza::mat
{

namespace
{

constexpr char zero[] = "zero its rows";

OwnCds *own_of(Mat A)
{
  return static_cast<OwnCds *>(A->data);
}

/* On the host, for one entry after another. */
PetscErrorCode Open(Mat A, OwnCds *own)
{
  PetscFunctionBegin;
  if (own->is_open) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OwnSettle(A, own));
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

/* A value for which there is no diagonal yet. */
PetscErrorCode NewDiagonal(Mat A, OwnCds *own, PetscInt offset)
{
  std::vector<PetscInt> one;

  PetscFunctionBegin;
  PetscCallCXX(one.assign(1, offset));
  PetscCall(OwnAddOffsets(A, own, one));
  PetscCall(Open(A, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool owns(PetscLayout map, PetscInt k)
{
  return k >= map->rstart && k < map->rend;
}

/* Into the diagonals, by this rank's numbers. */
PetscErrorCode SetInDiagonals(Mat A, OwnCds *own, PetscInt row, PetscInt col, PetscScalar value, InsertMode mode)
{
  PetscScalar *p = own->open.place(row, col);

  PetscFunctionBegin;
  if (!p) {
    if (value == PetscScalar(0)) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(NewDiagonal(A, own, col / own->bs - row / own->bs));
    p = own->open.place(row, col);
  }
  if (own->open.half && col / own->bs < row / own->bs) PetscFunctionReturn(PETSC_SUCCESS); /* the entry above the diagonal is set for both */
  if (mode == ADD_VALUES) *p += value;
  else *p = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValues_OwnCds(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[], const PetscScalar v[], InsertMode mode)
{
  OwnCds *own = own_of(A);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < m; k++) {
    if (rows[k] >= 0 && !owns(A->rmap, rows[k])) {
      PetscCheck(rows[k] < A->rmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row too large: row %" PetscInt_FMT " max %" PetscInt_FMT, rows[k], A->rmap->N - 1);
      PetscCheck(!A->nooffprocentries, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Setting off process row %" PetscInt_FMT " even though MatSetOption(,MAT_NO_OFF_PROC_ENTRIES,PETSC_TRUE) was set", rows[k]);
      if (own->others.ignored) continue;
    }
    for (PetscInt l = 0; l < n; l++) {
      if (rows[k] < 0 || cols[l] < 0) continue;
      PetscCall(OwnSetEntry(A, own, {rows[k], cols[l], !v ? PetscScalar(0) : own->row_oriented ? v[k * n + l] : v[l * m + k]}, mode));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetValues_OwnCds(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[], PetscScalar v[])
{
  OwnCds        *own = own_of(A);
  DiagonalValues d;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, Space::Host, &d));
  for (PetscInt k = 0; k < m; k++) {
    for (PetscInt l = 0; l < n; l++) {
      if (rows[k] < 0 || cols[l] < 0) continue;
      PetscCall(CheckPlace(A, rows[k], cols[l]));
      PetscCheck(owns(A->rmap, rows[k]), PETSC_COMM_SELF, PETSC_ERR_SUP, "Only local values currently supported: row %" PetscInt_FMT " is another rank's", rows[k]);
      if (owns(A->cmap, cols[l])) {
        const PetscScalar *p = d.place(rows[k] - A->rmap->rstart, cols[l] - A->cmap->rstart);

        v[k * n + l] = p ? *p : PetscScalar(0);
      } else if (own->others.rest) PetscCall(MatGetValues(own->others.rest, 1, &rows[k], 1, &cols[l], &v[k * n + l]));
      else v[k * n + l] = 0;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries that are not 0, and the main diagonal. */
PetscErrorCode MatGetRow_OwnCds(Mat A, PetscInt row, PetscInt *n, PetscInt *cols[], PetscScalar *vals[])
{
  OwnCds            *own = own_of(A);
  DiagonalValues     d;
  PetscInt           nothers = 0, next = 0;
  const PetscInt    *other = NULL;
  const PetscScalar *value = NULL;

  PetscFunctionBegin;
  PetscCheck(owns(A->rmap, row), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row %" PetscInt_FMT " out of range", row);
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, Space::Host, &d));
  PetscCallCXX(own->row_col.clear());
  PetscCallCXX(own->row_val.clear());
  if (own->others.rest) PetscCall(MatGetRow(own->others.rest, row, &nothers, &other, &value));
  PetscErrorCode failed = Guarded([&] {
    const auto put = [own](PetscInt col, PetscScalar v) {
      own->row_col.push_back(col);
      own->row_val.push_back(v);
    };
    const auto put_others = [&](PetscInt below) {
      for (; next < nothers && other[next] < below; next++) {
        if (value[next] != PetscScalar(0)) put(other[next], value[next]);
      }
    };

    put_others(A->cmap->rstart);
    d.for_each_of_row(row - A->rmap->rstart, [&](PetscInt col, const PetscScalar *p) {
      if (col != row - A->rmap->rstart && *p == PetscScalar(0)) return;
      put(col + A->cmap->rstart, *p);
    });
    put_others(PETSC_MAX_INT);
  });
  if (own->others.rest) PetscCall(MatRestoreRow(own->others.rest, row, &nothers, &other, &value));
  PetscCall(failed);
  *n = (PetscInt)own->row_col.size();
  if (cols) *cols = own->row_col.data();
  if (vals) *vals = own->row_val.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatRestoreRow_OwnCds(Mat, PetscInt, PetscInt *n, PetscInt *cols[], PetscScalar *vals[])
{
  PetscFunctionBegin;
  if (n) *n = 0;
  if (cols) *cols = NULL;
  if (vals) *vals = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which rows are named, and their list, in the space of the values. */
struct Named {
  Array<PetscInt> list;
  Array<char>     gone;
  PetscInt        n = 0;
};

/* Those that a rank names itself, and those that others name. */
PetscErrorCode MarkNamed(Mat A, PetscInt n, const PetscInt rows[], std::vector<char> &marks)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    PetscCheck(rows[k] >= 0 && rows[k] < A->rmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row %" PetscInt_FMT " out of range [0,%" PetscInt_FMT ")", rows[k],
               A->rmap->N);
    if (owns(A->rmap, rows[k])) marks[rows[k] - A->rmap->rstart] = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. */
PetscErrorCode FindNamed(Mat A, const OwnCds *own, PetscInt n, const PetscInt rows[], Named *named)
{
  std::vector<char>     marks, ones;
  std::vector<PetscInt> list;
  PetscSF               sf;

  PetscFunctionBegin;
  PetscErrorCode failed = Guarded([&] {
    marks.resize(A->rmap->n);
    ones.assign(n, 1);
  });
  if (!failed) failed = MarkNamed(A, n, rows, marks);
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), failed, zero));
  if (A->rmap->size > 1 && !A->nooffproczerorows) {
    PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &sf));
    PetscCall(PetscSFSetGraphLayout(sf, A->rmap, n, NULL, PETSC_COPY_VALUES, rows));
    PetscCall(PetscSFReduceBegin(sf, MPI_CHAR, ones.data(), marks.data(), MPI_REPLACE));
    PetscCall(PetscSFReduceEnd(sf, MPI_CHAR, ones.data(), marks.data(), MPI_REPLACE));
    PetscCall(PetscSFDestroy(&sf));
  }
  failed = Guarded([&] {
    for (std::size_t i = 0; i < marks.size(); i++) {
      if (marks[i]) list.push_back(static_cast<PetscInt>(i));
    }
    named->n    = static_cast<PetscInt>(list.size());
    named->list = Array<PetscInt>(own->space, list.data(), list.size());
    named->gone = Array<char>(own->space, marks.data(), marks.size());
  });
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), failed, zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows, and columns where they are to go, too. */
PetscErrorCode ZeroNamed(Mat A, bool columns, const Named &named, PetscScalar diag, Vec x, Vec b)
{
  OwnCds        *own = own_of(A);
  DiagonalValues v;
  VecRead        in;
  VecWrite       out;
  const bool     rhs = x && b;

  PetscFunctionBegin;
  if (!columns && named.n) PetscCall(OwnMakeFull(A, own));
  PetscCall(OwnWrite(A, own, own->space, true, &v));
  if (rhs) PetscCall(in.get(x, own->space, own->staged_x));
  if (rhs) PetscCall(out.get(b, own->space, own->staged_y, true));
  PetscCall(Guarded([&] {
    if (columns) zero_rows_and_columns(own->space, v, named.gone.data(), diag, rhs ? in.data() : nullptr, rhs ? out.data() : nullptr);
    else zero_rows(own->space, v, named.gone.data(), diag);
    if (rhs) set_rows(own->space, named.list.data(), named.n, diag, in.data(), out.data());
  }));
  if (rhs) PetscCall(out.restore());
  if (rhs) PetscCall(in.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ZeroThem(Mat A, bool columns, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b)
{
  OwnCds *own = own_of(A);
  Named   named;
  Mat     rest;

  PetscFunctionBegin;
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), OwnSettle(A, own), zero));
  PetscCall(FindNamed(A, own, n, rows, &named));
  PetscCall(OwnRest(A, own, &rest));
  if (rest)
    PetscCall(columns ? MatZeroRowsColumns(rest, n, rows, 0, x, b) : MatZeroRows(rest, n, rows, 0, NULL, NULL)); /* before b gets its values at the rows */
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), ZeroNamed(A, columns, named, diag, x, b), zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatZeroRows_OwnCds(Mat A, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b)
{
  PetscFunctionBegin;
  PetscCheck(A->rmap->n == A->cmap->n || diag == PetscScalar(0), PETSC_COMM_SELF, PETSC_ERR_SUP, "A rectangular matrix of type %s gets no diagonal entries", own_cds_type);
  PetscCall(ZeroThem(A, false, n, rows, diag, x, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatZeroRowsColumns_OwnCds(Mat A, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b)
{
  PetscFunctionBegin;
  PetscCheck(A->rmap->n == A->cmap->n, PETSC_COMM_SELF, PETSC_ERR_SUP, "MatZeroRowsColumns() of a rectangular matrix");
  PetscCall(ZeroThem(A, true, n, rows, diag, x, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode OwnSetEntry(Mat A, OwnCds *own, const OtherEntry &e, InsertMode mode)
{
  PetscFunctionBegin;
  PetscCall(CheckPlace(A, e.row, e.col));
  if (owns(A->rmap, e.row) && owns(A->cmap, e.col)) {
    PetscCall(Open(A, own));
    PetscCall(SetInDiagonals(A, own, e.row - A->rmap->rstart, e.col - A->cmap->rstart, e.value, mode));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallCXX(own->others.waiting.push_back(e));
  own->others.mode = mode;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void OwnCdsSetRowOps(Mat A)
{
  A->ops->setvalues       = MatSetValues_OwnCds;
  A->ops->getvalues       = MatGetValues_OwnCds;
  A->ops->getrow          = MatGetRow_OwnCds;
  A->ops->restorerow      = MatRestoreRow_OwnCds;
  A->ops->zerorows        = MatZeroRows_OwnCds;
  A->ops->zerorowscolumns = MatZeroRowsColumns_OwnCds;
}

} // namespace goza::mat
