/* Single entries and rows of an owning matrix. */
#include "diagonal_ops.hpp"
#include "mat/common/zero_rows.hpp"
#include "own_cds.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat
{

namespace
{

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

PetscErrorCode MatSetValues_OwnCds(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[], const PetscScalar v[], InsertMode mode)
{
  OwnCds *own = own_of(A);

  PetscFunctionBegin;
  PetscCall(Open(A, own));
  for (PetscInt k = 0; k < m; k++) {
    for (PetscInt l = 0; l < n; l++) {
      const PetscInt    row = rows[k], col = cols[l];
      const PetscScalar value = !v ? PetscScalar(0) : own->row_oriented ? v[k * n + l] : v[l * m + k];

      if (row < 0 || col < 0) continue;
      PetscCall(CheckPlace(A, row, col));
      PetscScalar *p = own->open.place(row, col);

      if (!p) {
        if (value == PetscScalar(0)) continue;
        PetscCall(NewDiagonal(A, own, col / own->bs - row / own->bs));
        p = own->open.place(row, col);
      }
      if (own->open.half && col / own->bs < row / own->bs) continue; /* the entry above the diagonal is set for both */
      if (mode == ADD_VALUES) *p += value;
      else *p = value;
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
      const PetscScalar *p = d.place(rows[k], cols[l]);

      v[k * n + l] = p ? *p : PetscScalar(0);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries that are not 0, and the main diagonal. */
PetscErrorCode MatGetRow_OwnCds(Mat A, PetscInt row, PetscInt *n, PetscInt *cols[], PetscScalar *vals[])
{
  OwnCds        *own = own_of(A);
  DiagonalValues d;

  PetscFunctionBegin;
  PetscCheck(row >= 0 && row < A->rmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row %" PetscInt_FMT " out of range", row);
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, Space::Host, &d));
  PetscCallCXX(own->row_col.clear());
  PetscCallCXX(own->row_val.clear());
  PetscCall(Guarded([&] {
    d.for_each_of_row(row, [&](PetscInt col, const PetscScalar *p) {
      if (col != row && *p == PetscScalar(0)) return;
      own->row_col.push_back(col);
      own->row_val.push_back(*p);
    });
  }));
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

PetscErrorCode FindNamed(Mat A, const OwnCds *own, PetscInt n, const PetscInt rows[], Named *named)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++)
    PetscCheck(rows[k] >= 0 && rows[k] < A->rmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row %" PetscInt_FMT " out of range [0,%" PetscInt_FMT ")", rows[k],
               A->rmap->N);
  PetscCall(Guarded([&] {
    named->n    = n;
    named->list = Array<PetscInt>(own->space, rows, n);
    named->gone = Array<char>(own->space, A->rmap->n);
    mark(own->space, named->list.data(), n, named->gone.data(), A->rmap->n);
    if (!n) named->gone.zero();
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatZeroRows_OwnCds(Mat A, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b)
{
  OwnCds        *own = own_of(A);
  Named          named;
  DiagonalValues v;

  PetscFunctionBegin;
  PetscCheck(A->rmap->n == A->cmap->n || diag == PetscScalar(0), PETSC_COMM_SELF, PETSC_ERR_SUP, "A rectangular matrix of type %s gets no diagonal entries", own_cds_type);
  PetscCall(OwnSettle(A, own));
  if (n) PetscCall(OwnMakeFull(A, own));
  PetscCall(FindNamed(A, own, n, rows, &named));
  PetscCall(OwnWrite(A, own, own->space, true, &v));
  PetscCall(Guarded([&] { zero_rows(own->space, v, named.gone.data(), diag); }));
  if (x && b) {
    VecRead  in;
    VecWrite out;

    PetscCall(in.get(x, own->space, own->staged_x));
    PetscCall(out.get(b, own->space, own->staged_y, true));
    PetscCall(Guarded([&] { set_rows(own->space, named.list.data(), n, diag, in.data(), out.data()); }));
    PetscCall(out.restore());
    PetscCall(in.restore());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatZeroRowsColumns_OwnCds(Mat A, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b)
{
  OwnCds        *own = own_of(A);
  Named          named;
  DiagonalValues v;
  VecRead        in;
  VecWrite       out;
  const bool     rhs = x && b;

  PetscFunctionBegin;
  PetscCheck(A->rmap->n == A->cmap->n, PETSC_COMM_SELF, PETSC_ERR_SUP, "MatZeroRowsColumns() of a rectangular matrix");
  PetscCall(OwnSettle(A, own));
  PetscCall(FindNamed(A, own, n, rows, &named));
  PetscCall(OwnWrite(A, own, own->space, true, &v));
  if (rhs) PetscCall(in.get(x, own->space, own->staged_x));
  if (rhs) PetscCall(out.get(b, own->space, own->staged_y, true));
  PetscCall(Guarded([&] {
    zero_rows_and_columns(own->space, v, named.gone.data(), diag, rhs ? in.data() : nullptr, rhs ? out.data() : nullptr);
    if (rhs) set_rows(own->space, named.list.data(), n, diag, in.data(), out.data());
  }));
  if (rhs) PetscCall(out.restore());
  if (rhs) PetscCall(in.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

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
