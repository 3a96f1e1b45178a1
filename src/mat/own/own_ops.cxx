/* Operations on all values of an owning matrix, where they are. */
#include "diagonal_ops.hpp"
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

/* call(values): changes them where they are */
template <class Call> PetscErrorCode Change(Mat A, const Call &call)
{
  OwnCds        *own = own_of(A);
  DiagonalValues v;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnWrite(A, own, own->space, true, &v));
  PetscCall(Guarded([&] { call(own->space, v); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatScale_OwnCds(Mat A, PetscScalar a)
{
  PetscFunctionBegin;
  PetscCall(Change(A, [&](Space space, const DiagonalValues &v) { scale(space, v, a); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NeedsDiagonal(Mat A)
{
  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own_of(A)));
  PetscCall(OwnAddOffsets(A, own_of(A), {0}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatShift_OwnCds(Mat A, PetscScalar a)
{
  PetscFunctionBegin;
  PetscCall(NeedsDiagonal(A));
  PetscCall(Change(A, [&](Space space, const DiagonalValues &v) { change_diagonal(space, v, a, nullptr, true); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDiagonalSet_OwnCds(Mat A, Vec d, InsertMode mode)
{
  OwnCds *own = own_of(A);
  VecRead in;

  PetscFunctionBegin;
  PetscCall(NeedsDiagonal(A));
  PetscCall(in.get(d, own->space, own->staged_x));
  PetscCall(Change(A, [&](Space space, const DiagonalValues &v) { change_diagonal(space, v, 1, in.data(), mode == ADD_VALUES); }));
  PetscCall(in.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDiagonalScale_OwnCds(Mat A, Vec l, Vec r)
{
  OwnCds *own = own_of(A);
  VecRead left, right;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  if (l != r) PetscCall(OwnMakeFull(A, own));
  if (l) PetscCall(left.get(l, own->space, own->staged_x));
  if (r) PetscCall(right.get(r, own->space, own->staged_y));
  PetscCall(Change(A, [&](Space space, const DiagonalValues &v) { scale_rows_and_columns(space, v, l ? left.data() : nullptr, r ? right.data() : nullptr); }));
  if (r) PetscCall(right.restore());
  if (l) PetscCall(left.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetDiagonal_OwnCds(Mat A, Vec d)
{
  OwnCds        *own = own_of(A);
  DiagonalValues v;
  VecWrite       out;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, own->space, &v));
  PetscCall(out.get(d, own->space, own->staged_z));
  PetscCall(Guarded([&] { read_diagonal(own->space, v, out.data()); }));
  PetscCall(out.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatNorm_OwnCds(Mat A, NormType type, PetscReal *norm)
{
  OwnCds        *own = own_of(A);
  DiagonalValues v;

  PetscFunctionBegin;
  PetscCheck(type == NORM_1 || type == NORM_FROBENIUS || type == NORM_INFINITY, PETSC_COMM_SELF, PETSC_ERR_SUP, "Matrix type %s has the norms 1, Frobenius and infinity", own_cds_type);
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, own->space, &v));
  PetscCall(Guarded([&] {
    *norm = type == NORM_1        ? largest_column_sum(own->space, v)
          : type == NORM_INFINITY ? largest_row_sum(own->space, v)
                                  : PetscSqrtReal(square_sum(own->space, v));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatZeroEntries_OwnCds(Mat A)
{
  PetscFunctionBegin;
  PetscCall(OwnForget(A, own_of(A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that owns its diagonals like Y's, with X's values: X itself, or made of it. */
PetscErrorCode AsOwn(Mat X, const OwnCds *own, Mat *made, OwnCds **x)
{
  PetscFunctionBegin;
  *made = NULL;
  PetscCall(MatGetOwnCds(X, x));
  if (*x) {
    PetscCall(OwnSettle(X, *x));
    if ((*x)->bs == own->bs && (*x)->space == own->space) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCheck((*x)->space == own->space, PETSC_COMM_SELF, PETSC_ERR_SUP, "One matrix is bound to the CPU, the other is not");
    PetscCheck(false, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "The matrices have diagonals of blocks of %" PetscInt_FMT " and %" PetscInt_FMT, (*x)->bs, own->bs);
  }
  PetscCall(MatConvert(X, own_cds_type, MAT_INITIAL_MATRIX, made));
  PetscCall(MatGetOwnCds(*made, x));
  PetscCall(OwnSettle(*made, *x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Y = a X, or Y + a X */
PetscErrorCode Combine(Mat Y, PetscScalar a, Mat X, bool add)
{
  OwnCds        *y = own_of(Y), *x;
  Mat            made;
  DiagonalValues yv, xv;

  PetscFunctionBegin;
  PetscCall(OwnSettle(Y, y));
  PetscCall(AsOwn(X, y, &made, &x));
  PetscCall(OwnRead(made ? made : X, x, x->space, &xv));
  PetscCall(OwnAddOffsets(Y, y, x->offset));
  if (!xv.half) PetscCall(OwnMakeFull(Y, y));
  PetscCall(OwnWrite(Y, y, y->space, add, &yv));
  PetscCall(Guarded([&] { combine(y->space, yv, xv, a, add); }));
  PetscCall(MatDestroy(&made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatAXPY_OwnCds(Mat Y, PetscScalar a, Mat X, MatStructure)
{
  PetscFunctionBegin;
  PetscCall(Combine(Y, a, X, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCopy_OwnCds(Mat A, Mat B, MatStructure)
{
  OwnCds *b;
  Mat     aij;

  PetscFunctionBegin;
  PetscCall(MatGetOwnCds(B, &b));
  if (b) PetscCall(Combine(B, 1, A, false));
  else {
    PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &aij));
    PetscCall(MatCopy(aij, B, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatDestroy(&aij));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDuplicate_OwnCds(Mat A, MatDuplicateOption how, Mat *B)
{
  OwnCds *own = own_of(A), *copy;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnCdsNew(A, own, B));
  copy         = own_of(*B);
  copy->bs     = own->bs;
  copy->space  = own->space;
  copy->fixed  = own->fixed;
  copy->shaped = true;
  PetscCallCXX(copy->offset = own->offset);
  (*B)->preallocated = PETSC_TRUE;
  if (own->op && how == MAT_COPY_VALUES) PetscCall(Combine(*B, 1, A, false));
  (*B)->assembled = A->assembled;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTranspose_OwnCds(Mat A, MatReuse reuse, Mat *B)
{
  OwnCds        *own = own_of(A), *to;
  DiagonalValues v, t;
  Mat            C;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, own->space, &v));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &C));
  PetscCall(MatSetSizes(C, A->cmap->n, A->rmap->n, A->cmap->N, A->rmap->N));
  PetscCall(MatSetBlockSizesFromMats(C, A, A));
  PetscCall(MatSetType(C, own_cds_type));
  to                  = own_of(C);
  to->options         = own->options;
  to->options.bs      = own->bs;
  to->options.storage = v.half ? CdsStorage::Half : CdsStorage::Full;
  PetscCall(OwnShape(C, to));
  to->offset.clear();
  for (std::size_t d = own->offset.size(); d-- > 0;) PetscCallCXX(to->offset.push_back(-own->offset[d]));
  C->preallocated = PETSC_TRUE;
  PetscCall(OwnWrite(C, to, to->space, false, &t));
  to->options.storage = own->options.storage;
  to->options.bs      = own->options.bs;
  PetscCall(Guarded([&] { transpose_into(own->space, t, v); }));
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  if (reuse == MAT_INITIAL_MATRIX) *B = C;
  else if (reuse == MAT_INPLACE_MATRIX) PetscCall(MatHeaderReplace(A, &C));
  else {
    PetscCall(MatCopy(C, *B, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatDestroy(&C));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_LT(3, 25, 0)
PetscErrorCode MatMissingDiagonal_OwnCds(Mat A, PetscBool *missing, PetscInt *row)
{
  PetscFunctionBegin;
  PetscCall(OwnShape(A, own_of(A)));
  *missing = PETSC_FALSE; /* the main diagonal is always stored */
  if (row) *row = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace

void OwnCdsSetValueOps(Mat A)
{
  A->ops->scale         = MatScale_OwnCds;
  A->ops->shift         = MatShift_OwnCds;
  A->ops->diagonalset   = MatDiagonalSet_OwnCds;
  A->ops->diagonalscale = MatDiagonalScale_OwnCds;
  A->ops->getdiagonal   = MatGetDiagonal_OwnCds;
  A->ops->norm          = MatNorm_OwnCds;
  A->ops->zeroentries   = MatZeroEntries_OwnCds;
  A->ops->axpy          = MatAXPY_OwnCds;
  A->ops->copy          = MatCopy_OwnCds;
  A->ops->duplicate     = MatDuplicate_OwnCds;
  A->ops->transpose     = MatTranspose_OwnCds;
#if PETSC_VERSION_LT(3, 25, 0)
  A->ops->missingdiagonal = MatMissingDiagonal_OwnCds;
#endif
}

} // namespace goza::mat
