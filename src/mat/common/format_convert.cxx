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
  PetscCall(MatFormatAsBase(A, f, [&] { return f->base.duplicate(A, how, B); }));
  PetscCallCXX(config = f->config->clone());
  PetscCall(MatFormatAttach(*B, *f->kind, std::move(config)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_Format_Base(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  FormatMat *f;
  Mat        B;

  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, *M, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  B = A;
  if (reuse == MAT_INITIAL_MATRIX) {
    PetscCall(MatGetFormatMat(A, &f));
    PetscCall(MatFormatAsBase(A, f, [&] { return f->base.duplicate(A, MAT_COPY_VALUES, &B); }));
  } else PetscCall(MatFormatDetach(B));
  PetscCall(MatConvert(B, type, MAT_INPLACE_MATRIX, &B));
  *M = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_Base_Format(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  const FormatKind             *kind;
  std::unique_ptr<FormatConfig> config;
  Mat                           B = A;
  PetscBool                     mpi;
  const bool                    cuda = petsc_on_device() && default_space() == Space::Cuda;

  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, *M, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FindFormatKind(type, &kind));
  PetscCallCXX(config = kind->config());
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)B, MATMPIAIJ, &mpi));
  if (cuda) PetscCall(MatConvert(B, mpi ? MATMPIAIJCUSPARSE : MATSEQAIJCUSPARSE, MAT_INPLACE_MATRIX, &B));
  PetscCall(MatFormatAttach(B, *kind, std::move(config)));
  *M = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
