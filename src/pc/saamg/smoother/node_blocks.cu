#include "node_blocks.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/sparse/csr_pattern.hpp"
#include "core/sparse/full_blocks.hpp"
#include "core/util/search.hpp"

namespace goza::saamg {
namespace {

constexpr int most = 6; // unknowns of a node

/* The nodes that the rows of a node are coupled to, itself among them. */
struct NodesReached {
  const PetscInt *ptr, *col;
  PetscInt        bs;
  PetscInt        n          = PETSC_MAX_INT; // owned columns
  const PetscInt *ghost_node = nullptr;       // of the others

  HD PetscInt bound(PetscInt node) const { return ptr[(node + 1) * bs] - ptr[node * bs] + 1; }

  template <class F> HD void visit(PetscInt node, int lane, int lanes, F f) const
  {
    if (lane == 0) f(node);
    for (PetscInt p = ptr[node * bs] + lane; p < ptr[(node + 1) * bs]; p += lanes) f(col[p] < n ? col[p] / bs : n / bs + ghost_node[col[p] - n]);
  }
};

struct FullRow {
  Csr             A;
  PetscInt        bs;
  const PetscInt *block_ptr, *block_col;
  PetscInt       *ptr, *col; // col null: only the row's length, into ptr
  PetscScalar    *val;

  HD void operator()(PetscInt row, int lane, int lanes) const
  {
    const PetscInt begin = block_ptr[row / bs], n = block_ptr[row / bs + 1] - begin;

    if (!col) {
      if (lane == 0) ptr[row] = n * bs;
      return;
    }
    for (PetscInt k = lane; k < n * bs; k += lanes) {
      col[ptr[row] + k] = block_col[begin + k / bs] * bs + k % bs;
      val[ptr[row] + k] = 0;
    }
    wait_for_lanes(lanes);
    for (PetscInt p = A.ptr[row] + lane; p < A.ptr[row + 1]; p += lanes)
      val[ptr[row] + (lower_bound(block_col, begin, begin + n - 1, A.col[p] / bs) - begin) * bs + A.col[p] % bs] = A.val[p];
  }
};

/* Of what a block has: in each row what begins at or behind its first column, and ends before that of the next. ptr, col: of the blocks */
HD void norm_of_block(PetscInt node, int lane, int lanes, const Csr &A, PetscInt bs, const PetscInt *ptr, const PetscInt *col, PetscScalar *norm)
{
  for (PetscInt k = ptr[node] + lane; k < ptr[node + 1]; k += lanes) {
    PetscReal norm2 = 0;

    for (PetscInt row = node * bs; row < (node + 1) * bs; row++) {
      const PetscInt end = A.ptr[row + 1];

      for (PetscInt p = lower_bound(A.col, A.ptr[row], end, col[k] * bs); p < end && A.col[p] / bs == col[k]; p++)
        norm2 += PetscRealPart(A.val[p] * PetscConj(A.val[p]));
    }
    norm[k] = PetscSqrtReal(norm2);
  }
}

/* By Gauss and Jordan with pivots, after symmetric scaling to a unit diagonal. */
template <class V> struct InvertBlock {
  Csr      A, nodes, others;
  PetscInt bs;
  const V *isolated;
  V       *inverse;

  HD static PetscReal size(PetscScalar a) { return PetscAbsScalar(a); }

  HD void operator()(PetscInt node) const
  {
    PetscScalar M[most][2 * most] = {}, diagonal[most] = {};
    PetscReal   scale[most] = {};
    bool        singular    = false;
    V          *out         = inverse + static_cast<std::size_t>(node) * (bs * bs);

    for (PetscInt k = nodes.ptr[node]; k < nodes.ptr[node + 1]; k++) {
      for (int r = 0; r < bs && nodes.col[k] == node; r++)
        for (int c = 0; c < bs; c++) M[r][c] = A.val[A.ptr[node * bs + r] + (k - nodes.ptr[node]) * bs + c];
    }
    for (int r = 0; r < bs; r++) {
      PetscReal sum = 0;

      for (PetscInt p = others.nrows ? others.ptr[node * bs + r] : 0; others.nrows && p < others.ptr[node * bs + r + 1]; p++) sum += size(others.val[p]);
      if (isolated && isolated[node * bs + r] != V(0) && M[r][r] == PetscScalar(0)) M[r][r] = 1;
      M[r][r]     = lengthened(M[r][r], sum);
      diagonal[r] = M[r][r];
      scale[r]    = diagonal[r] != PetscScalar(0) ? 1 / PetscSqrtReal(size(diagonal[r])) : 1;
    }
    for (int r = 0; r < bs; r++) {
      for (int c = 0; c < bs; c++) M[r][c] *= scale[r] * scale[c];
      M[r][bs + r] = 1;
    }
    for (int k = 0; k < bs && !singular; k++) {
      int pivot = k;

      for (int r = k + 1; r < bs; r++) pivot = size(M[r][k]) > size(M[pivot][k]) ? r : pivot;
      singular = !(size(M[pivot][k]) > 1000 * PETSC_MACHINE_EPSILON);
      if (singular) break;
      for (int c = 0; c < 2 * bs; c++) {
        const PetscScalar upper = M[pivot][c];

        M[pivot][c] = M[k][c];
        M[k][c]     = upper;
      }
      const PetscScalar inverse_pivot = 1 / M[k][k];
      for (int c = 0; c < 2 * bs; c++) M[k][c] *= inverse_pivot;
      for (int r = 0; r < bs; r++) {
        const PetscScalar factor = M[r][k];

        for (int c = 0; c < 2 * bs && r != k; c++) M[r][c] -= factor * M[k][c];
      }
    }
    for (int r = 0; r < bs; r++) {
      for (int c = 0; c < bs; c++) {
        const PetscScalar isolated = r == c && diagonal[r] != PetscScalar(0) ? 1 / diagonal[r] : 0;

        out[r * bs + c] = static_cast<V>(singular ? isolated : M[r][bs + c] * (scale[r] * scale[c]));
      }
    }
  }
};

template <class V> HD void apply_block(PetscInt k, const PetscInt *nodes, PetscInt bs, const V *inverse, const V *b, V *x)
{
  const PetscInt i = nodes[k];

  for (PetscInt r = 0; r < bs; r++) {
    V sum = 0;

    for (PetscInt c = 0; c < bs; c++) sum += inverse[(static_cast<std::size_t>(i) * bs + r) * bs + c] * b[i * bs + c];
    x[i * bs + r] = sum;
  }
}

} // namespace

NodeBlocks::NodeBlocks(const Csr &A, PetscInt bs) : rows_(A), bs_(bs), filled_(A.space, A.nrows, A.ncols)
{
  if (full_blocks(A, bs, bs, ptr_, col_)) return;
  const PetscInt n = A.nrows / bs;

  find_pattern(A.space, n, n, NodesReached{A.ptr, A.col, bs}, true, ptr_, col_);
  filled_.ptr = Array<PetscInt>(A.space, A.nrows + 1);
  FullRow row{A, bs, ptr_.data(), col_.data(), filled_.ptr.data(), nullptr, nullptr};
  for_each_row_by_lanes(A.space, A.nrows, row);
  const PetscInt nnz = lengths_to_pointer(A.space, filled_.ptr);
  filled_.col        = Array<PetscInt>(A.space, nnz);
  filled_.val        = Array<PetscScalar>(A.space, nnz);
  row.col            = filled_.col.data();
  row.val            = filled_.val.data();
  for_each_row_by_lanes(A.space, A.nrows, row);
  rows_ = filled_.view();
}

Csr NodeBlocks::nodes() const
{
  return {rows_.space, rows_.nrows / bs_, rows_.ncols / bs_, ptr_.data(), col_.data(), rows_.val, static_cast<PetscInt>(col_.size())};
}

CsrMatrix norms_of_blocks(const Csr &A, PetscInt bs)
{
  CsrMatrix N(A.space, A.nrows / bs, A.ncols / bs);

  find_pattern(A.space, N.nrows, N.ncols, NodesReached{A.ptr, A.col, bs}, true, N.ptr, N.col);
  N.val = Array<PetscScalar>(A.space, N.col.size());
  for_each_row_by_lanes(A.space, N.nrows, bound<norm_of_block>(A, bs, N.ptr.data(), N.col.data(), N.val.data()));
  return N;
}

NodeGraph::NodeGraph(const Csr &A, const MapPtr &columns, PetscInt bs) :
  bs_(bs), nodes_(nodes_of_columns(columns, bs)), graph_(A.space, A.nrows / bs, nodes_->nlocal())
{
  const Array<PetscInt> ghost_node = nodes_of_ghost_columns(*columns, *nodes_, bs);

  find_pattern(A.space, graph_.nrows, graph_.ncols, NodesReached{A.ptr, A.col, bs, columns->n(), ghost_node.data()}, true, graph_.ptr, graph_.col);
  graph_.val = Array<PetscScalar>(A.space, graph_.col.size());
  graph_.val.zero();
}

template <class V> Array<V> inverse_diagonal_blocks(const NodeBlocks &A, const Csr &others, const V *isolated)
{
  const Csr      nodes = A.nodes(), &rows = A.rows();
  const PetscInt bs = nodes.nrows ? rows.nrows / nodes.nrows : 1;
  Array<V>       inverse(rows.space, static_cast<std::size_t>(rows.nrows) * bs);

  for_each_row(rows.space, nodes.nrows, InvertBlock<V>{rows, nodes, others, bs, isolated, inverse.data()});
  return inverse;
}

template <class V> void apply_diagonal_blocks(Space space, PetscInt n, const PetscInt *nodes, PetscInt bs, const V *inverse, const V *b, V *x)
{
  for_each_row(space, n, bound<apply_block<V>>(nodes, bs, inverse, b, x));
}

#define INSTANTIATE_BLOCKS(Array, V) \
  template Array<V> inverse_diagonal_blocks(const NodeBlocks &, const Csr &, const V *); \
  template void     apply_diagonal_blocks(Space, PetscInt, const PetscInt *, PetscInt, const V *, const V *, V *);
FOR_EACH_VECTOR(INSTANTIATE_BLOCKS, Array)

} // namespace goza::saamg
