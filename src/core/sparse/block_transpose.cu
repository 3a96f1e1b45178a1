/* Matrices of blocks by their rows, and their transposes. */
#include "block_product.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/util/algorithm.hpp"
#include "core/util/counted.hpp"
#include "core/util/search.hpp"
#include "host_blocks.hpp"

namespace goza {
namespace {

/* The row pointer and columns of entries. */
struct WriteRows {
  PetscInt        br, bc;
  const PetscInt *block_ptr, *block_col;
  PetscInt       *ptr, *col;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    const PetscInt begin = block_ptr[i], n = block_ptr[i + 1] - begin, first = begin * (br * bc);

    if (i == 0 && lane == 0) ptr[0] = 0;
    for (PetscInt r = lane; r < br; r += lanes) ptr[i * br + r + 1] = first + (r + 1) * n * bc;
    for (PetscInt r = 0; r < br; r++) {
      for (PetscInt q = lane; q < n; q += lanes) {
        const PetscInt c = block_col[begin + q] * bc;

        for (PetscInt e = 0; e < bc; e++) col[first + (r * n + q) * bc + e] = c + e;
      }
    }
  }
};

/* The block row that block order[k] is in. */
HD void row_of_block(PetscInt k, const PetscInt *order, const PetscInt *ptr, PetscInt nrows, PetscInt *row)
{
  row[k] = partition_point(0, nrows - 1, [=](PetscInt i) { return ptr[i + 1] <= order[k]; });
}

/* A block row of A^T; tptr, tcol: of entries, those of the first row in a block's every br-th column. R, K: br and bc where they are known when this is
   compiled, so that a block is read before any of it is written; else 0. */
template <int R, int K> struct TransposeRow {
  PetscInt           rows, columns;             // of A's blocks
  const PetscInt    *aptr, *acol, *tptr, *tcol; // of A's blocks; of T's rows
  const PetscScalar *aval;
  PetscScalar       *val;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    const PetscInt br = R ? R : rows, bc = K ? K : columns, begin = tptr[i * bc], length = tptr[i * bc + 1] - begin;

    for (PetscInt q = lane * br; q < length; q += lanes * br) {
      const PetscInt     j = tcol[begin + q] / br, first = aptr[j], end = aptr[j + 1], width = (end - first) * bc;
      const PetscScalar *from = aval + (first * (br * bc) + (lower_bound(acol, first, end - 1, i) - first) * bc);
      PetscScalar       *to   = val + (begin + q);

      if constexpr (R && K) {
        PetscScalar block[R * K];

        for (int r = 0; r < R; r++)
          for (int c = 0; c < K; c++) block[r * K + c] = from[r * width + c];
        for (int c = 0; c < K; c++)
          for (int r = 0; r < R; r++) to[c * length + r] = block[r * K + c];
      } else {
        for (PetscInt c = 0; c < bc; c++)
          for (PetscInt r = 0; r < br; r++) to[c * length + r] = from[r * width + c];
      }
    }
  }
};

} // namespace

CsrMatrix rows_of_blocks(CsrMatrix &&A, PetscInt br, PetscInt bc, BlockPatternPtr *blocks)
{
  const Space space = A.space();
  CsrMatrix   rows(space, A.nrows * br, A.ncols * bc);

  rows.ptr = Array<PetscInt>(space, rows.nrows + 1);
  rows.col = Array<PetscInt>(space, counted(static_cast<std::int64_t>(A.col.size()) * br * bc));
  if (!rows.nrows) rows.ptr.zero();
  for_each_row_by_lanes(space, A.nrows, WriteRows{br, bc, A.ptr.data(), A.col.data(), rows.ptr.data(), rows.col.data()});
  rows.val = std::move(A.val);
  if (blocks) *blocks = std::make_shared<BlockPattern>(BlockPattern{br, bc, std::move(A.ptr), std::move(A.col)});
  return rows;
}

void transpose_blocks_numeric(const Blocks &A, CsrMatrix &T)
{
  if (T.val.size() != T.col.size()) T.val = Array<PetscScalar>(A.of.space, T.col.size());
  const auto fill = [&](auto r, auto k) {
    using Row = TransposeRow<decltype(r)::value, decltype(k)::value>;
    for_each_row_by_lanes(A.of.space, A.of.ncols, Row{A.br, A.bc, A.of.ptr, A.of.col, T.ptr.data(), T.col.data(), A.of.val, T.val.data()});
  };

  if (A.br == 3 && A.bc == 6) fill(Size<3>(), Size<6>());
  else fill(Size<0>(), Size<0>());
}

CsrMatrix transpose_blocks(const Blocks &A, BlockPatternPtr *blocks)
{
  const Space     space = A.of.space;
  const PetscInt  n     = entries(A.of);
  CsrMatrix       pattern(space, A.of.ncols, A.of.nrows);
  Array<PetscInt> order;

  group_by(space, A.of.col, n, A.of.ncols, pattern.ptr, order);
  pattern.col = Array<PetscInt>(space, n);
  for_each_row(space, n, bound<row_of_block>(order.data(), A.of.ptr, A.of.nrows, pattern.col.data()));
  CsrMatrix T = rows_of_blocks(std::move(pattern), A.bc, A.br, blocks);

  transpose_blocks_numeric(A, T);
  return T;
}

} // namespace goza
