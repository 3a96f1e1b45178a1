#pragma once
#include "petsc/compat.hpp"
#include <petscmat.h>

namespace goza::mat
{

/* The diagonal blocks of a matrix over AIJCUSPARSE, of its block size, as a matrix of exactly that type, which PCPBJACOBI asks for by name: it is then applied on
   the device, and takes no other vectors. NULL, which leaves it on the host, where the vectors may be others: those of the matrix's DM are, or a product had some,
   or there was none. (Operation getblockdiagonal; the caller owns the result.) Only the blocks come to the host, where PCPBJACOBI inverts them. Collective. */
PetscErrorCode MatGetBlockDiagonal_Device(Mat A, Mat *D);

/* A's block size becomes that of its diagonal block, too, to which PETSc 3.26's MPIAIJCUSPARSE does not pass it on: MatInvertBlockDiagonal() would invert blocks of 1. */
PetscErrorCode PassOnBlockSize(Mat A);

} // namespace goza::mat
