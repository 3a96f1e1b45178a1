/* Matrices that consist of dense blocks of br x bc. */
#pragma once
#include "csr_matrix.hpp"

namespace goza
{

/* Where A consists of full blocks with ascending columns, or any_order of the blocks in a row: true, and the pattern of the blocks, [A.nrows / br + 1] and [blocks]. */
bool full_blocks(const Csr &A, PetscInt br, PetscInt bc, Array<PetscInt> &ptr, Array<PetscInt> &col, bool any_order = false);

/* The Frobenius norms of A's blocks of bs x bs, in the pattern of the blocks, where A consists of full ones; else an empty matrix. */
CsrMatrix block_norms(const Csr &A, PetscInt bs);

/* C = A B for an A of full blocks of br x bm and a B of full blocks of bm x bc: true; else false, and C is what it was. An entry of C is found once a block and not once
   an entry of the factors, of which there are br bm bc times as many. Blocks in a row of B may be in any order, as where rows were fetched from other ranks.
   with_diagonal: C has its diagonal blocks, whatever the factors hold. */
bool multiply_blocks(const Csr &A, PetscInt br, PetscInt bm, const Csr &B, PetscInt bc, bool with_diagonal, CsrMatrix &C);

/* New values of the factors, in the pattern that multiply_blocks() gave C. */
bool multiply_blocks_numeric(const Csr &A, PetscInt br, PetscInt bm, const Csr &B, PetscInt bc, CsrMatrix &C);

/* A B, by blocks of br x bm and bm x bc where both consist of them. */
CsrMatrix multiply(const Csr &A, PetscInt br, PetscInt bm, const Csr &B, PetscInt bc, bool with_diagonal = false);
void      multiply_numeric(const Csr &A, PetscInt br, PetscInt bm, const Csr &B, PetscInt bc, CsrMatrix &C);

} // namespace goza
