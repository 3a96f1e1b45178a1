/* Elasticity on a grid: of a rectangle's plane of elements (grid_blocks.hpp), first the gradients at the Gauss points are left on chip, then a warp multiplies an element's
   in the tensor cores, gradients times gradients, 8 corners x 8 points x 8 corners for every two components, and leaves the element matrix in their place; then threads sum
   up pairs of nodes.

   A lane has corner a = lane / 4 and point q = lane % 4 of either side of direction 2: as the left factor asks of it, and, transposed, the right one. */
#pragma once
#include "element.hpp"
#include "grid_blocks.hpp"
#include "hex_diffusion.hpp"

namespace goza
{
namespace grid_elasticity
{

#if defined(__CUDACC__)

constexpr int teams = 4, team = 96, threads = teams * team; // a team has a thread for each element
constexpr int most  = 92;                                   // elements of a rectangle: what fits on chip
constexpr int pitch = 301;                                  // of an element matrix: its half, and odd, so that neighbours lie in different banks

struct View {
  const PetscReal (*x)[3];
  const PetscReal (*material)[2];
  GridBlocks blocks;

  HD int corners() const { return (blocks.width + 1) * (blocks.height + 1); } // of a plane of nodes
};

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

/* Where an element has its gradients: component c, corner a, point q. */
HD constexpr int gradient_at(int c, int a, int q)
{
  return c * 64 + (q >> 2) * 32 + a * 4 + (q & 3);
}

/* Where entry (r, c) of the block of corners a and b is; for r == c, a <= b. */
HD constexpr int entry_at(int a, int b, int r, int c)
{
  const int left = r < c ? a : b, right = r < c ? b : a;

  return r == c ? 192 + r * hex_half + hex_upper(a, b) : (r + c - 1) * 64 + (right & 1) * 32 + left * 4 + (right >> 1);
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
        const PetscScalar g = (b0 ? in0[b1 + 2 * b2] : -in0[b1 + 2 * b2]) + (b1 ? in1[b0 + 2 * b2] : -in1[b0 + 2 * b2]) + (b2 ? in2[b0 + 2 * b1] : -in2[b0 + 2 * b1]);

        own[gradient_at(d, b, side * 4) + q] = g;
      }
    }
  }
}

/* From gradients to the element matrix, by a warp. ratio: lambda / mu */
__device__ inline void multiply_element(PetscScalar *own, PetscScalar ratio, int lane)
{
  const int a = lane / 4;
  double    g[3][2], S[3][3][2] = {};

  #pragma unroll
  for (int c = 0; c < 3; c++) {
  #pragma unroll
    for (int side = 0; side < 2; side++) g[c][side] = own[c * 64 + side * 32 + lane];
  }
  __syncwarp();
  #pragma unroll
  for (int side = 0; side < 2; side++) {
  #pragma unroll
    for (int r = 0; r < 3; r++) {
  #pragma unroll
      for (int c = 0; c < 3; c++) multiply_add(S[r][c], g[r][side], g[c][side]);
    }
  }
  #pragma unroll
  for (int j = 0; j < 2; j++) {
    const int    b     = 2 * (lane % 4) + j;
    const double trace = S[0][0][j] + S[1][1][j] + S[2][2][j];

    own[j * 32 + lane]       = static_cast<PetscScalar>(ratio * S[0][1][j] + S[1][0][j]); // entry_at(a, b, 0, 1) and so on
    own[64 + j * 32 + lane]  = static_cast<PetscScalar>(ratio * S[0][2][j] + S[2][0][j]);
    own[128 + j * 32 + lane] = static_cast<PetscScalar>(ratio * S[1][2][j] + S[2][1][j]);
    if (a <= b) {
  #pragma unroll
      for (int r = 0; r < 3; r++) own[entry_at(a, b, r, r)] = static_cast<PetscScalar>(ratio * S[r][r][j] + S[r][r][j] + trace);
    }
  }
}

/* To sum: the blocks of the pair of a node with its neighbour at (x, y), from the elements of the plane that have both. low, high: their planes, 0 below and 1 above */
template <int low, int high> __device__ inline void sum_on_chip(const PetscScalar *mine, int width, int x, int y, PetscScalar *sum)
{
  #pragma unroll
  for (int a = 0; a < 4; a++) {
    const int          b0 = (a & 1) + x, b1 = (a >> 1) + y, i = a + 4 * low, j = b0 + 2 * b1 + 4 * high;
    const PetscScalar *from = mine - ((a & 1) + (a >> 1) * width) * pitch;

    if (b0 < 0 || b0 > 1 || b1 < 0 || b1 > 1) continue;
  #pragma unroll
    for (int k = 0; k < 9; k++) sum[k] += from[entry_at(i, j, k / 3, k % 3)];
  }
}

/* The pairs of a team: equally many blocks to read. First and last of the flat ones, the same of those to the plane above, in the order of `above`. */
struct Share {
  int flat[2], above[2];
};
HD constexpr Share share_of(int team)
{
  return team == 0 ? Share{{0, 1}, {0, 1}} : team == 1 ? Share{{1, 3}, {1, 2}} : team == 2 ? Share{{3, 5}, {2, 4}} : Share{{5, 5}, {4, 9}};
}
HD constexpr int flat_in_share(int k) // self | x, y | the diagonals
{
  return k == 2 ? 3 : k == 3 ? 2 : k;
}
HD constexpr int above_in_share(int k) // a corner | a corner | a corner, straight up | the four sides, a corner
{
  return k == 0 ? 0 : k == 1 ? 2 : k == 2 ? 6 : k == 3 ? 4 : k == 8 ? 8 : 2 * (k - 4) + 1;
}

/* Sums up and writes the pairs of the node at `at`; kept: what the plane below has left to the flat ones. */
template <Layout layout, int which>
__device__ void write_share(const GridTarget &to, const PetscInt *at, bool first, const PetscScalar *mine, int width, PetscScalar (*kept)[9])
{
  constexpr Share share = share_of(which);

  #pragma unroll
  for (int k = share.flat[0]; k < share.flat[1]; k++) {
    const int    f = flat_in_share(k), x = grid_flat_x(f), y = grid_flat_y(f);
    PetscScalar *sum = kept[k - share.flat[0]];

    if (!first) {
      sum_on_chip<0, 0>(mine, width, x, y, sum);
      write_grid_pair<layout, 3>(to, at, x, y, 0, [&](int r, int c) { return sum[3 * r + c]; });
    }
  #pragma unroll
    for (int v = 0; v < 9; v++) sum[v] = 0;
    sum_on_chip<1, 1>(mine, width, x, y, sum);
  }
  #pragma unroll
  for (int k = share.above[0]; k < share.above[1]; k++) {
    const int   x = above_in_share(k) % 3 - 1, y = above_in_share(k) / 3 - 1;
    PetscScalar sum[9] = {};

    if (first) break;
    sum_on_chip<0, 1>(mine, width, x, y, sum);
    write_grid_pair<layout, 3>(to, at, x, y, 1, [&](int r, int c) { return sum[3 * r + c]; });
  }
}

template <Layout layout> __global__ void __launch_bounds__(threads, 1) Kernel(const __grid_constant__ View view, const __grid_constant__ GridTarget to)
{
  extern __shared__ double memory[];

  const GridBlocks &blocks = view.blocks;
  const NodeGrid   &grid   = to.grid;
  const int place = threadIdx.x % team, mine = threadIdx.x / team, lane = threadIdx.x % 32, corners = view.corners(), elements = blocks.width * blocks.height;
  PetscScalar *const matrices = reinterpret_cast<PetscScalar *>(memory), *ratios = matrices + elements * pitch, *coordinates = ratios + elements;
  PetscInt           at[3];
  bool               owner;
  const bool         inside = blocks.find(place, grid, at, &owner);
  const PetscInt     first = at[2], end = first + blocks.planes < grid.n[2] ? first + blocks.planes : grid.n[2];
  const int          corner     = place % blocks.width + place / blocks.width * (blocks.width + 1);
  PetscScalar        kept[2][9] = {};

  /* Component and corner v of a plane of nodes; those outside are nobody's. */
  const auto coordinate = [&](int v, PetscInt z) {
    const int      c = v % corners;
    const PetscInt x = static_cast<PetscInt>(blockIdx.x) * (blocks.width - 1) - 1 + c % (blocks.width + 1),
                   y = static_cast<PetscInt>(blockIdx.y) * (blocks.height - 1) - 1 + c / (blocks.width + 1);

    return x >= 0 && x < grid.n[0] && y >= 0 && y < grid.n[1] && z < grid.n[2] ? static_cast<PetscScalar>(cached_load(&view.x[grid.node(x, y, z)][v / corners])) : PetscScalar(0);
  };

  at[2] = first > 0 ? first - 1 : 0;
  for (int v = threadIdx.x; v < 3 * corners; v += threads) {
    coordinates[(at[2] & 1) * 3 * corners + v]       = coordinate(v, at[2]);
    coordinates[((at[2] + 1) & 1) * 3 * corners + v] = coordinate(v, at[2] + 1);
  }
  __syncthreads();
  for (; at[2] < end; at[2]++) {
    PetscScalar *const below = coordinates + (at[2] & 1) * 3 * corners, *const above = coordinates + ((at[2] + 1) & 1) * 3 * corners;
    PetscScalar next[2];

    if (place < elements) {
      PetscScalar *const own = matrices + place * pitch;

      if (inside && at[2] + 1 < grid.n[2]) {
        const PetscReal  *material = view.material[grid.element(at[0], at[1], at[2])];
        const PetscScalar mu       = cached_load(material + 1);

        if (mine == 0) ratios[place] = cached_load(material) / mu;
        leave_gradients(below + corner, above + corner, corners, blocks.width, mine, mu, own);
      } else {
        if (mine == 0) ratios[place] = 0;
        for (int v = mine; v < 192; v += teams) own[v] = 0;
      }
    }
  #pragma unroll
    for (int k = 0; k < 2; k++) next[k] = threadIdx.x + k * threads < 3 * corners ? coordinate(threadIdx.x + k * threads, at[2] + 2) : PetscScalar(0);
    __syncthreads();
    for (int e = threadIdx.x / 32; e < elements; e += threads / 32) multiply_element(matrices + e * pitch, ratios[e], lane);
  #pragma unroll
    for (int k = 0; k < 2; k++) {
      if (threadIdx.x + k * threads < 3 * corners) below[threadIdx.x + k * threads] = next[k];
    }
    __syncthreads();
    if (owner) {
      const PetscScalar *const from  = matrices + place * pitch;
      const bool               early = at[2] < first;

      if (mine == 0) write_share<layout, 0>(to, at, early, from, blocks.width, kept);
      else if (mine == 1) write_share<layout, 1>(to, at, early, from, blocks.width, kept);
      else if (mine == 2) write_share<layout, 2>(to, at, early, from, blocks.width, kept);
      else write_share<layout, 3>(to, at, early, from, blocks.width, kept);
    }
    __syncthreads();
  }
}

inline void launch(const Mesh &mesh, const GridTarget &to)
{
  dim3              blocks;
  const View        view{mesh.view().x, mesh.view().material, GridBlocks::choose(to.grid, most, blocks)};
  const std::size_t shared = (static_cast<std::size_t>(view.blocks.width * view.blocks.height) * (pitch + 1) + 6 * view.corners()) * sizeof(PetscScalar);

  if (to.target.layout == Layout::Cds) launch_kernel_with(shared, Kernel<Layout::Cds>, blocks, threads, view, to);
  else launch_kernel_with(shared, Kernel<Layout::SlicedEll>, blocks, threads, view, to);
}

#endif

} // namespace grid_elasticity
} // namespace goza
