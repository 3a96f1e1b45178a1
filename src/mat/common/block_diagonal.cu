#include "block_diagonal.hpp"
#include "borrowed_csr.hpp"
#include "format_mat.hpp"
#include "petsc/plugin.hpp"
#include "parallel/agree.hpp"

namespace goza::mat {

/* A: columns by local numbers; block: [rows][bs] */
static HD void block_row(PetscInt row, PetscInt bs, const Csr &A, PetscScalar *block)
{
  const PetscInt     first = row - row % bs;
  PetscScalar *const mine  = block + static_cast<std::size_t>(row) * bs;

  for (PetscInt c = 0; c < bs; c++) mine[c] = 0;
  for (PetscInt p = A.ptr[row]; p < A.ptr[row + 1]; p++) {
    const PetscInt c = A.col[p] - first;

    if (c >= 0 && c < bs) mine[c] = A.val[p];
  }
}

PetscErrorCode PassOnBlockSize(Mat A)
{
  const Mat Ad = blocks_of(A).diagonal();

  PetscFunctionBegin;
  if (Ad != A) PetscCall(MatSetBlockSizesFromMats(Ad, A, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. Whether A's DM or, where it has none, the products so far know vectors of the device and no others. */
static PetscErrorCode OnlyDeviceVectors(Mat A, const ProductStages &s, PetscBool *only)
{
  DM          dm;
  VecType     type;
  PetscMPIInt mine, all;

  PetscFunctionBegin;
  PetscCall(MatGetDM(A, &dm));
  *only = (PetscBool)(s.x.in_place && !s.x.copied && !s.y.copied && !s.z.copied); /* built without a product it has seen none */
  if (dm) {
    PetscCall(DMGetVecType(dm, &type));
    PetscCall(PetscStrendswith(type, "cuda", only));
  }
  mine = *only;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm_of(A)));
  *only = (PetscBool)all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's, row by row. */
static PetscErrorCode ReadBlocksOfAij(Mat A, PetscInt bs, std::vector<PetscScalar> &block)
{
  BorrowedCsr rows;

  PetscFunctionBegin;
  PetscCall(use_petsc_stream());
  PetscCall(rows.open(blocks_of(A).diagonal(), Space::Cuda));
  PetscCall(Guarded([&] {
    Array<PetscScalar> there(Space::Cuda, static_cast<std::size_t>(rows.csr().nrows) * bs);

    for_each_row(Space::Cuda, rows.csr().nrows, bound<block_row>(bs, rows.csr(), there.data()));
    block = there.to_host();
  }));
  PetscCall(rows.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreateBlockDiagonal(MPI_Comm comm, MatType type, PetscInt bs, PetscInt start, const std::vector<PetscScalar> &block, Mat *D)
{
  const PetscInt        m = static_cast<PetscInt>(block.size() / bs);
  std::vector<PetscInt> ptr, col;

  PetscFunctionBegin;
  PetscCall(Together(comm, "hold its diagonal blocks", [&] {
    col.reserve(block.size() + 1); // PETSc takes a null pointer for "not given"
    for (PetscInt row = 0; row <= m; row++) ptr.push_back(row * bs);
    for (PetscInt row = 0; row < m; row++)
      for (PetscInt c = 0; c < bs; c++) col.push_back(start + row - row % bs + c);
  }));
  PetscCall(MatCreate(comm, D));
  PetscCall(MatSetSizes(*D, m, m, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(*D, bs));
  PetscCall(MatSetType(*D, type));
  PetscCall(MatSeqAIJSetPreallocationCSR(*D, ptr.data(), col.data(), block.data()));
  PetscCall(MatMPIAIJSetPreallocationCSR(*D, ptr.data(), col.data(), block.data()));
  PetscCall(PassOnBlockSize(*D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockDiagonalForDevice(Mat A, const ProductStages &staged, ReadBlocks *read, Mat *D)
{
  std::vector<PetscScalar> block;
  PetscBool                only = PETSC_FALSE;

  PetscFunctionBegin;
  *D = NULL;
  PetscCall(OnlyDeviceVectors(A, staged, &only));
  if (!only) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt bs = block_size_of(A);
  PetscCall(FailTogether(comm_of(A), read(A, bs, block), "read its diagonal blocks"));
  PetscCall(MatCreateBlockDiagonal(comm_of(A), MATAIJCUSPARSE, bs, A->cmap->rstart, block, D));
  PetscCall(MatSetErrorIfFailure(*D, A->erroriffailure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetBlockDiagonal_Device(Mat A, Mat *D)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  PetscCall(MatBlockDiagonalForDevice(A, f->staged, ReadBlocksOfAij, D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
