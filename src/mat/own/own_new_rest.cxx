/* The matrix that an owning matrix has for its entries in columns of other ranks, made and replaced. */
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat {

static bool beside_device(Mat A) { return petsc_on_device() && space_of(A) == Space::Cuda; }

/* One of rest's two blocks, without MatSetValues() for each row: nearly all are empty. rows without a pointer: all are */
static PetscErrorCode MakeBlock(MatType type, const Csr &rows, Mat *B)
{
  const PetscInt        n = rows.ptr ? rows.ptr[rows.nrows] : 0;
  std::vector<PetscInt> lengths;
  PetscScalar          *val;

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    lengths.resize(n ? rows.nrows : 0);
    for (std::size_t i = 0; i < lengths.size(); i++) lengths[i] = rows.ptr[i + 1] - rows.ptr[i];
  }));
  PetscCall(MatCreate(PETSC_COMM_SELF, B));
  PetscCall(MatSetSizes(*B, rows.nrows, rows.ncols, rows.nrows, rows.ncols));
  PetscCall(MatSetType(*B, type));
  PetscCall(MatSeqAIJSetPreallocation(*B, 0, n ? lengths.data() : NULL));
  PetscCall(MatSetOption(*B, MAT_USE_INODES, PETSC_FALSE));
  if (n) PetscCall(MatSeqAIJSetColumnIndices(*B, const_cast<PetscInt *>(rows.col)));
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAIJGetArray(*B, &val));
  if (rows.val) std::copy_n(rows.val, n, val);
  else std::fill_n(val, n, PetscScalar(0));
  PetscCall(MatSeqAIJRestoreArray(*B, &val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnRest(Mat A, OwnMat *own, Mat *rest)
{
  PetscFunctionBegin;
  *rest = NULL;
  if (!own->others.rest && A->rmap->size > 1) PetscCall(OwnSetRest(A, own, {Space::Host, A->rmap->n, 0, nullptr, nullptr, nullptr}, nullptr, PETSC_SUCCESS));
  *rest = own->others.rest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnNewRest(Mat A, Mat *rest)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(comm_of(A), rest));
  PetscCall(MatSetSizes(*rest, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetType(*rest, beside_device(A) ? MATMPIAIJCUSPARSE : MATMPIAIJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnTakeRest(Mat A, OwnMat *own, Mat rest, PetscErrorCode failed)
{
  PetscFunctionBegin;
  if (failed) PetscCall(MatDestroy(&rest));
  PetscCall(failed);
  PetscCall(MatSetOption(rest, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatDestroy(&own->others.rest));
  own->others.rest = rest;
  own->coordinates.reset();
  A->nonzerostate++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnSetRest(Mat A, OwnMat *own, const Csr &rows, const PetscInt *garray, PetscErrorCode failed)
{
  const MatType type = beside_device(A) ? MATSEQAIJCUSPARSE : MATSEQAIJ;
  Mat           rest = NULL, diagonal = NULL, block = NULL;
  PetscInt     *names = NULL; // of the block's columns

  PetscFunctionBegin;
  if (!failed) failed = MakeBlock(type, {Space::Host, A->rmap->n, A->cmap->n, nullptr, nullptr, nullptr}, &diagonal);
  if (!failed) failed = MakeBlock(type, rows, &block);
  if (!failed) failed = PetscMalloc1(rows.ncols, &names);
  if (!failed) failed = PetscArraycpy(names, garray, rows.ncols);
  PetscErrorCode all = FailTogether(comm_of(A), failed, "hold its entries in columns of other ranks");
  if (all) { /* else they are rest's */
    PetscCall(MatDestroy(&diagonal));
    PetscCall(MatDestroy(&block));
    PetscCall(PetscFree(names));
  }
  PetscCall(all);
  PetscCall(GozaMatOfBlocks(MatCreateMPIAIJWithSeqAIJ, comm_of(A), diagonal, block, names, &rest, 0));
  PetscCall(OwnTakeRest(A, own, rest, PETSC_SUCCESS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
