/* The diagonal blocks of an owning matrix, of its block size, for PCPBJACOBI, and its main diagonal. */
#include "mat/common/block_diagonal.hpp"
#include "own_mat.hpp"
#include "parallel/agree.hpp"

namespace goza::mat {
namespace {

/* This rank's, row by row. */
PetscErrorCode ReadBlocksOfOwn(Mat A, PetscInt bs, std::vector<PetscScalar> &block)
{
  OwnMat   *own = own_of(A);
  OwnValues v;

  PetscFunctionBegin;
  PetscCheck(A->rmap->rstart == A->cmap->rstart && A->rmap->n == A->cmap->n, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Diagonal blocks of a matrix whose rows and columns are not distributed alike");
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, own->space, &v));
  PetscCall(Guarded([&] {
    Array<PetscScalar> there(own->space, static_cast<std::size_t>(A->rmap->n) * bs);

    read_blocks(own->space, v, bs, there.data());
    block = there.to_host();
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's SeqAIJ inverts them. It is kept: who asked for the inverse before reads it where it was. */
PetscErrorCode InvertBlocks(Mat A, const PetscScalar **values)
{
  OwnMat                  *own = own_of(A);
  std::vector<PetscScalar> block;
  PetscScalar             *val;
  PetscInt                 kept = 0;

  PetscFunctionBegin;
  const PetscInt bs = block_size_of(A); /* in the layout it may be -1, for 1 */
  PetscCall(ReadBlocksOfOwn(A, bs, block));
  if (own->blocks) PetscCall(MatGetBlockSize(own->blocks, &kept));
  if (kept != bs) {
    PetscCall(MatDestroy(&own->blocks));
    PetscCall(MatCreateBlockDiagonal(PETSC_COMM_SELF, MATSEQAIJ, bs, 0, block, &own->blocks));
  } else {
    PetscCall(MatSeqAIJGetArrayWrite(own->blocks, &val));
    std::copy(block.begin(), block.end(), val);
    PetscCall(MatSeqAIJRestoreArrayWrite(own->blocks, &val));
    PetscCall(MatAssemblyBegin(own->blocks, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(own->blocks, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(MatSetErrorIfFailure(own->blocks, A->erroriffailure));
  PetscCall(MatFactorClearError(own->blocks)); /* of the values before */
  PetscCall(MatInvertBlockDiagonal(own->blocks, values));
  A->factorerrortype             = own->blocks->factorerrortype;
  A->factorerror_zeropivot_value = own->blocks->factorerror_zeropivot_value;
  A->factorerror_zeropivot_row   = own->blocks->factorerror_zeropivot_row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatInvertBlockDiagonal_Own(Mat A, const PetscScalar **values)
{
  return FailTogether(comm_of(A), InvertBlocks(A, values), "invert its diagonal blocks");
}

#if PETSC_VERSION_GE(3, 22, 0) && PetscDefined(HAVE_CUDA)
PetscErrorCode MatGetBlockDiagonal_Own(Mat A, Mat *D) { return MatBlockDiagonalForDevice(A, own_of(A)->staged, ReadBlocksOfOwn, D); }
#endif

#if PETSC_VERSION_LT(3, 25, 0)
PetscErrorCode MatMissingDiagonal_Own(Mat A, PetscBool *missing, PetscInt *row)
{
  OwnMat   *own = own_of(A);
  OwnValues v;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, own->space, &v));
  PetscCall(Guarded([&] { *missing = (PetscBool)(missing_diagonals(own->space, v, nullptr) > 0); }));
  if (row) *row = -1;
  if (!row || !*missing) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OwnRead(A, own, Space::Host, &v));
  for (*row = 0; place_in(v, *row, *row); ++*row) { }
  *row += A->rmap->rstart;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace

void OwnSetBlockOps(Mat A)
{
  A->ops->invertblockdiagonal = MatInvertBlockDiagonal_Own;
#if PETSC_VERSION_LT(3, 25, 0)
  A->ops->missingdiagonal = MatMissingDiagonal_Own;
#endif
#if PETSC_VERSION_GE(3, 22, 0) && PetscDefined(HAVE_CUDA)
  A->ops->getblockdiagonal = MatGetBlockDiagonal_Own;
#endif
}

} // namespace goza::mat
