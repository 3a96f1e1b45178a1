/* Copies of a Goza matrix, and the ways between it and PETSc's AIJ types. */
#include "format_mat.hpp"
#include "errors.hpp"
#include "goza.hpp"

namespace goza
{

PetscErrorCode MatDuplicate_Format(Mat A, MatDuplicateOption how, Mat *B)
{
  FormatMat                    *f;
  std::unique_ptr<FormatConfig> config;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  PetscCall(MatFormatDuplicateBase(A, f, how, B));
  PetscCallCXX(config = f->config->clone());
  PetscCall(MatFormatAttach(*B, *f->kind, std::move(config)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The submatrix of a parallel AIJ is a plain one, whatever its parent's type; a field's block should be as fast as the whole. */
PetscErrorCode MatCreateSubMatrix_Format(Mat A, IS rows, IS cols, MatReuse reuse, Mat *B)
{
  FormatMat                    *f, *there;
  std::unique_ptr<FormatConfig> config;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  PetscCall(MatFormatAsBase(A, f, [&] { return f->base.createsubmatrix(A, rows, cols, reuse, B); }));
  PetscCall(MatGetFormatMat(*B, &there));
  if (there) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCXX(config = f->config->clone());
  PetscCall(MatFormatAttach(*B, *f->kind, std::move(config)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool IsAIJ(const std::string &type)
{
  const std::string form = type.substr(0, 3);
  const std::string root = form == "seq" || form == "mpi" ? type.substr(3) : type;

  return root == MATAIJ || root == "aijcusparse";
}

/* To PETSc's AIJ types by way of the base type; to others as PETSc converts any matrix. An operation of the matrix, not functions composed on it by
   name: PETSc's factors of an AIJ inherit those. */
PetscErrorCode MatConvert_Format_Any(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  FormatMat *f;
  Mat        B = A;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  if (!IsAIJ(type)) {
    A->ops->convert           = NULL;
    const PetscErrorCode ierr = MatConvert(A, type, reuse, M);
    PetscCall(MatGetFormatMat(A, &f));
    if (f) A->ops->convert = MatConvert_Format_Any; /* else it is of the other type now */
    PetscCall(ierr);
  } else if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, *M, SAME_NONZERO_PATTERN));
  } else {
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatFormatDuplicateBase(A, f, MAT_COPY_VALUES, &B));
    else PetscCall(MatFormatDetach(B));
    PetscCall(MatConvert(B, type, MAT_INPLACE_MATRIX, &B));
    *M = B;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From whatever A is, by way of the base type. */
PetscErrorCode MatConvert_Any_Format(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  const FormatKind             *kind;
  std::unique_ptr<FormatConfig> config;
  Mat                           B = A;
  FormatMat                    *f;
  PetscBool                     mpi;
  PetscMPIInt                   size;
  MatType                       base;
  PetscBool                     root;

  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, *M, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FindFormatKind(type, &kind));
  PetscCall(MatGetFormatMat(A, &f));
  PetscCall(PetscStrcmp(type, kind->root, &root));
  if (f && f->kind == kind && root) { /* the same type by its root name, which PETSc's test for "the same type" does not know */
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallCXX(config = kind->config());
  PetscCall(PetscStrbeginswith(((PetscObject)A)->type_name, "mpi", &mpi));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size > 1) mpi = PETSC_TRUE; /* a type without two forms: the transpose of a matrix, a shell */
  base = BaseType(mpi);
  if (reuse == MAT_INITIAL_MATRIX) {
    PetscBool same;

    PetscCall(PetscObjectTypeCompare((PetscObject)A, base, &same));
    if (same) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    else PetscCall(MatConvert(A, base, MAT_INITIAL_MATRIX, &B));
  } else {
    if (f) PetscCall(MatFormatDetach(B));
    if (B->assembled) PetscCall(MatConvert(B, base, MAT_INPLACE_MATRIX, &B));
    else if (!mpi) PetscCall(MatSeqAIJSetType(B, base)); /* by way of -mat_seqaij_type, before there are entries */
  }
  PetscCall(MatFormatAttach(B, *kind, std::move(config)));
  *M = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
