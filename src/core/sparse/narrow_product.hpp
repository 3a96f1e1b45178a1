/* Sparse products on the device with few columns and long rows, as of the lower levels of a hierarchy, where there are too few rows for a warp each. A block
   does a row, with a sum for every column in shared memory. Each of its warps asks for a term, all at the same time, and they add them one after the
   other: every sum is in the order of the terms, which are those of csr_product.hpp. */
#pragma once
#include "csr_product.hpp"

#if defined(__CUDACC__)
namespace goza::product {

constexpr int narrow_warps = 8, narrow_asked = 8; // entries that a lane asks for before its warp's turn
constexpr int narrow_bytes = 40 * 1024;           // of shared memory

constexpr PetscInt narrow_rows = 256; // one or two for each multiprocessor

/* Whether the rows are those of a narrow product: with a term for each warp of a block, and an entry for each of its lanes. The terms of a block wait for their
   turn, and where they are shorter a warp a row, which takes 32 entries of any terms at a time, is several times as fast, unless there are so few rows that
   most of a device would have none. */
inline bool narrow(const Csr &A, const Csr &B)
{
  const double terms = A.nrows ? static_cast<double>(entries(A)) / A.nrows : 0, entries_of_term = B.nrows ? static_cast<double>(entries(B)) / B.nrows : 0;

  return B.ncols <= narrow_bytes / static_cast<PetscInt>(sizeof(PetscScalar)) && terms >= narrow_warps &&
         (entries_of_term >= warp_lanes || A.nrows <= narrow_rows);
}

/* A lane's part of a term. */
template <class Terms> struct AskedTerm {
  PetscInt    first = 0, length = 0;
  PetscScalar factor = 0;

  __device__ AskedTerm(const Terms &terms, PetscInt p, PetscInt end)
  {
    if (p < end) terms.open(p, first, length, factor);
  }

  /* Some of its entries, from `begin` on. */
  __device__ void columns(const Terms &terms, PetscInt begin, PetscInt *col) const
  {
  #pragma unroll
    for (int k = 0; k < narrow_asked; k++) col[k] = begin + 32 * k < length ? terms.column(first + begin + 32 * k) : no_column;
  }
  __device__ void values(const Terms &terms, PetscInt begin, PetscScalar *val) const
  {
  #pragma unroll
    for (int k = 0; k < narrow_asked; k++) val[k] = begin + 32 * k < length ? factor * terms.value(first + begin + 32 * k) : PetscScalar(0);
  }
};

template <class Terms>
__global__ void __launch_bounds__(32 * narrow_warps) NarrowFillKernel(PetscInt ncols, Terms terms, const PetscInt *ptr, const PetscInt *col, PetscScalar *val)
{
  extern __shared__ __align__(16) double narrow_memory[];
  PetscScalar *const                     sum  = reinterpret_cast<PetscScalar *>(narrow_memory);
  const int                              lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const PetscInt                         row = blockIdx.x, end = terms.end(row);

  for (PetscInt c = threadIdx.x; c < ncols; c += blockDim.x) sum[c] = 0;
  __syncthreads();
  for (PetscInt round = terms.begin(row); round < end; round += narrow_warps) {
    const AskedTerm<Terms> term(terms, round + warp, end);
    PetscInt               c[narrow_asked];
    PetscScalar            v[narrow_asked];

    term.columns(terms, lane, c);
    term.values(terms, lane, v);
    for (int turn = 0; turn < narrow_warps && round + turn < end; turn++) {
      for (PetscInt begin = lane; turn == warp && begin < term.length; begin += 32 * narrow_asked) {
        if (begin > lane) {
          term.columns(terms, begin, c);
          term.values(terms, begin, v);
        }
        for (int k = 0; k < narrow_asked; k++)
          if (c[k] != no_column) sum[c[k]] += v[k];
      }
      __syncthreads();
    }
  }
  for (PetscInt k = ptr[row] + threadIdx.x; k < ptr[row + 1]; k += blockDim.x) val[k] = terms.finish(row, col[k], sum[col[k]]);
}

/* C's values; its pattern is there. */
template <class Terms> void fill_narrow(const Terms &terms, CsrMatrix &C)
{
  if (!C.nnz()) return;
  launch_kernel_with<NarrowFillKernel<Terms>>(C.ncols * sizeof(PetscScalar), blocks_for(C.nrows, 1), 32 * narrow_warps, C.ncols, terms,
                                              static_cast<const PetscInt *>(C.ptr.data()), static_cast<const PetscInt *>(C.col.data()), C.val.data());
}

} // namespace goza::product
#endif
