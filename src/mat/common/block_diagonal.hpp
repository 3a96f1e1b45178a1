#pragma once
#include "petsc/compat.hpp"
#include "petsc/vec_access.hpp"

namespace goza::mat {

/* The diagonal blocks of a matrix over AIJCUSPARSE, of its block size, as a matrix of exactly that type, which PCPBJACOBI asks for by name: it is then applied
   on the device, and takes no other vectors. NULL, which leaves it on the host, where the vectors may be others: those of the matrix's DM are, or a product had
   some, or there was none. (Operation getblockdiagonal; the caller owns the result.) Only the blocks come to the host, where PCPBJACOBI inverts them.
   Collective. */
PetscErrorCode MatGetBlockDiagonal_Device(Mat A, Mat *D);

/* The same of the blocks that read() gives this rank, row by row. staged: of the products so far. */
using ReadBlocks = PetscErrorCode(Mat A, PetscInt bs, std::vector<PetscScalar> &block);
PetscErrorCode MatBlockDiagonalForDevice(Mat A, const ProductStages &staged, ReadBlocks *read, Mat *D);

/* Of blocks given row by row, [rows][bs]. type: AIJ-based; start: this rank's first row. Collective. */
PetscErrorCode MatCreateBlockDiagonal(MPI_Comm comm, MatType type, PetscInt bs, PetscInt start, const std::vector<PetscScalar> &block, Mat *D);

/* A's block size becomes that of its diagonal block, too, to which PETSc 3.26's MPIAIJCUSPARSE does not pass it on: MatInvertBlockDiagonal() would invert
   blocks of 1. */
PetscErrorCode PassOnBlockSize(Mat A);

} // namespace goza::mat
