/* Copies of a Goza matrix, and the ways between it and PETSc's types. */
#include "block_diagonal.hpp"
#include "format_mat.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat {

/* A device's matrix has no I-nodes. PETSc leaves those that it has found where they are until the next assembly, and a factor whose symbolic phase saw them
   cannot do without them in its numeric one. */
static PetscErrorCode ForgetInodes(Mat A)
{
  PetscInt nodes, *sizes = NULL;

  PetscFunctionBegin;
  if (!is_type(A, MATSEQAIJ)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatInodeGetInodeSizes(A, &nodes, &sizes, NULL));
  if (!sizes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSetOption(A, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc gives the blocks of a parallel matrix the type of a device by MatSetType(), which throws away what one of our types (-mat_seqaij_type) holds. */
static PetscErrorCode ConvertInPlace(Mat *A, MatType type)
{
  const bool mpi = is_based_on(*A, MATMPIAIJ);

  PetscFunctionBegin;
  if (mpi && petsc_on_device()) {
    for (Mat block : blocks_of(*A))
      if (format_of(block)) PetscCall(MatFormatDetach(block));
  }
  if (!mpi && petsc_on_device()) PetscCall(ForgetInodes(*A));
  PetscCall(MatConvert(*A, type, MAT_INPLACE_MATRIX, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A, which is an AIJ of PETSc's, becomes a Goza matrix. */
static PetscErrorCode BecomeFormat(Mat A, std::unique_ptr<FormatMat> made)
{
  MatType base;

  PetscFunctionBegin;
  const bool mpi = is_based_on(A, MATMPIAIJ);
  base           = BaseType(mpi);
  if (A->assembled) PetscCall(ConvertInPlace(&A, base));
  else if (!mpi) PetscCall(MatSeqAIJSetType(A, base)); /* by way of -mat_seqaij_type, before there are entries */
  PetscCall(MatFormatAttach(A, std::move(made)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatBecomeLike(Mat A, const FormatMat *f)
{
  std::unique_ptr<FormatMat> made;

  PetscFunctionBegin;
  PetscCall(MatFormatPrepare(comm_of(A), *f->kind, f, &made));
  PetscCall(BecomeFormat(A, std::move(made)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDuplicate_Format(Mat A, MatDuplicateOption how, Mat *B)
{
  FormatMat                 *f = format_of(A);
  std::unique_ptr<FormatMat> made;

  PetscFunctionBegin;
  PetscCall(MatFormatPrepare(comm_of(A), *f->kind, f, &made));
  made->chained_view = f->chained_view; /* MatDuplicate() copies the view, which is ours, and the DM that the chained one asks */
  PetscCall(MatFormatDuplicateBase(A, f, how, B));
  PetscCall(MatFormatAttach(*B, std::move(made)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The submatrix of a parallel AIJ is a plain one, whatever its parent's type; a field's block should be as fast as the whole. */
PetscErrorCode MatCreateSubMatrix_Format(Mat A, IS rows, IS cols, MatReuse reuse, Mat *B)
{
  FormatMat                 *f = format_of(A), *there = reuse == MAT_REUSE_MATRIX ? format_of(*B) : nullptr;
  std::unique_ptr<FormatMat> made;

  PetscFunctionBegin;
  if (!there) PetscCall(MatFormatPrepare(comm_of(A), *f->kind, f, &made));
  PetscCall(MatFormatAsBase(A, f, [&] { return f->base.createsubmatrix(A, rows, cols, reuse, B); }));
  if (made) PetscCall(BecomeFormat(*B, std::move(made)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The transpose's pattern as a plain AIJ: PETSc's symbolic products give it the left factor's type, and MatSetType() makes one of our types of an AIJ, but
   throws the pattern away on the way from one of our types to another or to AIJ. */
PetscErrorCode MatTransposeSymbolic_Format(Mat A, Mat *B)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  PetscCall(f->base.transposesymbolic(A, B));
  f = format_of(*B);
  if (f && f->base_type == HostType(f->base_type)) PetscCall(MatFormatDetach(*B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What MatCreateGraph() made: a plain AIJ, since PETSc 3.18 coarsens no other by heavy edges, and nobody multiplies with it. */
PetscErrorCode MatFormatBecomeGraph(Mat A, Mat G)
{
  FormatMat *f = format_of(G);

  PetscFunctionBegin;
  if (f && G != A) PetscCall(MatFormatDetach(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool IsAIJ(std::string_view type)
{
  const std::string_view form = type.substr(0, 3);
  const std::string_view root = form == "seq" || form == "mpi" ? type.substr(3) : type;

  return root.rfind(MATAIJ, 0) == 0;
}

/* A becomes an AIJ of PETSc's. PETSc makes a new one of a device's AIJ, without the DM and its view in natural ordering, which an AIJ keeps. */
static PetscErrorCode BecomeAIJ(Mat A, FormatMat *f, MatType type)
{
  auto *view = f->chained_view;
  DM    dm;

  PetscFunctionBegin;
  PetscCall(MatGetDM(A, &dm));
  PetscCall(PetscObjectReference((PetscObject)dm));
  PetscCall(MatFormatDetach(A));
  PetscCall(ConvertInPlace(&A, type));
  if (view) {
    PetscCall(MatSetDM(A, dm));
    A->ops->view = view;
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As PETSc converts a host AIJ, which has a way to every type, while the general one, by rows, serves a name that it does not know. */
static PetscErrorCode ConvertToOther(Mat A, FormatMat *f, MatType type, MatReuse reuse, Mat *M)
{
  const bool in_place = reuse == MAT_INPLACE_MATRIX;
  Mat        B;

  PetscFunctionBegin;
  PetscCall(MatFormatHostValues(A, false));
  PetscCall(PassOnBlockSize(A)); /* to BAIJ PETSc counts the blocks of the diagonal block, of which MPIAIJCUSPARSE has not told it */
  PetscCall(MatFormatAs(HostType(f->base_type), A, f, [&] { return MatConvert(A, type, in_place ? MAT_INITIAL_MATRIX : reuse, in_place ? &B : M); }));
  if (in_place) {
    PetscCall(MatFormatDetach(A));
    PetscCall(MatHeaderReplace(A, &B));
    *M = A;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To PETSc's AIJ types, whose converters begin with a copy that inherits what is composed on the original, by way of a matrix with nothing of ours. An
   operation of the matrix, not functions composed on it by name: PETSc's factors of an AIJ inherit those. */
PetscErrorCode MatConvert_Format_Any(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  FormatMat *f = format_of(A);
  Mat        B;

  PetscFunctionBegin;
  if (!IsAIJ(type)) {
    PetscCall(ConvertToOther(A, f, type, reuse, M));
  } else if (reuse == MAT_INPLACE_MATRIX) {
    PetscCall(BecomeAIJ(A, f, type));
    *M = A;
  } else if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, *M, SAME_NONZERO_PATTERN));
  } else {
    PetscCall(MatFormatDuplicateBase(A, f, MAT_COPY_VALUES, &B));
    PetscCall(ConvertInPlace(&B, type));
    *M = B;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To an AIJ of PETSc's: some types (ScaLAPACK) know the way to dense only, whatever they are asked for. */
static PetscErrorCode ConvertToAIJ(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(ConvertInPlace(B, type));
  else PetscCall(MatConvert(A, type, reuse, B));
  if (!is_aij(*B)) PetscCall(MatConvert(*B, type, MAT_INPLACE_MATRIX, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values for M; A of any type, which need not know how to put them into an AIJ that is there. */
static PetscErrorCode ReuseFormat(Mat A, Mat M)
{
  Mat B;

  PetscFunctionBegin;
  if (is_aij(A)) {
    PetscCall(MatCopy(A, M, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ConvertToAIJ(A, HostType(((PetscObject)M)->type_name), MAT_INITIAL_MATRIX, &B));
  PetscCall(MatCopy(B, M, DIFFERENT_NONZERO_PATTERN)); /* values that are zero now may have no place in B */
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From whatever A is, by way of the base type. */
PetscErrorCode MatConvert_Any_Format(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  const FormatKind          *kind;
  std::unique_ptr<FormatMat> made;
  Mat                        B = A;
  FormatMat                 *f = format_of(A);
  PetscBool                  mpi, wants_mpi, root;

  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(ReuseFormat(A, *M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FindFormatKind(type, &kind));
  PetscCall(PetscStrcmp(type, kind->root, &root));
  if (f && f->kind == kind && root) { /* the same type by its root name, which PETSc's test for "the same type" does not know */
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatFormatPrepare(comm_of(A), *kind, nullptr, &made));
  PetscCall(PetscStrbeginswith(((PetscObject)A)->type_name, "mpi", &mpi));
  PetscCall(PetscStrcmp(type, kind->mpi, &wants_mpi));
  if (ranks_of(A) > 1 || wants_mpi) mpi = PETSC_TRUE; /* a type without two forms: the transpose of a matrix, a shell */
  if (reuse == MAT_INITIAL_MATRIX) {

    if (is_type(A, BaseType(mpi), HostType(BaseType(mpi)))) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    else PetscCall(ConvertToAIJ(A, BaseType(mpi), MAT_INITIAL_MATRIX, &B));
  } else {
    if (f) PetscCall(MatFormatDetach(B));
    if (B->assembled) PetscCall(ConvertToAIJ(B, BaseType(mpi), MAT_INPLACE_MATRIX, &B));
  }
  PetscCall(BecomeFormat(B, std::move(made)));
  *M = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
