/* The leaders' matrix and vectors are made, of arrays that the ranks have in common. */
#include "format_mat.hpp"
#include "group_mat.hpp"

namespace goza::mat {

/* MatCreateSeqAIJWithArrays() without a look for rows that are alike, which would take half its time and serves products on the host (PETSc's option). */
static PetscErrorCode CreateWithoutInodes(MPI_Comm comm, PetscInt m, PetscInt n, PetscInt *ptr, PetscInt *col, PetscScalar *val, Mat *A)
{
  PetscOptions options;

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsSetValue(options, "-mat_no_inode", "1"));
  PetscCall(PetscOptionsPush(options));
  const PetscErrorCode failed = MatCreateSeqAIJWithArrays(comm, m, n, ptr, col, val, A);
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the leaders. */
PetscErrorCode GroupMat::make_matrix(Mat A)
{
  const PetscInt ncols = numbering_.end - numbering_.begin, inner = ptr(false)[nrows_];
  PetscScalar   *values  = entries_.values();
  PetscInt      *columns = entries_.columns();
  FormatMat     *f       = format_of(A);

  PetscFunctionBegin;
  if (group_->groups() == 1) PetscCall(CreateWithoutInodes(group_->leaders(), nrows_, ncols, ptr(false), columns, values, &there_));
  else
    PetscCall(MatCreateMPIAIJWithSplitArrays(group_->leaders(), nrows_, ncols, A->rmap->N, A->cmap->N, ptr(false), columns, values, ptr(true), columns + inner,
                                             values + inner, &there_));
  if (A->rmap->bs > 0 && A->cmap->bs > 0) PetscCall(MatSetBlockSizes(there_, A->rmap->bs, A->cmap->bs));
  const bool cusparse = is_type(A, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE);
  if (f) PetscCall(MatFormatBecomeLike(there_, f));
  else if (cusparse && vectors_ == Space::Cuda) PetscCall(MatConvert(there_, BaseType(group_->groups() > 1), MAT_INPLACE_MATRIX, &there_));
  else PetscCall(MatBindToCPU(there_, space_ == Space::Host ? PETSC_TRUE : PETSC_FALSE)); /* a new AIJ counts as the host's */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupMat::make_vectors(Mat A)
{
  PetscFunctionBegin;
  PetscCall(left_.make_there(PetscMax(A->rmap->bs, 1), A->rmap->N));
  PetscCall(right_.make_there(PetscMax(A->cmap->bs, 1), A->cmap->N));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
