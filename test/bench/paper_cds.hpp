/* Paper P1's kernels, from its figure 5, and what it measured with them. A matrix has at most 27 diagonals; half: the main one and those above. */
#pragma once
#include "core/launch/for_each_row.hpp"
#include <utility>

using namespace goza;

struct PaperMatrix {
  PetscInt           n, ndiag;
  std::int64_t       ld;
  const PetscScalar *val;
  const PetscInt    *offset;
};

template <bool half> HD inline void add_diagonal(const PaperMatrix &A, const PetscScalar *x, PetscInt i, PetscInt j, PetscScalar &sum)
{
  const PetscInt right = i + A.offset[j], left = i - A.offset[j];

  if (0 <= right && right < A.n) sum += A.val[j * A.ld + i] * x[right];
  if (half && left != i && left >= 0) sum += A.val[j * A.ld + left] * x[left];
}

template <bool half, int... j>
HD inline void add_diagonals(const PaperMatrix &A, const PetscScalar *x, PetscInt i, PetscScalar &sum, std::integer_sequence<int, j...>)
{
  (add_diagonal<half>(A, x, i, j, sum), ...);
}

/* The loop over the diagonals unrolled to their number, as the paper has it, or not. */
template <bool half, bool unroll> HD inline PetscScalar PaperSum(const PaperMatrix &A, const PetscScalar *__restrict__ x, PetscInt i)
{
  PetscScalar sum = 0;

  if constexpr (unroll) {
    add_diagonals<half>(A, x, i, sum, std::make_integer_sequence < int, half ? 14 : 27 > ());
  } else {
#if defined(__CUDA_ARCH__)
  #pragma unroll 1
#endif
    for (PetscInt j = 0; j < A.ndiag; j++) add_diagonal<half>(A, x, i, j, sum);
  }
  return sum;
}

#if defined(__CUDACC__)
template <bool half, bool unroll>
__global__ void PaperKernel(PetscInt n, PetscInt ndiag, std::int64_t ld, const PetscScalar *__restrict__ val, const PetscScalar *__restrict__ x, PetscScalar *y,
                            const PetscInt *__restrict__ offset)
{
  const PetscInt i = static_cast<PetscInt>(blockIdx.x * blockDim.x + threadIdx.x);

  if (i < n) y[i] = PaperSum<half, unroll>({n, ndiag, ld, val, offset}, x, i);
}

template <bool half, bool unroll>
__global__ void PaperKernelRead(PetscInt n, PetscInt ndiag, std::int64_t ld, const PetscScalar *__restrict__ val, const PetscScalar *__restrict__ x,
                                PetscScalar *__restrict__ y, const PetscInt *__restrict__ offset)
{
  const PetscInt i = static_cast<PetscInt>(blockIdx.x * blockDim.x + threadIdx.x);

  if (i < n) y[i] = PaperSum<half, unroll>({n, ndiag, ld, val, offset}, x, i);
}
#endif

/* On a host there is no read-only cache: what is left of the cases is whether y may lie where the others do. */
template <bool half, bool unroll> static void PaperRows(const PaperMatrix &A, const PetscScalar *x, PetscScalar *y)
{
  for (PetscInt i = 0; i < A.n; i++) y[i] = PaperSum<half, unroll>(A, x, i);
}

template <bool half, bool unroll> static void PaperRowsRead(const PaperMatrix &A, const PetscScalar *__restrict__ x, PetscScalar *__restrict__ y)
{
  for (PetscInt i = 0; i < A.n; i++) y[i] = PaperSum<half, unroll>(A, x, i);
}

template <bool half, bool unroll, bool read> static void PaperProduct(Space space, const PaperMatrix &A, const PetscScalar *x, PetscScalar *y)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    launch_kernel<(read ? PaperKernelRead<half, unroll> : PaperKernel<half, unroll>)>(blocks_for(A.n, 256), 256, A.n, A.ndiag, A.ld, A.val, x, y, A.offset);
    return;
  }
#endif
  (void)space;
  (read ? PaperRowsRead<half, unroll> : PaperRows<half, unroll>)(A, x, y);
}

struct PaperCase {
  const char *name;
  bool        half;
  void (*product)(Space, const PaperMatrix &, const PetscScalar *, PetscScalar *);
  double gflops[4]; // the paper's at 64^3, 128^3, 256^3 and 512x256x256; 0: did not fit, or not legible
};

static const PaperCase paper_cases[] = {
  {"full", false, PaperProduct<false, false, false>, {28.20, 45.60, 46.10, 0}},
  {"full_Read", false, PaperProduct<false, false, true>, {24.02, 37.56, 38.20, 0}},
  {"full_unroll", false, PaperProduct<false, true, false>, {25.98, 39.08, 41.21, 0}},
  {"full_unroll_Read", false, PaperProduct<false, true, true>, {26.30, 40.65, 42.94, 0}},
  {"half", true, PaperProduct<true, false, false>, {32.88, 50.93, 50.39, 50.39}},
  {"half_Read", true, PaperProduct<true, false, true>, {29.79, 47.91, 49.74, 49.81}},
  {"half_unroll", true, PaperProduct<true, true, false>, {34.95, 53.97, 55.30, 55.44}},
  {"half_unroll_Read", true, PaperProduct<true, true, true>, {33.59, 54.21, 55.65, 56.0}},
};
