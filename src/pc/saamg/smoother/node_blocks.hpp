/* A matrix in blocks of bs x bs, for smoothers that relax the unknowns of a node together. */
#pragma once
#include "coloring.hpp"
#include "parallel/node_columns.hpp"

namespace goza::saamg {

/* A with full blocks: itself where it consists of them, else a copy with zeros in the places that are missing, and the pattern of the blocks. A must outlive
   it. */
class NodeBlocks {
public:
  NodeBlocks(const Csr &A, PetscInt bs); // bs divides the rows; columns may be in any order

  const Csr &rows() const { return rows_; }
  Csr        nodes() const; // the pattern of the blocks; its values mean nothing

private:
  Csr             rows_;
  PetscInt        bs_;
  CsrMatrix       filled_;
  Array<PetscInt> ptr_, col_;
};

/* The Frobenius norms of A's blocks, of which entries may be missing, and a diagonal block for each node. Columns ascend. */
CsrMatrix norms_of_blocks(const Csr &A, PetscInt bs);

/* Which nodes a rank's nodes are coupled to, those of other ranks too. Collective. */
class NodeGraph {
public:
  NodeGraph(const Csr &A, const MapPtr &columns, PetscInt bs);

  Coloring color(const NodeIds &ids) const { return color_rows(graph_.view(), nodes_, ids, bs_); } // ids: of the matrix's nodes

private:
  PetscInt  bs_;
  MapPtr    nodes_;
  CsrMatrix graph_; // its values mean nothing
};

/* The inverses [nodes][bs][bs] of the diagonal blocks, in the space of A. The magnitudes of the entries of `others`, what A's rows hold on other ranks (or no
   rows), are first added to the diagonal with its sign (l1_diagonal.hpp). Where a block is singular, the inverses of its diagonal entries stand in, 0 for 0.
   isolated: not 0 for rows that are coupled to nothing, or nullptr; a diagonal entry of theirs that is 0 counts as 1. */
template <class V> Array<V> inverse_diagonal_blocks(const NodeBlocks &A, const Csr &others, const V *isolated = nullptr);

/* x = D^-1 b at the nodes listed */
template <class V> void apply_diagonal_blocks(Space space, PetscInt n, const PetscInt *nodes, PetscInt bs, const V *inverse, const V *b, V *x);

} // namespace goza::saamg
