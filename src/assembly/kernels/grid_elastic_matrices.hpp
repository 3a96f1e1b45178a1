/* The matrices of elastic hexahedra on chip: first the gradients at the Gauss points, then a warp multiplies an element's in the tensor cores, gradients times
   gradients, 8 corners x 8 points x 8 corners for every two components, and leaves the element matrix in their place.

   A lane has corner a = lane / 4 and point q = lane % 4 of either side of direction 2: as the left factor asks of it, and, transposed, the right one. */
#pragma once
#include "grid_blocks.hpp"
#include "hex_diffusion.hpp"

namespace goza::assembly::grid_elasticity {

#if defined(__CUDACC__)

struct View {
  const PetscReal (*x)[3];
  const PetscReal (*material)[2];
  GridBlocks blocks;

  HD int corners() const { return (blocks.width + 1) * (blocks.height + 1); } // of a plane of nodes

  /* Component and corner v of a block's plane of nodes; 0 outside the grid. */
  __device__ PetscScalar coordinate(const NodeGrid &grid, int v, PetscInt k) const
  {
    const int      c = v % corners();
    const PetscInt i = static_cast<PetscInt>(blockIdx.x) * (blocks.width - 1) - 1 + c % (blocks.width + 1),
                   j = static_cast<PetscInt>(blockIdx.y) * (blocks.height - 1) - 1 + c / (blocks.width + 1);

    return i >= 0 && i < grid.n[0] && j >= 0 && j < grid.n[1] && k < grid.n[2] ? static_cast<PetscScalar>(cached_load(&x[grid.node(i, j, k)][v / corners()]))
                                                                               : PetscScalar(0);
  }
};

constexpr int pitch = 301; // of an element matrix: its half, and odd, so that neighbours lie in different banks

/* d += a b of a warp: a 8 x 4, the lane's is (lane / 4, lane % 4); b 4 x 8, (lane % 4, lane / 4); d 8 x 8, (lane / 4, 2 (lane % 4)) and the one right of it. */
__device__ inline void multiply_add(double d[2], double a, double b)
{
  #if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(d[0]), "+d"(d[1]) : "d"(a), "d"(b));
  #else
  const int lane = threadIdx.x % 32;

  for (int k = 0; k < 4; k++) {
    const double of_row = __shfl_sync(0xffffffffu, a, lane / 4 * 4 + k);

    for (int j = 0; j < 2; j++) d[j] += of_row * __shfl_sync(0xffffffffu, b, (2 * (lane % 4) + j) * 4 + k);
  }
  #endif
}

/* Twice that with eight columns of a, twice as fast: rows 0 .. 7 of a (columns 0 .. 3, 4 .. 7) and of d in a0 and d0, rows 8 .. 15 in a1 and d1. */
__device__ inline void multiply_add(double (&d0)[2], double (&d1)[2], const double (&a0)[2], const double (&a1)[2], const double (&b)[2])
{
  #if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(d0[0]), "+d"(d0[1]), "+d"(d1[0]), "+d"(d1[1])
      : "d"(a0[0]), "d"(a1[0]), "d"(a0[1]), "d"(a1[1]), "d"(b[0]), "d"(b[1]));
  #else
  for (int side = 0; side < 2; side++) {
    multiply_add(d0, a0[side], b[side]);
    multiply_add(d1, a1[side], b[side]);
  }
  #endif
}

/* Where an element has its gradients: component c, corner a, point q of a side of direction 2. */
HD constexpr int gradient_at(int c, int a, int side, int q)
{
  return c * 64 + side * 32 + a * 4 + (q ^ side); // so that a corner of all eight points lies in different banks, whichever corner each point asks for
}

/* Where a diagonal block's half has corners a <= b: what 16 lanes write in one go (multiply_elements()) lies in different banks. */
HD constexpr int half_at(int a, int b)
{
  return b & 1  ? (a < 4    ? (b == 1 ? 16 : 12 + 2 * b) + a
                   : b == 5 ? 26 + a
                            : 28 + a)
       : a < 4  ? (b == 0   ? 0
                   : b == 2 ? 1 + a
                            : 2 * b - 4 + a)
       : b == 4 ? 12
                : 9 + a;
}

/* Where entry (r, c) of the block of corners a and b is; for r == c, a <= b. */
HD constexpr int entry_at(int a, int b, int r, int c)
{
  const int left = r < c ? a : b, right = r < c ? b : a;

  return r == c ? 192 + r * hex_half + half_at(a, b) : (r + c - 1) * 64 + (right & 1) * 32 + left * 4 + (right >> 1);
}

/* The gradients at points q and q + 4, times the roots of their weight and of mu. x: the coordinates on chip, [component][corners], of the nodes' planes */
__device__ inline void leave_gradients(const PetscScalar *below, const PetscScalar *above, int corners, int width, int q, PetscScalar mu, PetscScalar *own)
{
  constexpr PetscScalar near = Hex8::near_value<PetscScalar>(), far = 1 - near;
  const PetscScalar     x1 = q & 1 ? near : far, y1 = q & 2 ? near : far;
  PetscScalar           B[4][3], D[4][3], J2[3];

  #pragma unroll
  for (int d = 0; d < 3; d++) {
  #pragma unroll
    for (int k = 0; k < 4; k++) {
      const int at = d * corners + (k & 1) + (k >> 1) * (width + 1);

      B[k][d] = below[at];
      D[k][d] = above[at] - B[k][d];
    }
    const PetscScalar first = D[0][d] + x1 * (D[1][d] - D[0][d]), second = D[2][d] + x1 * (D[3][d] - D[2][d]);

    J2[d] = first + y1 * (second - first);
  }
  #pragma unroll
  for (int side = 0; side < 2; side++) {
    const PetscScalar z1 = side ? near : far, x[2] = {1 - x1, x1}, y[2] = {1 - y1, y1}, z[2] = {1 - z1, z1};
    PetscScalar       J0[3], J1[3], C[3][3];

  #pragma unroll
    for (int d = 0; d < 3; d++) {
      PetscScalar P[4];

  #pragma unroll
      for (int k = 0; k < 4; k++) P[k] = B[k][d] + z1 * D[k][d];
      J0[d] = P[1] - P[0] + y1 * (P[3] - P[2] - (P[1] - P[0]));
      J1[d] = P[2] - P[0] + x1 * (P[3] - P[1] - (P[2] - P[0]));
    }
    cross(J1, J2, C[0]);
    cross(J2, J0, C[1]);
    cross(J0, J1, C[2]);
    /* the inverse is the cofactors over det, times the root of mu det / 8 */
    const PetscScalar root = mu * rsqrt(8 * mu * (J0[0] * C[0][0] + J0[1] * C[0][1] + J0[2] * C[0][2]));

  #pragma unroll
    for (int d = 0; d < 3; d++) {
      PetscScalar in0[4], in1[4], in2[4];

  #pragma unroll
      for (int k = 0; k < 4; k++) {
        in0[k] = root * C[0][d] * (y[k & 1] * z[k >> 1]);
        in1[k] = root * C[1][d] * (x[k & 1] * z[k >> 1]);
        in2[k] = root * C[2][d] * (x[k & 1] * y[k >> 1]);
      }
  #pragma unroll
      for (int b = 0; b < 8; b++) {
        const int         b0 = b & 1, b1 = b >> 1 & 1, b2 = b >> 2;
        const PetscScalar g = (b0 ? in0[b1 + 2 * b2] : -in0[b1 + 2 * b2]) + (b1 ? in1[b0 + 2 * b2] : -in1[b0 + 2 * b2]) +
                              (b2 ? in2[b0 + 2 * b1] : -in2[b0 + 2 * b1]);

        own[gradient_at(d, b, side, q)] = g;
      }
    }
  }
}

/* From gradients to the element matrix, by a warp, n elements that lie side by side. ratio: lambda / mu, [n] */
template <int n> __device__ inline void multiply_elements(PetscScalar *own, const PetscScalar (&ratio)[n], int lane)
{
  const int a = lane / 4;
  double    g[n][3][2], S[n][3][3][2] = {};

  #pragma unroll
  for (int e = 0; e < n; e++) {
  #pragma unroll
    for (int c = 0; c < 3; c++) {
  #pragma unroll
      for (int side = 0; side < 2; side++) g[e][c][side] = own[e * pitch + gradient_at(c, a, side, lane % 4)];
    }
  }
  __syncwarp();
  #pragma unroll
  for (int e = 0; e < n; e++) {
  #pragma unroll
    for (int c = 0; c < 3; c++) {
      multiply_add(S[e][0][c], S[e][1][c], g[e][0], g[e][1], g[e][c]);
  #pragma unroll
      for (int side = 0; side < 2; side++) multiply_add(S[e][2][c], g[e][2][side], g[e][c][side]);
    }
  }
  #pragma unroll
  for (int e = 0; e < n; e++, own += pitch) {
  #pragma unroll
    for (int j = 0; j < 2; j++) {
      const int b            = 2 * (lane % 4) + j;
      const double(*s)[3][2] = S[e], trace = s[0][0][j] + s[1][1][j] + s[2][2][j];

      own[j * 32 + lane]       = static_cast<PetscScalar>(ratio[e] * s[0][1][j] + s[1][0][j]); // entry_at(a, b, 0, 1) and so on
      own[64 + j * 32 + lane]  = static_cast<PetscScalar>(ratio[e] * s[0][2][j] + s[2][0][j]);
      own[128 + j * 32 + lane] = static_cast<PetscScalar>(ratio[e] * s[1][2][j] + s[2][1][j]);
      if (a <= b) {
  #pragma unroll
        for (int r = 0; r < 3; r++) own[entry_at(a, b, r, r)] = static_cast<PetscScalar>(ratio[e] * s[r][r][j] + s[r][r][j] + trace);
      }
    }
  }
}

#endif

} // namespace goza::assembly::grid_elasticity
