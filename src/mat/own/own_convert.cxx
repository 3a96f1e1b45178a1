/* AIJ of an owning matrix and back. */
#include "mat/common/borrowed_csr.hpp"
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"
#include <numeric>

namespace goza::mat
{

PetscLogEvent own_to_aij, own_to_rows;

namespace
{

OwnMat *own_of(Mat A)
{
  return static_cast<OwnMat *>(A->data);
}

/* Rows of global columns, ascending. */
struct HostRows {
  std::vector<PetscInt> ptr;
  PetscInt             *col = NULL;
  PetscScalar          *val = NULL;

  HostRows()                            = default;
  HostRows(const HostRows &)            = delete;
  HostRows &operator=(const HostRows &) = delete;
  ~HostRows() { (void)PetscFree2(col, val); }
};

/* The entries of `others`, which are those in columns of other ranks, come before and after this rank's own. */
void join_rows_with(const Csr &others, const PetscInt *garray, const OwnValues &v, PetscInt first, HostRows &rows)
{
  std::vector<PetscInt> begin(rows.ptr);
  PetscInt              next = 0;

  for (PetscInt i = 0; i < others.nrows; i++) {
    PetscInt k = others.ptr[i];

    for (; k < others.ptr[i + 1] && garray[others.col[k]] < first; k++, begin[i]++, next++) {
      rows.col[next] = garray[others.col[k]];
      rows.val[next] = others.val[k];
    }
    next += rows.ptr[i + 1] - rows.ptr[i] - (others.ptr[i + 1] - others.ptr[i]);
    for (; k < others.ptr[i + 1]; k++, next++) {
      rows.col[next] = garray[others.col[k]];
      rows.val[next] = others.val[k];
    }
  }
  copy_entries(Space::Host, v, begin.data(), first, rows.col, rows.val);
}

/* Of diagonals the entries that are not 0, and the main one, or all places; and all of rest's. */
PetscErrorCode FindRows(Mat A, OwnMat *own, bool places, HostRows *rows)
{
  OwnValues       v;
  Mat             diagonal, block = NULL;
  const PetscInt *garray = NULL;
  BorrowedCsr     lent;
  std::int64_t    nnz = 0;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, Space::Host, &v));
  if (auto *diagonals = std::get_if<DiagonalValues>(&v)) diagonals->every = places;
  if (own->others.rest) {
    PetscCall(MatGetAIJBlocks(own->others.rest, &diagonal, &block, &garray));
    PetscCall(lent.open(block, Space::Host));
  }
  PetscCall(Guarded([&] {
    rows->ptr.resize(A->rmap->n + 1);
    count_entries(Space::Host, v, rows->ptr.data());
    for (PetscInt i = 0; block && i < A->rmap->n; i++) rows->ptr[i] += lent.csr().ptr[i + 1] - lent.csr().ptr[i];
    nnz = std::accumulate(rows->ptr.begin(), rows->ptr.end(), std::int64_t(0));
  }));
  PetscCheck(nnz <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "AIJ of this matrix would have %" PetscInt64_FMT " nonzeros, more than a PetscInt of this PETSc counts; what is asked for cannot be done without AIJ", (PetscInt64)nnz);
  PetscCall(PetscMalloc2(nnz + 1, &rows->col, nnz + 1, &rows->val));
  std::exclusive_scan(rows->ptr.begin(), rows->ptr.end(), rows->ptr.begin(), PetscInt(0));
  PetscCall(Guarded([&] {
    if (block) join_rows_with(lent.csr(), garray, v, A->cmap->rstart, *rows);
    else copy_entries(Space::Host, v, rows->ptr.data(), 0, rows->col, rows->val);
  }));
  PetscCall(lent.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A SeqAIJ or MPIAIJ on the host. places: whose pattern is the same for as long as A's nonzero state is. Collective. */
PetscErrorCode MakeAij(Mat A, bool places, Mat *B)
{
  OwnMat  *own = own_of(A);
  HostRows rows;
  Mat      rest;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(own_to_aij, A, 0, 0, 0));
  PetscCall(OwnRest(A, own, &rest));
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), FindRows(A, own, places, &rows), "make AIJ of its values"));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), B));
  PetscCall(MatSetSizes(*B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizesFromMats(*B, A, A));
  PetscCall(MatSetType(*B, rest ? MATMPIAIJ : MATSEQAIJ));
  PetscErrorCode failed = rest ? MatMPIAIJSetPreallocationCSR(*B, rows.ptr.data(), rows.col, rows.val)
                               : MatSeqAIJSetPreallocationCSR(*B, rows.ptr.data(), rows.col, rows.val);
  if (own->space == Space::Cuda && own->current) { /* no second copy is kept */
    own->host.reset();
    own->host_current = false;
  }
  if (failed) PetscCall(MatDestroy(B));
  PetscCall(failed);
  PetscCall(MatPropagateSymmetryOptions(A, *B));
  const PetscLogDouble nnz = rows.ptr[A->rmap->n];
  own->made++;
  own->made_bytes = nnz * (sizeof(PetscInt) + sizeof(PetscScalar)) + (PetscLogDouble)A->rmap->n * sizeof(PetscInt);
  PetscCall(PetscInfo(A, "AIJ is made of the matrix: %g nonzeros, %g MB\n", nnz, own->made_bytes / 1e6));
  PetscCall(PetscLogEventEnd(own_to_aij, A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CopyNullSpaces(Mat A, Mat B)
{
  MatNullSpace near;

  PetscFunctionBegin;
  PetscCall(MatGetNearNullSpace(A, &near));
  if (near) PetscCall(MatSetNearNullSpace(B, near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GiveResult(Mat A, Mat made, MatReuse reuse, Mat *M)
{
  PetscFunctionBegin;
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(OwnReplace(A, made));
  else if (reuse == MAT_REUSE_MATRIX) PetscCall(OwnReplace(*M, made));
  else *M = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To any type: through AIJ, but for the type itself. */
PetscErrorCode MatConvert_Own_Any(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  Mat       B;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(type, own_of(A)->kind->type, &same));
  if (same) {
    if (reuse == MAT_INPLACE_MATRIX) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  } else {
    PetscCall(MakeAij(A, false, &B));
    PetscCall(MatConvert(B, type, MAT_INPLACE_MATRIX, &B));
    PetscCall(CopyNullSpaces(A, B));
  }
  PetscCall(GiveResult(A, B, reuse, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A view of a DMDA's matrix in natural order asks for it. */
PetscErrorCode MatCreateSubMatrix_Own(Mat A, IS rows, IS columns, MatReuse reuse, Mat *M)
{
  Mat aij;

  PetscFunctionBegin;
  PetscCall(MakeAij(A, true, &aij));
  PetscCall(MatCreateSubMatrix(aij, rows, columns, reuse, M));
  PetscCall(MatDestroy(&aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The other block's entries, by global columns. */
PetscErrorCode FillRest(Mat B, OwnMat *own, Mat Ao, const PetscInt *garray)
{
  BorrowedCsr           lent;
  std::vector<PetscInt> col;

  PetscFunctionBegin;
  PetscErrorCode failed = lent.open(Ao, Space::Host);
  if (!failed)
    failed = Guarded([&] {
      col.reserve(lent.nnz() + 1); // PETSc takes a null pointer for "not given"
      for (PetscInt k = 0; k < lent.nnz(); k++) col.push_back(garray[lent.csr().col[k]]);
    });
  PetscCall(FailTogether(PetscObjectComm((PetscObject)B), failed, "read its rows"));
  PetscScalar none = 0;
  PetscCall(OwnSetRest(B, own, lent.csr().ptr, col.data(), lent.csr().val ? lent.csr().val : &none));
  PetscCall(lent.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of which kind a matrix becomes that is to have this type. */
PetscErrorCode FindKind(MatType type, const OwnKind **found)
{
  PetscBool same;

  PetscFunctionBegin;
  *found = nullptr;
  for (const auto &kind : own_kinds) {
    const FormatKind &format = kind().format();

    for (const char *name : {kind().type, format.root, format.seq, format.mpi}) {
      PetscCall(PetscStrcmp(type, name, &same));
      if (same) *found = &kind();
    }
  }
  PetscCheck(*found, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "No matrix of type %s owns its values", type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From any type: through AIJ. */
PetscErrorCode MatConvert_Any_Own(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  Mat            B;
  const OwnKind *kind;

  PetscFunctionBegin;
  PetscCall(FindKind(type, &kind));
  PetscCall(OwnFrom(A, A, *kind, &B));
  PetscCall(CopyNullSpaces(A, B));
  PetscCall(GiveResult(A, B, reuse, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode OwnFrom(Mat X, Mat like, const OwnKind &kind, Mat *B)
{
  Mat             aij = X, Ad, Ao;
  PetscBool       seq, mpi;
  BorrowedCsr     lent;
  const PetscInt *garray;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)X, MATSEQAIJ, &seq));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)X, MATMPIAIJ, &mpi));
  if (!seq && !mpi) PetscCall(MatConvert(X, MATAIJ, MAT_INITIAL_MATRIX, &aij));
  PetscCall(MatGetAIJBlocks(aij, &Ad, &Ao, &garray));
  PetscCall(OwnNew(like, kind, nullptr, false, B));
  (*B)->symmetry_eternal = (*B)->spd_eternal = PETSC_FALSE;
  OwnUnsay(*B, false, false);
  PetscCall(MatPropagateSymmetryOptions(X, *B)); /* what was said of X, and not of the other */
  OwnMat *const  own    = own_of(*B);
  PetscErrorCode failed = OwnShape(*B, own);
  if (!failed) failed = lent.open(Ad, own->storage->rows_space(*own), true);
  if (!failed) failed = own->storage->take_rows(*B, own, lent.csr());
  PetscCall(lent.close());
  failed = FailTogether(PetscObjectComm((PetscObject)X), failed, "hold its values");
  if (!failed && Ao) failed = FillRest(*B, own, Ao, garray);
  if (aij != X) PetscCall(MatDestroy(&aij));
  if (failed) PetscCall(MatDestroy(B));
  PetscCall(failed);
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnReplace(Mat A, Mat made)
{
  PetscFunctionBegin;
  made->nonzerostate = PetscMax(made->nonzerostate, A->nonzerostate + 1); /* who has set up from A must not find the state that was there */
  PetscCall(MatHeaderReplace(A, &made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnCompressedRows(Mat A, CsrMatrix *rows, Mat *others, const PetscInt **garray)
{
  OwnMat   *own = own_of(A);
  OwnValues v;
  Mat       rest, diagonal;

  PetscFunctionBegin;
  *others = NULL;
  PetscCall(PetscLogEventBegin(own_to_rows, A, 0, 0, 0));
  PetscCall(OwnRest(A, own, &rest));
  PetscErrorCode failed = OwnSettle(A, own);
  if (!failed) failed = OwnRead(A, own, own->space, &v);
  if (!failed) failed = Guarded([&] { *rows = compressed_rows(own->space, v); });
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), failed, "make rows of its values"));
  PetscCall(PetscLogEventEnd(own_to_rows, A, 0, 0, 0));
  if (rest) PetscCall(MatGetAIJBlocks(rest, &diagonal, others, garray));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void OwnSetConvertOps(Mat A)
{
  A->ops->convert         = MatConvert_Own_Any;
  A->ops->convertfrom     = MatConvert_Any_Own;
  A->ops->createsubmatrix = MatCreateSubMatrix_Own;
}

} // namespace goza::mat
