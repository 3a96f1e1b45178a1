/* Matrices that consist of dense blocks of br x bc. */
#pragma once
#include "csr_matrix.hpp"
#include <memory>

namespace goza {

/* Where the blocks of br x bc are that a matrix consists of, with columns that ascend in each row of them. */
struct BlockPattern {
  PetscInt        br, bc;
  Array<PetscInt> ptr, col; // [nrows / br + 1], [blocks]

  std::size_t bytes() const { return ptr.bytes() + col.bytes(); }
};
using BlockPatternPtr = std::shared_ptr<const BlockPattern>; // of a pattern that stays: who has it need not look again; or null

/* Where A consists of full blocks with ascending columns, or any_order of the blocks in a row: true, and the pattern of the blocks, [A.nrows / br + 1] and
   [blocks]. */
bool full_blocks(const Csr &A, PetscInt br, PetscInt bc, Array<PetscInt> &ptr, Array<PetscInt> &col, bool any_order = false);

BlockPatternPtr pattern_of_blocks(const Csr &A, PetscInt br, PetscInt bc); // null: A does not consist of full ones of more than one entry

/* The Frobenius norms of A's blocks, in their pattern. */
CsrMatrix block_norms(const Csr &A, const BlockPattern &blocks);

/* A B, by blocks of br x bm and bm x bc where both consist of full ones: an entry is then found once a block and not once an entry of the factors, of which
   there are br bm bc times as many. Blocks in a row of B may be in any order, as where rows were fetched from other ranks. with_diagonal: the product has its
   diagonal blocks, whatever the factors hold. */
CsrMatrix multiply(const Csr &A, PetscInt br, PetscInt bm, const Csr &B, PetscInt bc, bool with_diagonal = false);

} // namespace goza
