/* Operations on all values of an owning matrix, where they are. */
#include "own_mat.hpp"
#include "mat/common/format_mat.hpp"
#include "parallel/agree.hpp"

namespace goza::mat {

constexpr char change[] = "change its values of the matrix";

static PetscErrorCode AllAgree(Mat A, PetscErrorCode here) { return FailTogether(comm_of(A), here, change); }

/* Collective. call(values): changes the diagonals where they are */
template <class Call> static PetscErrorCode Change(Mat A, const Call &call)
{
  OwnMat   *own = own_of(A);
  OwnValues v;

  PetscFunctionBegin;
  PetscErrorCode failed = OwnSettle(A, own);
  if (!failed) failed = OwnWrite(A, own, own->space, true, &v);
  if (!failed) failed = Guarded([&] { call(own->space, v); });
  PetscCall(AllAgree(A, failed));
  PetscCall(OwnLookForNewPattern(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatScale_Own(Mat A, PetscScalar a)
{
  Mat rest;

  PetscFunctionBegin;
  PetscCall(Change(A, [&](Space space, const OwnValues &v) { scale(space, v, a); }));
  PetscCall(OwnRest(A, own_of(A), &rest));
  if (rest) PetscCall(MatScale(rest, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatConjugate_Own(Mat A)
{
  Mat rest;

  PetscFunctionBegin;
  PetscCall(Change(A, [](Space space, const OwnValues &v) { conjugate(space, places_in(v), array_of(v)); }));
  PetscCall(OwnRest(A, own_of(A), &rest));
  if (rest) PetscCall(MatConjugate(rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As PETSc's own parallel matrices have it. */
static PetscErrorCode CheckDiagonalIsOwn(Mat A)
{
  PetscFunctionBegin;
  PetscCheck(A->rmap->size == 1 || (A->rmap->N == A->cmap->N && A->rmap->rstart == A->cmap->rstart && A->rmap->rend == A->cmap->rend), PETSC_COMM_SELF,
             PETSC_ERR_SUP, "The diagonal of a matrix of several ranks whose rows and columns are not distributed alike");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NeedsDiagonal(Mat A)
{
  PetscFunctionBegin;
  PetscErrorCode failed = CheckDiagonalIsOwn(A);
  if (!failed) failed = OwnSettle(A, own_of(A));
  if (!failed) failed = own_of(A)->storage->put_diagonal(A, own_of(A), nullptr);
  PetscCall(AllAgree(A, failed));
  PetscCall(OwnAgreeOnPattern(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatShift_Own(Mat A, PetscScalar a)
{
  PetscFunctionBegin;
  PetscCall(NeedsDiagonal(A));
  PetscCall(Change(A, [&](Space space, const OwnValues &v) { change_diagonal(space, v, a, nullptr, true); }));
  OwnUnsay(A, true, !PetscDefined(USE_COMPLEX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDiagonalSet_Own(Mat A, Vec d, InsertMode mode)
{
  OwnMat *own = own_of(A);
  VecRead in;

  PetscFunctionBegin;
  PetscCall(NeedsDiagonal(A));
  PetscCall(in.get(d, own->space, own->staged.x));
  PetscCall(Change(A, [&](Space space, const OwnValues &v) { change_diagonal(space, v, 1, in.data(), mode == ADD_VALUES); }));
  PetscCall(in.restore());
  OwnUnsay(A, true, !PetscDefined(USE_COMPLEX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDiagonalScale_Own(Mat A, Vec l, Vec r)
{
  OwnMat *own = own_of(A);
  VecRead left, right;
  Mat     rest;

  PetscFunctionBegin;
  PetscErrorCode failed = l ? OwnCheckLength(A->rmap, l) : PETSC_SUCCESS;
  if (!failed && r) failed = OwnCheckLength(A->cmap, r);
  if (!failed) failed = OwnSettle(A, own);
  if (!failed && l != r) failed = own->storage->full(A, own);
  PetscCall(AllAgree(A, failed));
  PetscCall(OwnRest(A, own, &rest));
  if (rest) PetscCall(MatScaleRowsAndColumns(rest, l, r));
  if (l) PetscCall(left.get(l, own->space, own->staged.x));
  if (r) PetscCall(right.get(r, own->space, own->staged.y));
  PetscCall(Change(A, [&](Space space, const OwnValues &v) { scale_rows_and_columns(space, v, 1, l ? left.data() : nullptr, r ? right.data() : nullptr); }));
  if (r) PetscCall(right.restore());
  if (l) PetscCall(left.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetDiagonal_Own(Mat A, Vec d)
{
  OwnMat   *own = own_of(A);
  OwnValues v;
  VecWrite  out;

  PetscFunctionBegin;
  PetscCall(CheckDiagonalIsOwn(A));
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, own->space, &v));
  PetscCall(OwnCheckLength(A->rmap, d));
  PetscCall(out.get(d, own->space, own->staged.z));
  PetscCall(Guarded([&] { read_diagonal(own->space, v, out.data()); }));
  PetscCall(out.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sums of absolute values, of rows or of columns, that rest adds to those of the diagonals. */
static PetscErrorCode AddSumsOfRest(Mat rest, bool of_columns, Vec sums)
{
  Mat absolute;
  Vec right, left;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(rest, MAT_COPY_VALUES, &absolute));
  const Mat    others = blocks_of(absolute).others();
  PetscScalar *val;
  PetscCall(MatSeqAIJGetArray(others, &val));
  for (PetscInt k = 0; k < (PetscInt)nonzeros_of(others); k++) val[k] = PetscAbsScalar(val[k]);
  PetscCall(MatSeqAIJRestoreArray(others, &val));
  PetscCall(PetscObjectStateIncrease((PetscObject)absolute));
  PetscCall(MatCreateVecs(absolute, &right, &left));
  const Vec ones = of_columns ? left : right;
  PetscCall(VecSet(ones, 1));
  PetscCall(of_columns ? MatAddTransposedProduct(absolute, ones, sums) : MatAddProduct(absolute, ones, sums));
  PetscCall(VecDestroy(&right));
  PetscCall(VecDestroy(&left));
  PetscCall(MatDestroy(&absolute));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The root of the sum of squares. */
static PetscErrorCode FrobeniusNorm(Mat A, OwnMat *own, Mat rest, const OwnValues &v, PetscReal *norm)
{
  PetscReal sum = 0, of_rest = 0;

  PetscFunctionBegin;
  PetscCall(AllAgree(A, Guarded([&] { sum = square_sum(own->space, v); })));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, comm_of(A)));
  if (rest) PetscCall(MatNorm(rest, NORM_FROBENIUS, &of_rest));
  *norm = PetscSqrtReal(sum + of_rest * of_rest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of absolute values, of a row or of a column. */
static PetscErrorCode LargestSum(Mat A, OwnMat *own, Mat rest, const OwnValues &v, bool of_columns, PetscReal *norm)
{
  Vec      right, left;
  VecWrite out;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &right, &left));
  const Vec      sums   = of_columns ? right : left;
  PetscErrorCode failed = out.get(sums, own->space, own->staged.z);
  if (!failed) failed = Guarded([&] { absolute_sums(own->space, v, of_columns, out.data()); });
  if (!failed) failed = out.restore();
  PetscCall(AllAgree(A, failed));
  if (rest) PetscCall(AddSumsOfRest(rest, of_columns, sums));
  PetscCall(VecNorm(sums, NORM_INFINITY, norm));
  PetscCall(VecDestroy(&right));
  PetscCall(VecDestroy(&left));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatNorm_Own(Mat A, NormType type, PetscReal *norm)
{
  OwnMat   *own = own_of(A);
  OwnValues v;
  Mat       rest;

  PetscFunctionBegin;
  PetscCheck(type == NORM_1 || type == NORM_FROBENIUS || type == NORM_INFINITY, comm_of(A), PETSC_ERR_SUP,
             "Matrix type %s has the norms 1, Frobenius and infinity", ((PetscObject)A)->type_name);
  PetscErrorCode failed = OwnSettle(A, own);
  if (!failed) failed = OwnRead(A, own, own->space, &v);
  PetscCall(AllAgree(A, failed));
  PetscCall(OwnRest(A, own, &rest));
  PetscCall(type == NORM_FROBENIUS ? FrobeniusNorm(A, own, rest, v, norm) : LargestSum(A, own, rest, v, type == NORM_1, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatZeroEntries_Own(Mat A)
{
  Mat rest;

  PetscFunctionBegin;
  PetscCall(AllAgree(A, OwnForget(A, own_of(A))));
  PetscCall(OwnRest(A, own_of(A), &rest));
  if (rest) PetscCall(MatZeroEntries(rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix of Y's kind, where Y is, with X's values: X itself, or made of it. */
static PetscErrorCode AsOwn(Mat X, Mat Y, Mat *made, OwnMat **x)
{
  const OwnMat *own = own_of(Y);

  PetscFunctionBegin;
  *made = NULL;
  *x    = find_own(X);
  if (*x && (*x)->kind == own->kind) {
    PetscCall(OwnSettle(X, *x));
    if ((*x)->space == own->space && (*x)->bs == own->bs) PetscFunctionReturn(PETSC_SUCCESS); /* one of them may be bound to the CPU */
  }
  PetscCall(OwnFrom(X, Y, *own->kind, made));
  *x = own_of(*made);
  PetscCall(OwnSettle(*made, *x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CombineInside(Mat Y, PetscScalar a, Mat X, OwnMat *x, bool add)
{
  OwnMat   *y = own_of(Y);
  OwnValues yv, xv;

  PetscFunctionBegin;
  PetscCall(OwnRead(X, x, x->space, &xv));
  PetscCall(y->storage->put_like(Y, y, X, x));
  PetscCall(OwnWrite(Y, y, y->space, add, &yv));
  PetscCall(Guarded([&] { combine(y->space, yv, xv, a, add); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Y = a X, or Y + a X */
static PetscErrorCode Combine(Mat Y, PetscScalar a, Mat X, bool add)
{
  OwnMat *y = own_of(Y), *x;
  Mat     made, of_x;

  PetscFunctionBegin;
  PetscCall(AllAgree(Y, OwnSettle(Y, y)));
  PetscCall(AsOwn(X, Y, &made, &x));
  PetscErrorCode failed = AllAgree(Y, CombineInside(Y, a, made ? made : X, x, add));
  if (!failed) failed = OwnRest(made ? made : X, x, &of_x);
  if (!failed && of_x) failed = OwnCombineRest(Y, y, a, of_x, add);
  PetscCall(MatDestroy(&made));
  PetscCall(failed);
  OwnUnsay(Y, X->symmetric == PETSC_BOOL3_TRUE, X->hermitian == PETSC_BOOL3_TRUE && PetscImaginaryPart(a) == 0);
  PetscCall(OwnAgreeOnPattern(Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAXPY_Own(Mat Y, PetscScalar a, Mat X, MatStructure)
{
  PetscFunctionBegin;
  PetscCall(Combine(Y, a, X, true));
  PetscCall(PetscObjectStateIncrease((PetscObject)Y)); /* MatAXPY() leaves that to the type */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCopy_Own(Mat A, Mat B, MatStructure)
{
  Mat aij;

  PetscFunctionBegin;
  if (find_own(B)) PetscCall(OwnCopy(B, A));
  else {
    PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &aij));
    PetscCall(MatCopy(aij, B, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatDestroy(&aij));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDuplicate_Own(Mat A, MatDuplicateOption how, Mat *B)
{
  OwnMat     *own = own_of(A), *copy;
  Mat         rest;
  PetscObject plan        = NULL; /* rest's, of coordinates; PETSc 3.18 leaves it behind */
  const bool  with_values = how == MAT_COPY_VALUES;

  PetscFunctionBegin;
  PetscCall(AllAgree(A, OwnSettle(A, own)));
  PetscCall(OwnRest(A, own, &rest));
  PetscCall(OwnNew(A, *own->kind, own, false, B));
  copy                  = own_of(*B);
  copy->bs              = own->bs;
  copy->space           = own->space;
  copy->fixed           = own->fixed;
  copy->closed          = own->closed;
  copy->row_oriented    = own->row_oriented;
  copy->others.ignored  = own->others.ignored;
  copy->shaped          = true;
  PetscErrorCode failed = PETSC_SUCCESS;
  if (own->op && with_values) failed = CombineInside(*B, 1, A, own, false);
  else if (own->op && own->storage->by_rows()) failed = copy->storage->put_like(*B, copy, A, own);
  failed = AllAgree(A, failed);
  if (!failed && rest) failed = MatDuplicate(rest, with_values ? MAT_COPY_VALUES : MAT_DO_NOT_COPY_VALUES, &copy->others.rest);
  if (failed) PetscCall(MatDestroy(B));
  PetscCall(failed);
  if (rest) PetscCall(PetscObjectQuery((PetscObject)copy->others.rest, "__PETSc_MatCOOStruct_Host", &plan));
  if (!rest || plan) copy->coordinates = own->coordinates;
  if (plan) { /* by which PETSc sets values on a device in blocks that have been there */
    Mat          blocks[2];
    PetscMemType where;

    PetscCall(MatMPIAIJGetSeqAIJ(copy->others.rest, &blocks[0], &blocks[1], NULL));
    for (Mat block : blocks) PetscCall(MatSeqAIJGetCSRAndMemType(block, NULL, NULL, NULL, &where));
  }
  (*B)->assembled = A->assembled;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatTranspose_Own(Mat A, MatReuse reuse, Mat *B)
{
  OwnMat *own = own_of(A);
  Mat     C, rest, its_rest = NULL;

  PetscFunctionBegin;
  PetscCall(AllAgree(A, OwnSettle(A, own)));
  PetscCall(OwnRest(A, own, &rest));
  PetscCall(OwnNew(A, *own->kind, own, true, &C));
  if (PetscDefined(USE_COMPLEX)) C->hermitian = PETSC_BOOL3_UNKNOWN; /* PETSc 3.18 would leave out the conjugation that MatHermitianTranspose() ends with */
  PetscErrorCode failed = AllAgree(A, own_of(C)->storage->take_transposed(C, own_of(C), A, own));
  if (!failed && rest) failed = MatTranspose(rest, MAT_INITIAL_MATRIX, &its_rest);
  if (!failed && rest) failed = OwnTakeRest(C, own_of(C), its_rest, PETSC_SUCCESS);
  if (failed) PetscCall(MatDestroy(&C));
  PetscCall(failed);
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  if (reuse == MAT_INITIAL_MATRIX) *B = C;
  else if (reuse == MAT_INPLACE_MATRIX) PetscCall(OwnReplace(A, C));
  else {
    PetscCall(MatCopy(C, *B, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatDestroy(&C));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnCopy(Mat Y, Mat X) { return Combine(Y, 1, X, false); }

void OwnSetValueOps(Mat A)
{
  A->ops->scale         = MatScale_Own;
  A->ops->conjugate     = MatConjugate_Own;
  A->ops->shift         = MatShift_Own;
  A->ops->diagonalset   = MatDiagonalSet_Own;
  A->ops->diagonalscale = MatDiagonalScale_Own;
  A->ops->getdiagonal   = MatGetDiagonal_Own;
  A->ops->norm          = MatNorm_Own;
  A->ops->zeroentries   = MatZeroEntries_Own;
  A->ops->axpy          = MatAXPY_Own;
  A->ops->copy          = MatCopy_Own;
  A->ops->duplicate     = MatDuplicate_Own;
  A->ops->transpose     = MatTranspose_Own;
}

} // namespace goza::mat
