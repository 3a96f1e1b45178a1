#include "block_product.hpp"
#include "csr_pattern.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/util/counted.hpp"
#include "core/util/search.hpp"
#include "host_blocks.hpp"

namespace goza {
namespace {

/* A's and B's values and blocks, and C's. Of B's rows it may be that there is a part, to which the others' are added that come before and after it. */
struct BlockProduct {
  PetscInt           br, bm, bc;
  const PetscInt    *aptr, *acol, *bptr, *bcol, *cptr, *ccol;
  const PetscScalar *a, *b;
  PetscScalar       *c;
  PetscInt           b_first = 0, c_first = 0;         // the blocks that b and c begin with
  PetscInt           begin = 0, end = 0, all_of_b = 0; // rows of B, of so many; of 0: all

  /* A's blocks of a row that count, and whether they are the first that do. */
  struct Taken {
    PetscInt begin, end;
    bool     anew;

    HD bool nothing() const { return begin == end && !anew; }
  };

  HD Taken taken(PetscInt node) const
  {
    const PetscInt first = aptr[node], last = aptr[node + 1];

    if (!all_of_b) return {first, last, true};
    const PetscInt from = lower_bound(acol, first, last, begin), to = lower_bound(acol, from, last, end);

    return {from, to, from == first && (from < to || end == all_of_b)};
  }
};

/* Places of C's row that a lane has looked up for the blocks of B's row that falls to it: the first `most` of them, in rows of up to `within` blocks. */
struct Places {
  using Place = unsigned char;

  static constexpr PetscInt most = 32, within = 256;
};

#if defined(__CUDACC__)
/* Who does a row: a warp, or all warps of a block of threads. */
template <int warps> struct Crew {
  int lane, thread; // of its warp; of all

  static constexpr int lanes = 32, threads = 32 * warps;

  __device__ void wait() const
  {
    if constexpr (warps > 1) __syncthreads();
    else __syncwarp();
  }
};

/* A block row of C: one block of A after the other, so that the order of every sum is that of A's columns; the threads share the columns of what one block of A
   adds to, no two of which are the same. R, M, K: br, bm and bc where they are known when this is compiled, else 0. */
template <int R, int M, int K> struct BlockRow {
  BlockProduct of;

  __device__ PetscInt br() const { return R ? R : of.br; }
  __device__ PetscInt bm() const { return M ? M : of.bm; }
  __device__ PetscInt bc() const { return K ? K : of.bc; }

  /* What is added up: n blocks. */
  struct Sums {
    PetscInt        n;
    const PetscInt *column; // of the blocks
    PetscScalar    *value;
  };

  /* places: of a warp, Places::most for each lane. */
  template <int warps>
  __device__ void operator()(PetscInt node, const Crew<warps> &crew, const BlockProduct::Taken &taken, PetscScalar *sum, const PetscInt *column,
                             Places::Place *places) const
  {
    const PetscInt first = of.aptr[node], last = taken.end, stride = (of.aptr[node + 1] - first) * bm();
    const Sums     to{of.cptr[node + 1] - of.cptr[node], column, sum};

    for (PetscInt t = crew.thread; t < to.n * bc() * br() && taken.anew; t += crew.threads) sum[t] = 0;
    for (PetscInt chunk = taken.begin; chunk < last; chunk += Crew<warps>::lanes) {
      const PetscInt blocks = last - chunk < Crew<warps>::lanes ? last - chunk : Crew<warps>::lanes, j = crew.lane < blocks ? of.acol[chunk + crew.lane] : -1;
      const PetscInt begin = j < 0 ? 0 : of.bptr[j], mine = j < 0 ? 0 : of.bptr[j + 1] - begin;

      crew.wait();
      if (to.n <= Places::within) look_up(to, begin, mine, places + crew.lane * Places::most);
      for (PetscInt l = 0; l < blocks; l++) {
        crew.wait();
        add({of.a + first * (br() * bm()) + (chunk - first + l) * bm(), stride, of_lane(begin, l), of_lane(mine, l), places + l * Places::most}, to, crew);
      }
    }
    crew.wait();
  }

private:
  /* A's block, whose rows are `stride` values apart, and a row of blocks of B. */
  struct Term {
    const PetscScalar   *a;
    PetscInt             stride, begin, blocks;
    const Places::Place *place;
  };

  __device__ static PetscInt of_lane(PetscInt value, PetscInt lane) { return __shfl_sync(0xffffffffu, value, static_cast<int>(lane)); }

  __device__ void look_up(const Sums &to, PetscInt begin, PetscInt blocks, Places::Place *place) const
  {
    for (PetscInt q = 0; q < blocks && q < Places::most; q++) place[q] = static_cast<Places::Place>(lower_bound(to.column, 0, to.n - 1, of.bcol[begin + q]));
  }

  __device__ PetscInt place(const Term &t, const Sums &to, PetscInt q) const
  {
    return to.n <= Places::within && q < Places::most ? t.place[q] : lower_bound(to.column, 0, to.n - 1, of.bcol[t.begin + q]);
  }

  template <int warps> __device__ void add(const Term &t, const Sums &to, const Crew<warps> &crew) const
  {
    const PetscInt           width = t.blocks * bc();
    const PetscScalar *const b     = of.b + (t.begin - of.b_first) * (bm() * bc());
    PetscScalar              block[R && M ? R * M : 1];

    if constexpr (R && M) {
      for (int r = 0; r < R; r++)
        for (int s = 0; s < M; s++) block[r * M + s] = t.a[r * t.stride + s];
    }
    for (PetscInt item = crew.thread; item < width; item += crew.threads) {
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

constexpr int      row_warps      = 4;
constexpr PetscInt blocks_on_chip = 32, values_on_chip = 9216 / sizeof(PetscScalar); // of a warp
constexpr PetscInt few_rows = 16384;                                                 // that do not keep a device busy, a warp each

/* So many warps a block row, 1 or all, whose values and columns are on chip where they are few. */
template <int warps, int R, int M, int K> __global__ void __launch_bounds__(32 * row_warps) BlockRowKernel(PetscInt nodes, const BlockRow<R, M, K> row)
{
  constexpr PetscInt     room = R && K && blocks_on_chip * R * K < values_on_chip ? blocks_on_chip * R * K : values_on_chip;
  __shared__ PetscScalar sums[row_warps * room];
  __shared__ PetscInt    columns[row_warps * blocks_on_chip];
  __shared__ Places::Place places[row_warps][32 * Places::most];
  const int                warp = static_cast<int>(threadIdx.x) / 32, first = warp - warp % warps; // of the row
  const Crew<warps>        crew{static_cast<int>(threadIdx.x) % 32, static_cast<int>(threadIdx.x) - 32 * first};
  const std::int64_t       node = (static_cast<std::int64_t>(blockIdx.x) * row_warps + warp) / warps;

  if (node >= nodes) return;
  const BlockProduct       &of    = row.of;
  const BlockProduct::Taken taken = of.taken(static_cast<PetscInt>(node));
  if (taken.nothing()) return;
  const PetscInt        begin = of.cptr[node], n = of.cptr[node + 1] - begin, values = n * row.br() * row.bc();
  const PetscInt *const from   = of.ccol + begin;
  PetscInt *const       column = columns + first * blocks_on_chip;
  PetscScalar *const to = of.c + (begin - of.c_first) * (row.br() * row.bc()), *const sum = sums + first * room;

  if (n > warps * blocks_on_chip || values > warps * room) {
    row(static_cast<PetscInt>(node), crew, taken, to, from, places[warp]);
    return;
  }
  for (PetscInt t = crew.thread; t < n; t += crew.threads) column[t] = from[t];
  for (PetscInt t = crew.thread; t < values && !taken.anew; t += crew.threads) sum[t] = to[t];
  row(static_cast<PetscInt>(node), crew, taken, sum, column, places[warp]);
  for (PetscInt t = crew.thread; t < values; t += crew.threads) to[t] = sum[t];
}

template <int R, int M, int K> void multiply_block_rows_on_device(PetscInt nodes, const BlockProduct &of)
{
  if (nodes > few_rows) launch_kernel<BlockRowKernel<1, R, M, K>>(blocks_for(nodes, row_warps), 32 * row_warps, nodes, BlockRow<R, M, K>{of});
  else if (nodes) launch_kernel<BlockRowKernel<row_warps, R, M, K>>(blocks_for(nodes, 1), 32 * row_warps, nodes, BlockRow<R, M, K>{of});
}
#endif

/* Values in C's pattern of blocks. */
BlockProduct product_of(const Blocks &A, const Blocks &B, const Csr &C, PetscScalar *values)
{
  return {A.br, A.bc, B.bc, A.of.ptr, A.of.col, B.of.ptr, B.of.col, C.ptr, C.col, A.of.val, B.of.val, values};
}

/* With the sizes of A P and P^T (A P) for 2 and 3 unknowns and the near-null vectors that they come with. */
void multiply_values(Space space, PetscInt nodes, PetscInt ncols, const BlockProduct &of)
{
  const auto with = [&](auto r, auto m, auto k) {
    constexpr int R = decltype(r)::value, M = decltype(m)::value, K = decltype(k)::value;

#if defined(__CUDACC__)
    if (space == Space::Cuda) return multiply_block_rows_on_device<R, M, K>(nodes, of);
#endif
    BlockRoom room(of.br, of.bm, ncols);

    run_on_host([&] { multiply_block_rows<R, M, K>(of, nodes, room); });
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

} // namespace

CsrMatrix multiply_blocks(const Blocks &A, const Blocks &B, bool with_diagonal)
{
  CsrMatrix C(A.of.space, A.of.nrows, B.of.ncols);

  find_pattern(A.of.space, C.nrows, C.ncols, ProductRows{A.of.ptr, A.of.col, B.of.ptr, B.of.col, with_diagonal}, true, C.ptr, C.col);
  C.val = Array<PetscScalar>(A.of.space, counted(static_cast<std::int64_t>(C.col.size()) * A.br * B.bc));
  multiply_values(A.of.space, C.nrows, C.ncols, product_of(A, B, C.view(), C.val.data()));
  return C;
}

CsrMatrix multiply_blocks(const Blocks &R, const Blocks &A, const Blocks &P, bool with_diagonal, std::size_t room, BlocksInParts &AP)
{
  const Space space = A.of.space;
  CsrMatrix   C(space, R.of.nrows, P.of.ncols);

  AP = {CsrMatrix(space, A.of.nrows, P.of.ncols), {}, {}};
  find_pattern(space, A.of.nrows, P.of.ncols, ProductRows{A.of.ptr, A.of.col, P.of.ptr, P.of.col, false}, true, AP.pattern.ptr, AP.pattern.col);
  find_pattern(space, C.nrows, C.ncols, ProductRows{R.of.ptr, R.of.col, AP.pattern.ptr.data(), AP.pattern.col.data(), with_diagonal}, true, C.ptr, C.col);
  const std::size_t bytes = sizeof(PetscScalar) * counted(static_cast<std::int64_t>(AP.pattern.col.size()) * A.br * P.bc);
  const PetscInt    parts = static_cast<PetscInt>(std::min<std::size_t>(bytes / room + 1, BlocksInParts::most));

  C.val = Array<PetscScalar>(space, counted(static_cast<std::int64_t>(C.col.size()) * R.br * P.bc));
  for (PetscInt p = 0; p <= parts; p++) {
    AP.row.push_back(static_cast<PetscInt>(static_cast<std::int64_t>(A.of.nrows) * p / parts));
    AP.block.push_back(p == 0 ? 0 : p == parts ? AP.pattern.nnz() : read_value(space, AP.pattern.ptr.data() + AP.row[p]));
  }
  multiply_blocks_numeric(R, A, P, AP, C.view(), C.val.data());
  return C;
}

void multiply_blocks_numeric(const Blocks &R, const Blocks &A, const Blocks &P, const BlocksInParts &AP, const Csr &C, PetscScalar *values)
{
  const Csr   pattern = AP.pattern.view();
  const int   parts   = static_cast<int>(AP.row.size()) - 1;
  std::size_t most    = 0;

  for (int p = 0; p < parts; p++) most = std::max(most, static_cast<std::size_t>(AP.block[p + 1] - AP.block[p]));
  Array<PetscScalar> part(A.of.space, most * A.br * P.bc);

  for (int p = 0; p < parts; p++) {
    const PetscInt row = AP.row[p], rows = AP.row[p + 1] - row;
    BlockProduct   upper = product_of(A, P, pattern, part.data()), lower = product_of(R, {pattern, A.br, P.bc}, C, values);

    upper.aptr += row;
    upper.cptr += row;
    upper.c_first = lower.b_first = AP.block[p];
    lower.b                       = part.data();
    if (parts > 1) {
      lower.begin    = row;
      lower.end      = row + rows;
      lower.all_of_b = A.of.nrows;
    }
    multiply_values(A.of.space, rows, pattern.ncols, upper);
    multiply_values(A.of.space, C.nrows, C.ncols, lower);
  }
}

} // namespace goza
