/* AIJ of an owning matrix and back. */
#include "mat/common/borrowed_csr.hpp"
#include "own_mat.hpp"
#include "parallel/agree.hpp"

namespace goza::mat {

PetscLogEvent own_to_rows;

static PetscErrorCode CopyNullSpaces(Mat A, Mat B)
{
  MatNullSpace near;

  PetscFunctionBegin;
  PetscCall(MatGetNearNullSpace(A, &near));
  if (near) PetscCall(MatSetNearNullSpace(B, near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GiveResult(Mat A, Mat made, MatReuse reuse, Mat *M)
{
  PetscFunctionBegin;
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(OwnReplace(A, made));
  else if (reuse == MAT_REUSE_MATRIX) PetscCall(OwnReplace(*M, made));
  else *M = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To any type: through AIJ, but for the type itself. */
static PetscErrorCode MatConvert_Own_Any(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  Mat       B;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(type, own_of(A)->kind->type, &same));
  if (same) {
    if (reuse == MAT_INPLACE_MATRIX) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  } else {
    PetscCall(OwnMakeAij(A, false, &B));
    PetscCall(MatConvert(B, type, MAT_INPLACE_MATRIX, &B));
    PetscCall(CopyNullSpaces(A, B));
  }
  PetscCall(GiveResult(A, B, reuse, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The other block's entries. */
static PetscErrorCode FillRest(Mat B, OwnMat *own, Mat Ao, const PetscInt *garray)
{
  BorrowedCsr lent;

  PetscFunctionBegin;
  const PetscErrorCode failed = lent.open(Ao, Space::Host);
  PetscCall(OwnSetRest(B, own, lent.csr(), garray, failed));
  PetscCall(lent.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of which kind a matrix becomes that is to have this type. */
static PetscErrorCode FindKind(MatType type, const OwnKind **found)
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
static PetscErrorCode MatConvert_Any_Own(Mat A, MatType type, MatReuse reuse, Mat *M)
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

PetscErrorCode OwnFrom(Mat X, Mat like, const OwnKind &kind, Mat *B)
{
  Mat         aij = X;
  OwnMat     *of  = find_own(like);
  BorrowedCsr lent;

  PetscFunctionBegin;
  if (!is_aij(X)) PetscCall(MatConvert(X, MATAIJ, MAT_INITIAL_MATRIX, &aij));
  const AijBlocks blocks = blocks_of(aij);
  PetscCall(OwnNew(like, kind, nullptr, false, B));
  if (of && of->kind == &kind && of->shaped) PetscCall(MatSetBlockSize(*B, of->bs)); // as it is laid out: its block size may have been set since
  (*B)->symmetry_eternal = (*B)->spd_eternal = PETSC_FALSE;
  OwnUnsay(*B, false, false);
  PetscCall(MatPropagateSymmetryOptions(X, *B)); /* what was said of X, and not of the other */
  OwnMat *const  own    = own_of(*B);
  PetscErrorCode failed = OwnShape(*B, own);
  if (!failed) failed = lent.open(blocks.diagonal(), own->storage->rows_space(*own), true);
  if (!failed) failed = own->storage->take_rows(*B, own, lent.csr());
  PetscCall(lent.close());
  failed = FailTogether(comm_of(X), failed, "hold its values");
  if (!failed && blocks.others()) failed = FillRest(*B, own, blocks.others(), blocks.garray);
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

PetscErrorCode OwnCompressedRows(Mat A, CsrMatrix *rows, AijBlocks *rest)
{
  OwnMat   *own = own_of(A);
  OwnValues v;
  Mat       others;

  PetscFunctionBegin;
  *rest = {};
  PetscCall(PetscLogEventBegin(own_to_rows, A, 0, 0, 0));
  PetscCall(OwnRest(A, own, &others));
  PetscErrorCode failed = OwnSettle(A, own);
  if (!failed) failed = OwnRead(A, own, own->space, &v);
  if (!failed) failed = Guarded([&] { *rows = compressed_rows(own->space, v); });
  PetscCall(FailTogether(comm_of(A), failed, "make rows of its values"));
  PetscCall(PetscLogEventEnd(own_to_rows, A, 0, 0, 0));
  if (others) *rest = blocks_of(others);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void OwnSetConvertOps(Mat A)
{
  A->ops->convert     = MatConvert_Own_Any;
  A->ops->convertfrom = MatConvert_Any_Own;
}

} // namespace goza::mat
