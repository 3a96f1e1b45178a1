#include "full_blocks.hpp"
#include "core/launch/by_lanes.hpp"
#include "csr_ops.hpp"
#include "csr_pattern.hpp"
#include "host_blocks.hpp"
#include "core/util/counted.hpp"
#include "core/util/row_pointer.hpp"
#include "core/util/search.hpp"

namespace goza
{

namespace
{

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
      const PetscInt from = ptr[i * br + r];

      full = ptr[i * br + r + 1] - from == n;
      if (lanes == 1) full = full && row_in_place(first, from, n);
      else {
        for (PetscInt k = lane; k < n && full; k += lanes) full = in_place(first, from, k);
        full = in_all_lanes(full, lanes);
      }
    }
    if (lane) return;
    bad[i]    = !full;
    blocks[i] = n / bc;
  }

private:
  /* Entry k of a row that begins at `from`, where the node's first row begins at `first`. */
  HD bool in_place(PetscInt first, PetscInt from, PetscInt k) const
  {
    return col[from + k] == col[first + k - k % bc] + k % bc && (k % bc || (col[from + k] % bc == 0 && (any_order || !k || col[from + k] > col[from + k - 1])));
  }

  /* All of the row's, of which one lane divides no more than it must. The rows of a node that are behind its first have that one's columns. */
  HD bool row_in_place(PetscInt first, PetscInt from, PetscInt n) const
  {
    bool ok = true;

    for (PetscInt k = 0; k < n && from != first; k++) ok &= col[from + k] == col[first + k];
    for (PetscInt k = 0; k < n && from == first; k += bc) {
      const PetscInt c = col[first + k];

      ok = ok && c % bc == 0 && (any_order || !k || c > col[first + k - 1]);
      for (PetscInt e = 0; e < bc; e++) ok &= col[first + k + e] == c + e;
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
    for (PetscInt k = block_ptr[i] + lane; k < block_ptr[i + 1]; k += lanes) block_col[k] = col[ptr[i * br] + (k - block_ptr[i]) * bc] / bc;
  }
};

struct BlockNorms {
  Csr             A;
  PetscInt        bs;
  const PetscInt *block_ptr;
  PetscScalar    *norm;

  HD void operator()(PetscInt i, int lane, int lanes) const
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
};

/* The rows and columns of C from the pattern of its blocks. */
struct PointLengths {
  PetscInt        br, bc;
  const PetscInt *block_ptr;
  PetscInt       *length;

  HD void operator()(PetscInt row) const { length[row] = (block_ptr[row / br + 1] - block_ptr[row / br]) * bc; }
};

struct PointColumns {
  PetscInt        br, bc;
  const PetscInt *block_ptr, *block_col, *ptr;
  PetscInt       *col;

  HD void operator()(PetscInt row) const
  {
    const PetscInt *from = block_col + block_ptr[row / br];

    for (PetscInt p = ptr[row]; p < ptr[row + 1]; p += bc) { // a division for every entry takes longer than all else
      const PetscInt c = *from++ * bc;

      for (PetscInt e = 0; e < bc; e++) col[p + e] = c + e;
    }
  }
};

struct BlockPattern {
  Array<PetscInt> ptr, col;

  bool find(const Csr &A, PetscInt br, PetscInt bc, bool any_order = false) { return full_blocks(A, br, bc, ptr, col, any_order); }
};

/* The values of a block row of C: one block of A after the other, so that the order of every sum is that of A's columns; the lanes of a warp share the entries of what
   one block of A adds to, no two of which are the same. */
struct BlockRowProduct {
  Csr             A, B;
  PetscInt        br, bm, bc;
  const PetscInt *aptr, *acol, *bptr, *bcol, *cptr, *ccol; // of blocks
  const PetscInt *ptr;                                     // of C
  PetscScalar    *val;

  HD PetscInt place(PetscInt node, PetscInt column) const { return lower_bound(ccol, cptr[node], cptr[node + 1] - 1, column) - cptr[node]; }

  /* Entry (r, c) of block p of A times block q of B's row. */
  HD PetscScalar term(PetscInt node, PetscInt p, PetscInt q, PetscInt r, PetscInt c) const
  {
    const PetscScalar *a   = A.val + (A.ptr[node * br + r] + (p - aptr[node]) * bm);
    PetscScalar        sum = 0;

    for (PetscInt s = 0; s < bm; s++) sum += a[s] * B.val[B.ptr[acol[p] * bm + s] + q * bc + c];
    return sum;
  }
  /* What it adds to block `at` of C's. */
  HD void add(PetscInt node, PetscInt p, PetscInt q, PetscInt at, PetscInt r, PetscInt c) const
  {
    val[ptr[node * br + r] + at * bc + c] += term(node, p, q, r, c);
  }

#if defined(__CUDACC__)
  __device__ void operator()(PetscInt node, int lane) const
  {
    for (PetscInt t = ptr[node * br] + lane; t < ptr[(node + 1) * br]; t += 32) val[t] = 0;
    for (PetscInt p = aptr[node]; p < aptr[node + 1]; p++) {
      __syncwarp();
      const PetscInt begin = bptr[acol[p]], items = (bptr[acol[p] + 1] - begin) * (br * bc);

      for (PetscInt item = lane; item < items; item += 32) {
        const PetscInt q = item / (br * bc);

        add(node, p, q, place(node, bcol[begin + q]), item % (br * bc) / bc, item % bc);
      }
    }
  }

  /* The same with a block of threads, whose rows have `values` entries; sum[values]: where they are added up. */
  __device__ void add_up(PetscInt node, PetscInt values, PetscScalar *sum) const
  {
    for (PetscInt t = threadIdx.x; t < values; t += blockDim.x) sum[t] = 0;
    for (PetscInt p = aptr[node]; p < aptr[node + 1]; p++) {
      const PetscInt begin = bptr[acol[p]], items = (bptr[acol[p] + 1] - begin) * (br * bc);

      __syncthreads();
      for (PetscInt item = threadIdx.x; item < items; item += blockDim.x) {
        const PetscInt q = item / (br * bc), r = item % (br * bc) / bc, c = item % bc;

        sum[r * (values / br) + place(node, bcol[begin + q]) * bc + c] += term(node, p, q, r, c);
      }
    }
    __syncthreads();
  }
#endif
};

#if defined(__CUDACC__)
constexpr PetscInt most_on_chip = 4096, row_threads = 256;

/* A block of threads a block row: where the rows of B are long, and C's few. */
__global__ void __launch_bounds__(row_threads) BlockRowKernel(const BlockRowProduct row)
{
  __shared__ PetscScalar sum[most_on_chip];
  const PetscInt         node = static_cast<PetscInt>(blockIdx.x), first = row.ptr[node * row.br], values = row.ptr[(node + 1) * row.br] - first;

  if (values > most_on_chip) {
    row.add_up(node, values, row.val + first);
    return;
  }
  row.add_up(node, values, sum);
  for (PetscInt t = threadIdx.x; t < values; t += row_threads) row.val[first + t] = sum[t];
}
#endif

/* bblocks: B's. */
void multiply_values(const BlockRowProduct &row, [[maybe_unused]] std::size_t bblocks)
{
#if defined(__CUDACC__)
  const Space       space = row.A.space;
  const PetscInt    nodes = row.A.nrows / row.br;
  const std::size_t items = bblocks * static_cast<std::size_t>(row.br * row.bc), least = 96; // of a row of B: three to a lane

  if (space == Space::Cuda && nodes && items >= least * static_cast<std::size_t>(row.B.nrows / row.bm)) {
    launch_kernel<BlockRowKernel>(dim3(static_cast<unsigned>(nodes)), row_threads, row);
    return;
  }
  if (space == Space::Cuda) {
    for_each_warp(nodes, row);
    return;
  }
#endif
  run_on_host([&] { multiply_block_rows(row); });
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

CsrMatrix block_norms(const Csr &A, PetscInt bs)
{
  CsrMatrix N(A.space, A.nrows / bs, A.ncols / bs);

  if (!full_blocks(A, bs, bs, N.ptr, N.col)) return CsrMatrix();
  N.val = Array<PetscScalar>(A.space, N.col.size());
  for_each_row_by_lanes(A.space, N.nrows, BlockNorms{A, bs, N.ptr.data(), N.val.data()});
  return N;
}

bool multiply_blocks(const Csr &A, PetscInt br, PetscInt bm, const Csr &B, PetscInt bc, bool with_diagonal, CsrMatrix &C)
{
  BlockPattern    a, b;
  Array<PetscInt> cptr, ccol;

  if (!a.find(A, br, bm) || !b.find(B, bm, bc, true)) return false;
  const PetscInt nodes = A.nrows / br;

  find_pattern(A.space, nodes, B.ncols / bc, ProductRows{a.ptr.data(), a.col.data(), b.ptr.data(), b.col.data(), with_diagonal}, true, cptr, ccol);
  C     = CsrMatrix(A.space, A.nrows, B.ncols);
  C.ptr = Array<PetscInt>(A.space, A.nrows + 1);
  for_each_row(A.space, A.nrows, PointLengths{br, bc, cptr.data(), C.ptr.data()});
  scan_lengths(A.space, C.ptr.data(), C.ptr);
  const PetscInt nnz = counted(static_cast<std::int64_t>(ccol.size()) * br * bc);
  C.col              = Array<PetscInt>(A.space, nnz);
  C.val              = Array<PetscScalar>(A.space, nnz);
  for_each_row(A.space, A.nrows, PointColumns{br, bc, cptr.data(), ccol.data(), C.ptr.data(), C.col.data()});
  multiply_values({A, B, br, bm, bc, a.ptr.data(), a.col.data(), b.ptr.data(), b.col.data(), cptr.data(), ccol.data(), C.ptr.data(), C.val.data()}, b.col.size());
  return true;
}

bool multiply_blocks_numeric(const Csr &A, PetscInt br, PetscInt bm, const Csr &B, PetscInt bc, CsrMatrix &C)
{
  BlockPattern a, b, c;

  if (!a.find(A, br, bm) || !b.find(B, bm, bc, true) || !c.find(Csr{C.space(), C.nrows, C.ncols, C.ptr.data(), C.col.data(), nullptr, C.nnz()}, br, bc))
    return false;
  if (C.val.size() != C.col.size()) C.val = Array<PetscScalar>(A.space, C.col.size());
  multiply_values({A, B, br, bm, bc, a.ptr.data(), a.col.data(), b.ptr.data(), b.col.data(), c.ptr.data(), c.col.data(), C.ptr.data(), C.val.data()}, b.col.size());
  return true;
}

CsrMatrix multiply(const Csr &A, PetscInt br, PetscInt bm, const Csr &B, PetscInt bc, bool with_diagonal)
{
  CsrMatrix C;

  if (br * bm * bc == 1 || !multiply_blocks(A, br, bm, B, bc, with_diagonal, C)) C = multiply(A, B, with_diagonal);
  return C;
}

void multiply_numeric(const Csr &A, PetscInt br, PetscInt bm, const Csr &B, PetscInt bc, CsrMatrix &C)
{
  if (br * bm * bc == 1 || !multiply_blocks_numeric(A, br, bm, B, bc, C)) multiply_numeric(A, B, C);
}

} // namespace goza
