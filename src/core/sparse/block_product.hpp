/* Products and transposes of matrices that consist of dense blocks, by blocks alone: row r of block row i, which has n blocks of br x bc, begins at value
   ptr[i] br bc + r n bc, ptr being the blocks', so that nothing else is said of rows and columns. */
#pragma once
#include "full_blocks.hpp"

namespace goza {

/* A borrowed matrix of full blocks: their rows and columns, and the values of the entries. */
struct Blocks {
  Csr      of;
  PetscInt br, bc;
};

/* Those of a matrix that is borrowed, where it consists of full ones, as is known or as is found */
struct FullBlocks {
  Csr             A;
  PetscInt        br, bc;
  BlockPatternPtr known;

  FullBlocks(const Csr &of, PetscInt rows, PetscInt columns, BlockPatternPtr pattern = nullptr) : A(of), br(rows), bc(columns), known(std::move(pattern)) { }
  bool find(bool any_order = false) { return known || full_blocks(A, br, bc, found_.ptr, found_.col, any_order); }
  Csr  pattern() const // and A's values
  {
    const BlockPattern &b = known ? *known : found_;

    return {A.space, A.nrows / br, A.ncols / bc, b.ptr.data(), b.col.data(), A.val, static_cast<PetscInt>(b.col.size())};
  }
  Blocks blocks() const { return {pattern(), br, bc}; }

private:
  BlockPattern found_{};
};

/* A B by A's blocks and B's, which in a row of B may be in any order. */
CsrMatrix multiply_blocks(const Blocks &A, const Blocks &B, bool with_diagonal);

/* R (A P) by blocks: of A P, which would take more memory than all else, there are the values of a part of its rows at a time, and afterwards of none. Sums do
   not depend on the parts. Its values alone in the pattern of blocks that it has. with_diagonal: C has its diagonal blocks, whatever the factors hold;
   room: bytes of a part, where so few parts suffice for that. */
struct BlocksInParts {
  static constexpr PetscInt most = 4; // of more a device does not do enough at a time

  CsrMatrix             pattern;    // of A P's blocks
  std::vector<PetscInt> row, block; // that a part begins with, and after the last one's what would be another's
};
CsrMatrix multiply_blocks(const Blocks &R, const Blocks &A, const Blocks &P, bool with_diagonal, std::size_t room, BlocksInParts &AP);
void      multiply_blocks_numeric(const Blocks &R, const Blocks &A, const Blocks &P, const BlocksInParts &AP, const Csr &C, PetscScalar *values);

/* The transpose of A's rows, by its blocks: as transpose() has it. Its values alone where it has rows and columns. */
CsrMatrix transpose_blocks(const Blocks &A, BlockPatternPtr *blocks = nullptr);
void      transpose_blocks_numeric(const Blocks &A, CsrMatrix &T);

/* The same matrix by its rows, and its blocks. */
CsrMatrix rows_of_blocks(CsrMatrix &&A, PetscInt br, PetscInt bc, BlockPatternPtr *blocks = nullptr);

} // namespace goza
