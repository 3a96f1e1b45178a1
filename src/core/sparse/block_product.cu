#include "block_product.hpp"
#include "csr_pattern.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/util/algorithm.hpp"
#include "core/util/counted.hpp"
#include "core/util/search.hpp"
#include "host_blocks.hpp"

namespace goza
{

namespace
{

/* A's and B's values and blocks, and C's. */
struct BlockProduct {
  PetscInt           br, bm, bc;
  const PetscInt    *aptr, *acol, *bptr, *bcol, *cptr, *ccol;
  const PetscScalar *a, *b;
  PetscScalar       *c;
};

/* Places of C's row that a lane has looked up for the blocks of B's row that falls to it: the first `most` of them, in rows of up to `within` blocks. */
struct Places {
  using Place = unsigned char;

  static constexpr PetscInt most = 32, within = 256;
};

/* What another lane of the row has. */
HD inline PetscInt of_lane(PetscInt value, [[maybe_unused]] PetscInt lane, [[maybe_unused]] int lanes)
{
#if defined(__CUDA_ARCH__)
  if (lanes > 1) return __shfl_sync(0xffffffffu, value, static_cast<int>(lane));
#endif
  return value;
}

/* A block row of C: one block of A after the other, so that the order of every sum is that of A's columns; the lanes share the columns of what one block of A adds to, no two of which are
   the same. R, M, K: br, bm and bc where they are known when this is compiled, else 0. */
template <int R, int M, int K> struct BlockRow {
  BlockProduct of;

  HD PetscInt br() const { return R ? R : of.br; }
  HD PetscInt bm() const { return M ? M : of.bm; }
  HD PetscInt bc() const { return K ? K : of.bc; }

  /* What is added up: n blocks. */
  struct Sums {
    PetscInt        n;
    const PetscInt *column; // of the blocks
    PetscScalar    *value;
  };

  /* places: Places::most for each lane. */
  HD void operator()(PetscInt node, int lane, int lanes, PetscScalar *sum, const PetscInt *column, Places::Place *places) const
  {
    const PetscInt first = of.aptr[node], last = of.aptr[node + 1], stride = (last - first) * bm();
    const Sums     to{of.cptr[node + 1] - of.cptr[node], column, sum};

    for (PetscInt t = lane; t < to.n * bc() * br(); t += lanes) sum[t] = 0;
    for (PetscInt chunk = first; chunk < last; chunk += lanes) {
      const PetscInt blocks = last - chunk < lanes ? last - chunk : lanes, j = lane < blocks ? of.acol[chunk + lane] : -1;
      const PetscInt begin = j < 0 ? 0 : of.bptr[j], mine = j < 0 ? 0 : of.bptr[j + 1] - begin;

      wait_for_lanes(lanes);
      if (to.n <= Places::within) look_up(to, begin, mine, places + lane * Places::most);
      for (PetscInt l = 0; l < blocks; l++) {
        wait_for_lanes(lanes);
        add({of.a + first * (br() * bm()) + (chunk - first + l) * bm(), stride, of_lane(begin, l, lanes), of_lane(mine, l, lanes), places + l * Places::most}, to, lane, lanes);
      }
    }
    wait_for_lanes(lanes);
  }

private:
  /* A's block, whose rows are `stride` values apart, and a row of blocks of B. */
  struct Term {
    const PetscScalar   *a;
    PetscInt             stride, begin, blocks;
    const Places::Place *place;
  };

  HD void look_up(const Sums &to, PetscInt begin, PetscInt blocks, Places::Place *place) const
  {
    for (PetscInt q = 0; q < blocks && q < Places::most; q++) place[q] = static_cast<Places::Place>(lower_bound(to.column, 0, to.n - 1, of.bcol[begin + q]));
  }

  HD PetscInt place(const Term &t, const Sums &to, PetscInt q) const
  {
    return to.n <= Places::within && q < Places::most ? t.place[q] : lower_bound(to.column, 0, to.n - 1, of.bcol[t.begin + q]);
  }

  HD void add(const Term &t, const Sums &to, int lane, int lanes) const
  {
    const PetscInt           width = t.blocks * bc();
    const PetscScalar *const b     = of.b + t.begin * (bm() * bc());
    PetscScalar              block[R && M ? R * M : 1];

    if constexpr (R && M) {
      for (int r = 0; r < R; r++) {
        for (int s = 0; s < M; s++) block[r * M + s] = t.a[r * t.stride + s];
      }
    }
    for (PetscInt item = lane; item < width; item += lanes) {
      const PetscInt     q   = item / bc();
      PetscScalar *const sum = to.value + (place(t, to, q) * bc() + item - q * bc());

      if constexpr (R && M) {
        PetscScalar x[M];

        for (int s = 0; s < M; s++) x[s] = b[s * width + item];
        for (int r = 0; r < R; r++) {
          PetscScalar dot = 0;

          for (int s = 0; s < M; s++) dot += block[r * M + s] * x[s];
          sum[r * to.n * bc()] += dot;
        }
      } else {
        for (PetscInt r = 0; r < br(); r++) {
          PetscScalar dot = 0;

          for (PetscInt s = 0; s < bm(); s++) dot += t.a[r * t.stride + s] * b[s * width + item];
          sum[r * to.n * bc()] += dot;
        }
      }
    }
  }
};

#if defined(__CUDACC__)
constexpr int      row_warps      = 4;
constexpr PetscInt blocks_on_chip = 32, values_on_chip = 9216 / sizeof(PetscScalar);

/* A warp a block row, whose values and columns are on chip where they are few. */
template <int R, int M, int K> __global__ void __launch_bounds__(32 * row_warps) BlockRowKernel(PetscInt nodes, const BlockRow<R, M, K> row)
{
  constexpr PetscInt     room = R && K && blocks_on_chip * R * K < values_on_chip ? blocks_on_chip * R * K : values_on_chip;
  __shared__ PetscScalar sums[row_warps][room];
  __shared__ PetscInt    columns[row_warps][blocks_on_chip];
  __shared__ Places::Place places[row_warps][32 * Places::most];
  const int                warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t       node = static_cast<std::int64_t>(blockIdx.x) * row_warps + warp;

  if (node >= nodes) return;
  const BlockProduct   &of    = row.of;
  const PetscInt        begin = of.cptr[node], n = of.cptr[node + 1] - begin, values = n * row.br() * row.bc();
  const PetscInt *const from = of.ccol + begin;
  PetscScalar *const    to   = of.c + begin * (row.br() * row.bc());

  if (n > blocks_on_chip || values > room) {
    row(static_cast<PetscInt>(node), lane, 32, to, from, places[warp]);
    return;
  }
  if (lane < n) columns[warp][lane] = from[lane];
  row(static_cast<PetscInt>(node), lane, 32, sums[warp], columns[warp], places[warp]);
  for (PetscInt t = lane; t < values; t += 32) to[t] = sums[warp][t];
}

template <int R, int M, int K> void multiply_block_rows_on_device(PetscInt nodes, const BlockProduct &of)
{
  if (nodes) launch_kernel<BlockRowKernel<R, M, K>>(blocks_for(nodes, row_warps), 32 * row_warps, nodes, BlockRow<R, M, K>{of});
}
#endif

/* With the sizes of A P and P^T (A P) for 2 and 3 unknowns and the near-null vectors that they come with. */
void multiply_values(Space space, PetscInt nodes, PetscInt ncols, const BlockProduct &of)
{
  const auto with = [&](auto r, auto m, auto k) {
    constexpr int R = decltype(r)::value, M = decltype(m)::value, K = decltype(k)::value;

#if defined(__CUDACC__)
    if (space == Space::Cuda) return multiply_block_rows_on_device<R, M, K>(nodes, of);
#endif
    run_on_host([&] { multiply_block_rows<R, M, K>(of, nodes, ncols); });
  };
  const auto is = [&](PetscInt br, PetscInt bm, PetscInt bc) { return of.br == br && of.bm == bm && of.bc == bc; };

  (void)space;
  if (is(2, 2, 2)) with(Size<2>(), Size<2>(), Size<2>());
  else if (is(3, 3, 3)) with(Size<3>(), Size<3>(), Size<3>());
  else if (is(3, 3, 6)) with(Size<3>(), Size<3>(), Size<6>());
  else if (is(6, 3, 6)) with(Size<6>(), Size<3>(), Size<6>());
  else if (is(6, 6, 6)) with(Size<6>(), Size<6>(), Size<6>());
  else if (is(2, 2, 3)) with(Size<2>(), Size<2>(), Size<3>());
  else if (is(3, 2, 3)) with(Size<3>(), Size<2>(), Size<3>());
  else with(Size<0>(), Size<0>(), Size<0>());
}

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
struct RowOfBlock {
  const PetscInt *order, *ptr;
  PetscInt        nrows;
  PetscInt       *row;

  HD void operator()(PetscInt k) const
  {
    row[k] = partition_point(0, nrows - 1, [this, k](PetscInt i) { return ptr[i + 1] <= order[k]; });
  }
};

/* A block row of A^T; tptr, tcol: of entries, those of the first row in a block's every br-th column. */
struct TransposeRow {
  PetscInt           br, bc;                    // of A
  const PetscInt    *aptr, *acol, *tptr, *tcol; // of A's blocks; of T's rows
  const PetscScalar *aval;
  PetscScalar       *val;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    const PetscInt begin = tptr[i * bc], length = tptr[i * bc + 1] - begin;

    for (PetscInt q = lane * br; q < length; q += lanes * br) {
      const PetscInt     j = tcol[begin + q] / br, first = aptr[j], end = aptr[j + 1], width = (end - first) * bc;
      const PetscScalar *from = aval + (first * (br * bc) + (lower_bound(acol, first, end - 1, i) - first) * bc);
      PetscScalar       *to   = val + (begin + q);

      for (PetscInt c = 0; c < bc; c++) {
        for (PetscInt r = 0; r < br; r++) to[c * length + r] = from[r * width + c];
      }
    }
  }
};

BlockProduct product_of(const Blocks &A, const Blocks &B, CsrMatrix &C)
{
  return {A.br, A.bc, B.bc, A.of.ptr, A.of.col, B.of.ptr, B.of.col, C.ptr.data(), C.col.data(), A.of.val, B.of.val, C.val.data()};
}

} // namespace

void multiply_blocks_numeric(const Blocks &A, const Blocks &B, CsrMatrix &C)
{
  if (const std::size_t nnz = C.col.size() * static_cast<std::size_t>(A.br * B.bc); C.val.size() != nnz) C.val = Array<PetscScalar>(A.of.space, nnz);
  multiply_values(A.of.space, C.nrows, C.ncols, product_of(A, B, C));
}

CsrMatrix multiply_blocks(const Blocks &A, const Blocks &B, bool with_diagonal)
{
  CsrMatrix C(A.of.space, A.of.nrows, B.of.ncols);

  find_pattern(A.of.space, C.nrows, C.ncols, ProductRows{A.of.ptr, A.of.col, B.of.ptr, B.of.col, with_diagonal}, true, C.ptr, C.col);
  (void)counted(static_cast<std::int64_t>(C.col.size()) * A.br * B.bc);
  multiply_blocks_numeric(A, B, C);
  return C;
}

CsrMatrix rows_of_blocks(CsrMatrix &&A, PetscInt br, PetscInt bc)
{
  const Space space = A.space();
  CsrMatrix   rows(space, A.nrows * br, A.ncols * bc);

  rows.ptr = Array<PetscInt>(space, rows.nrows + 1);
  rows.col = Array<PetscInt>(space, counted(static_cast<std::int64_t>(A.col.size()) * br * bc));
  if (!rows.nrows) rows.ptr.zero();
  for_each_row_by_lanes(space, A.nrows, WriteRows{br, bc, A.ptr.data(), A.col.data(), rows.ptr.data(), rows.col.data()});
  rows.val = std::move(A.val);
  return rows;
}

bool multiply_rows_numeric(const Blocks &A, const Blocks &B, CsrMatrix &C)
{
  FullBlocks c(C.view(), A.br, B.bc);

  if (!c.find()) return false;
  CsrMatrix by_blocks(A.of.space, A.of.nrows, B.of.ncols);

  by_blocks.ptr = std::move(c.ptr);
  by_blocks.col = std::move(c.col);
  by_blocks.val = std::move(C.val);
  multiply_blocks_numeric(A, B, by_blocks);
  C.val = std::move(by_blocks.val);
  return true;
}

void transpose_blocks_numeric(const Blocks &A, CsrMatrix &T)
{
  if (T.val.size() != T.col.size()) T.val = Array<PetscScalar>(A.of.space, T.col.size());
  for_each_row_by_lanes(A.of.space, A.of.ncols, TransposeRow{A.br, A.bc, A.of.ptr, A.of.col, T.ptr.data(), T.col.data(), A.of.val, T.val.data()});
}

CsrMatrix transpose_blocks(const Blocks &A)
{
  const Space     space = A.of.space;
  const PetscInt  n     = entries(A.of);
  CsrMatrix       pattern(space, A.of.ncols, A.of.nrows);
  Array<PetscInt> order;

  group_by(space, A.of.col, n, A.of.ncols, pattern.ptr, order);
  pattern.col = Array<PetscInt>(space, n);
  for_each_row(space, n, RowOfBlock{order.data(), A.of.ptr, A.of.nrows, pattern.col.data()});
  CsrMatrix T = rows_of_blocks(std::move(pattern), A.bc, A.br);

  transpose_blocks_numeric(A, T);
  return T;
}

} // namespace goza
