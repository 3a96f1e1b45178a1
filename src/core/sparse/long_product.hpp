/* Long rows of sparse products on the device, whose columns are known: a block does each. Its warps look up at the same time where entries of their terms
   belong in the row. Each, or some of them one after the other, has sums of its own in shared memory and a run of the row's terms, which are those of
   csr_product.hpp; these parts are added up in their order, so that results are the same in every run. */
#pragma once
#include "core/util/search.hpp"
#include "csr_matrix.hpp"
#include "core/launch/for_each_row.hpp"

#if defined(__CUDACC__)
namespace goza::product {

constexpr int      asked_of_lane = 4;                                // entries of terms, before any is added
constexpr int      block_warps = 8, most_warps = 16;                 // the latter where there are few rows
constexpr PetscInt few_rows    = 256;                                // one or two for each multiprocessor
constexpr int      room_of_row = 48 * 1024, room_of_few = 96 * 1024; // of shared memory

/* A warp's next terms, a lane for each. */
template <class Terms> struct AskedTerms {
  PetscInt    first = 0, length = 0;
  PetscScalar factor = 0;

  __device__ AskedTerms(const Terms &terms, PetscInt p, PetscInt end, int count)
  {
    const int lane = threadIdx.x % 32;

    if (lane < count && p + lane < end) terms.open(p + lane, first, length, factor);
  }
  __device__ AskedTerms of(int term) const { return {__shfl_sync(~0u, first, term), __shfl_sync(~0u, length, term), __shfl_sync(~0u, factor, term)}; }

private:
  __device__ AskedTerms(PetscInt f, PetscInt l, PetscScalar a) : first(f), length(l), factor(a) { }
};

/* A row of C in the block's memory, where it has room, and its parts. */
struct RowInParts {
  PetscInt        n, parts;
  const PetscInt *col;
  PetscScalar    *sum; // [parts][n]

  __device__ RowInParts(PetscInt length, const PetscInt *c, PetscScalar *v, double *memory, int room) : n(length), parts(blockDim.x / 32), col(c), sum(v)
  {
    const auto bytes = [&] { return static_cast<std::int64_t>(n) * (parts * sizeof(PetscScalar) + sizeof(PetscInt)); };

    while (parts > 1 && bytes() > room) parts /= 2;
    if (bytes() <= room) {
      PetscInt *held = reinterpret_cast<PetscInt *>(reinterpret_cast<PetscScalar *>(memory) + parts * n);

      for (PetscInt k = threadIdx.x; k < n; k += blockDim.x) held[k] = c[k];
      col = held;
      sum = reinterpret_cast<PetscScalar *>(memory);
    }
    for (PetscInt k = threadIdx.x; k < parts * n; k += blockDim.x) sum[k] = 0;
    __syncthreads();
  }
  __device__ PetscInt place(PetscInt column, PetscInt ncols) const { return n == ncols ? column : lower_bound(col, 0, n - 1, column); }

  /* A lane's entries of a term from one on. */
  template <class Terms> __device__ void add_rest(const Terms &terms, const AskedTerms<Terms> &term, PetscInt begin, PetscInt ncols, PetscScalar *to) const
  {
    for (PetscInt q = begin; q < term.length; q += 32) to[place(terms.column(term.first + q), ncols)] += term.factor * terms.value(term.first + q);
  }
};

/* Rows of C: of a list, or of all where that is null, those of more entries than `done_before`. */
struct RowsToFill {
  PetscInt        n           = 0;
  const PetscInt *list        = nullptr;
  PetscInt        done_before = 0;
};

/* lots: 32 times two to that power entries are asked of a term. */
template <class Terms>
__global__ void __launch_bounds__(32 * most_warps)
  LongFillKernel(RowsToFill rows, PetscInt ncols, Terms terms, int lots, int room, const PetscInt *ptr, const PetscInt *col, PetscScalar *val)
{
  extern __shared__ __align__(16) double long_memory[];
  const int                              lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const PetscInt                         row = rows.list ? rows.list[blockIdx.x] : static_cast<PetscInt>(blockIdx.x), at = ptr[row];

  if (ptr[row + 1] - at <= rows.done_before) return;
  const RowInParts C(ptr[row + 1] - at, col + at, val + at, long_memory, room);
  const int        turns = blockDim.x / 32 / C.parts, my_turn = warp % turns, slices = 1 << lots, count = asked_of_lane >> lots;
  const PetscInt   all = terms.end(row) - terms.begin(row), each = all / C.parts + 1, step = turns * count;
  const PetscInt   begin = terms.begin(row) + warp / turns * each, end = min(begin + each, terms.end(row));
  PetscScalar     *sum = C.sum + warp / turns * C.n;

  AskedTerms<Terms> next(terms, begin + my_turn * count, end, count);
  for (PetscInt done = 0; done < each; done += step) {
    const AskedTerms<Terms> now = next;
    PetscInt                place[asked_of_lane];
    PetscScalar             v[asked_of_lane];

    next = AskedTerms<Terms>(terms, begin + done + step + my_turn * count, end, count);
  #pragma unroll
    for (int k = 0; k < asked_of_lane; k++) {
      const AskedTerms<Terms> term = now.of(k >> lots);
      const PetscInt          q    = lane + 32 * (k & (slices - 1));

      place[k] = q < term.length ? terms.column(term.first + q) : -1;
      v[k]     = q < term.length ? term.factor * terms.value(term.first + q) : PetscScalar(0);
    }
  #pragma unroll
    for (int k = 0; k < asked_of_lane; k++)
      if (place[k] >= 0) place[k] = C.place(place[k], ncols);
    for (int turn = 0; turn < turns; turn++) {
      if (turn == my_turn) {
  #pragma unroll
        for (int k = 0; k < asked_of_lane; k++) {
          if (place[k] >= 0) sum[place[k]] += v[k];
          if (((k + 1) & (slices - 1)) == 0) C.add_rest(terms, now.of(k >> lots), lane + 32 * slices, ncols, sum);
          __syncwarp();
        }
      }
      if (turns > 1) __syncthreads();
    }
  }
  __syncthreads();
  for (PetscInt k = threadIdx.x; k < C.n; k += blockDim.x) {
    PetscScalar total = C.sum[k];

    for (PetscInt part = 1; part < C.parts; part++) total += C.sum[part * C.n + k];
    val[at + k] = terms.finish(row, col[at + k], total);
  }
}

/* The values of rows of C, whose columns are there. mean: entries of a term. */
template <class Terms> void fill_long(const Terms &terms, const RowsToFill &rows, double mean, CsrMatrix &C)
{
  const bool few  = rows.n <= few_rows;
  int        lots = 0;

  if (!rows.n) return;
  while (1 << lots < asked_of_lane && mean > 32 << lots) lots++;
  const int          warps = few ? most_warps : block_warps;
  const std::int64_t most  = C.ncols * static_cast<std::int64_t>(warps * sizeof(PetscScalar) + sizeof(PetscInt));
  const int          room  = static_cast<int>(std::min<std::int64_t>(few ? room_of_few : room_of_row, most));

  launch_kernel_with<LongFillKernel<Terms>>(room, static_cast<unsigned>(rows.n), 32 * warps, rows, C.ncols, terms, lots, room,
                                            static_cast<const PetscInt *>(C.ptr.data()), static_cast<const PetscInt *>(C.col.data()), C.val.data());
}

} // namespace goza::product
#endif
