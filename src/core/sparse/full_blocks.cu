#include "full_blocks.hpp"
#include "block_product.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/util/algorithm.hpp"
#include "core/util/divided.hpp"
#include "csr_ops.hpp"

namespace goza {
namespace {

/* Whether the br rows of a node consist of full blocks, and how many there are. */
struct CountBlocks {
  PetscInt        br, bc;
  bool            any_order; // or the blocks' columns ascend
  const PetscInt *ptr, *col;
  PetscInt       *blocks; // [nodes + 1]
  std::int64_t   *bad;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    const PetscInt first = ptr[i * br], n = ptr[i * br + 1] - first;
    bool           full = n % bc == 0;

    for (PetscInt r = 0; r < br && full; r++) {
      full = ptr[i * br + r + 1] - ptr[i * br + r] == n;
      if (lanes == 1) full = full && row_in_place(first, ptr[i * br + r], n);
    }
    for (PetscInt k = lane; lanes > 1 && k < n && full; k += lanes) {
      full = in_place(first, k);
      for (PetscInt r = 1; r < br; r++) full = full && col[ptr[i * br + r] + k] == col[first + k];
    }
    full = in_all_lanes(full, lanes);
    if (lane) return;
    bad[i]    = !full;
    blocks[i] = n / bc;
  }

private:
  /* Entry k of a node's first row, which begins at `first`. The rows behind it have its columns. */
  HD bool in_place(PetscInt first, PetscInt k) const
  {
    const PetscInt c = col[first + k], e = k % bc;

    return e ? c == col[first + k - 1] + 1 : divided(c, bc) * bc == c && (any_order || !k || c > col[first + k - 1]);
  }

  /* 0: none of them */
  static HD PetscInt columns_unlike(const PetscInt *a, const PetscInt *b, PetscInt n)
  {
    PetscInt other = 0;

    for (PetscInt k = 0; k < n; k++) other |= a[k] - b[k];
    return other;
  }

  /* All of a row's entries, of which one lane divides no more than it must. */
  HD bool row_in_place(PetscInt first, PetscInt from, PetscInt n) const
  {
    const PetscInt other = from == first ? 0 : columns_unlike(col + from, col + first, n);
    bool           ok    = other == 0;

    for (PetscInt k = 0; k < n && from == first; k += bc) {
      const PetscInt c = col[first + k];

      ok = ok && divided(c, bc) * bc == c && (any_order || !k || c > col[first + k - 1]);
      for (PetscInt e = 1; e < bc; e++) ok &= col[first + k + e] == c + e;
    }
    return ok;
  }
};

struct BlockColumns {
  PetscInt        br, bc;
  const PetscInt *ptr, *col, *block_ptr;
  PetscInt       *block_col;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    for (PetscInt k = block_ptr[i] + lane; k < block_ptr[i + 1]; k += lanes) block_col[k] = divided(col[ptr[i * br] + (k - block_ptr[i]) * bc], bc);
  }
};

HD void block_norms_at(PetscInt i, int lane, int lanes, const Csr &A, PetscInt bs, const PetscInt *block_ptr, PetscScalar *norm)
{
  for (PetscInt k = block_ptr[i] + lane; k < block_ptr[i + 1]; k += lanes) {
    PetscReal norm2 = 0;

    for (PetscInt r = 0; r < bs; r++) {
      const PetscScalar *a = A.val + (A.ptr[i * bs + r] + (k - block_ptr[i]) * bs);

      for (PetscInt c = 0; c < bs; c++) norm2 += PetscRealPart(a[c] * PetscConj(a[c]));
    }
    norm[k] = PetscSqrtReal(norm2);
  }
}

} // namespace

bool full_blocks(const Csr &A, PetscInt br, PetscInt bc, Array<PetscInt> &ptr, Array<PetscInt> &col, bool any_order)
{
  if (A.nrows % br || A.ncols % bc) return false;
  const PetscInt      nodes = A.nrows / br;
  Array<std::int64_t> bad(A.space, nodes);

  ptr = Array<PetscInt>(A.space, nodes + 1);
  for_each_row_by_lanes(A.space, nodes, CountBlocks{br, bc, any_order, A.ptr, A.col, ptr.data(), bad.data()});
  if (sum(A.space, bad.data(), bad.size())) return false;
  scan_lengths(A.space, ptr.data(), ptr);
  col = Array<PetscInt>(A.space, entries(A) / (br * bc));
  for_each_row_by_lanes(A.space, nodes, BlockColumns{br, bc, A.ptr, A.col, ptr.data(), col.data()});
  return true;
}

BlockPatternPtr pattern_of_blocks(const Csr &A, PetscInt br, PetscInt bc)
{
  const auto found = std::make_shared<BlockPattern>();

  found->br = br;
  found->bc = bc;
  return br * bc > 1 && full_blocks(A, br, bc, found->ptr, found->col) ? found : nullptr;
}

CsrMatrix block_norms(const Csr &A, const BlockPattern &blocks)
{
  const PetscInt bs = blocks.br;
  CsrMatrix      N(A.space, A.nrows / bs, A.ncols / bs);

  N.ptr = blocks.ptr.copied(A.space);
  N.col = blocks.col.copied(A.space);
  N.val = Array<PetscScalar>(A.space, N.col.size());
  for_each_row_by_lanes(A.space, N.nrows, bound<block_norms_at>(A, bs, N.ptr.data(), N.val.data()));
  return N;
}

CsrMatrix multiply(const Csr &A, PetscInt br, PetscInt bm, const Csr &B, PetscInt bc, bool with_diagonal)
{
  FullBlocks a(A, br, bm), b(B, bm, bc);

  return br * bm * bc > 1 && a.find() && b.find(true) ? rows_of_blocks(multiply_blocks(a.blocks(), b.blocks(), with_diagonal), br, bc)
                                                      : multiply(A, B, with_diagonal);
}

} // namespace goza
