/* Products and transposes of matrices that consist of dense blocks, by blocks alone: row r of block row i, which has n blocks of br x bc, begins at value ptr[i] br bc + r n bc, ptr being the
   blocks', so that nothing else is said of rows and columns. */
#pragma once
#include "full_blocks.hpp"

namespace goza
{

/* A borrowed matrix of full blocks: their rows and columns, and the values of the entries. */
struct Blocks {
  Csr      of;
  PetscInt br, bc;
};

/* Those of a matrix that is borrowed, where it consists of full ones */
struct FullBlocks {
  Array<PetscInt> ptr, col;
  Csr             A;
  PetscInt        br, bc;

  FullBlocks(const Csr &of, PetscInt rows, PetscInt columns) : A(of), br(rows), bc(columns) { }
  bool   find(bool any_order = false) { return full_blocks(A, br, bc, ptr, col, any_order); }
  Blocks blocks() const { return {{A.space, A.nrows / br, A.ncols / bc, ptr.data(), col.data(), A.val, static_cast<PetscInt>(col.size())}, br, bc}; }
};

/* A B by A's blocks and B's, and its values alone in the pattern that it has. Blocks in a row of B may be in any order. with_diagonal: C has its diagonal blocks, whatever the factors hold. */
CsrMatrix multiply_blocks(const Blocks &A, const Blocks &B, bool with_diagonal);
void      multiply_blocks_numeric(const Blocks &A, const Blocks &B, CsrMatrix &C);

/* The transpose of A's rows, by its blocks: as transpose() has it. Its values alone where it has rows and columns. */
CsrMatrix transpose_blocks(const Blocks &A);
void      transpose_blocks_numeric(const Blocks &A, CsrMatrix &T);

/* The same matrix by its rows; the product's values in a matrix that is. False: C does not consist of full blocks. */
CsrMatrix rows_of_blocks(CsrMatrix &&A, PetscInt br, PetscInt bc);
bool      multiply_rows_numeric(const Blocks &A, const Blocks &B, CsrMatrix &C);

} // namespace goza
