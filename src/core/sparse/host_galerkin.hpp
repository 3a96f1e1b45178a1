/* P^T A P on the host, row by row. The rows of A P that a row needs are made when the first one needs them and dropped after the last: A P as a whole would be
   larger than the rest of the set-up, and memory that nobody had before is slow. The sums are those of two products one after the other. */
#pragma once
#include "block_product.hpp"
#include <functional>

namespace goza {

/* R is the transpose of P, or its conjugate. Every row has its diagonal block. A is taken entry by entry where its blocks are not full. False where R or P does
   not consist of these blocks. */
bool galerkin_host(FullBlocks &R, FullBlocks &A, FullBlocks &P, CsrMatrix &C);

/* A matrix that is held in no rows: a node's blocks, [n][bs][bs] by ascending columns, are made when they are asked for. */
struct MadeRows {
  PetscInt nodes, bs, most; // most: blocks of a node

  std::function<PetscInt(PetscInt node, PetscInt *col, PetscScalar *val)> make; // returns n
};

bool galerkin_host(FullBlocks &R, const MadeRows &A, FullBlocks &P, CsrMatrix &C);

} // namespace goza
