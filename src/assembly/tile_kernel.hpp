/* The numeric phase on the device: a block owns the rows of one tile of nodes (symbolic.hpp), and keeps their sums on chip. A warp takes a group of elements of
   one phase. It computes their rows in registers ahead of its turn; when all groups of earlier phases have added theirs, it adds them to the tile's rows: no two
   elements of a phase share one. At the end the block writes its rows, each value once, where the format wants them.

   Hexahedra in elasticity: the sums over points are the product of a 24 x 8 matrix, the gradients, with its transpose, which tensor cores do in double precision. */
#pragma once
#include "core/for_each_row.hpp"
#include "element.hpp"
#include "equation.hpp"
#include "symbolic.hpp"
#include "target.hpp"

namespace goza
{
namespace tile
{

constexpr std::size_t rows_bytes = 160 * 1024; // on chip, of a tile's rows; a multiprocessor has 227 KiB

#if defined(__CUDACC__)

struct View {
  PetscInt             tile_nodes, most_blocks, longest, scratch; // scratch: words between the sums and the list of nodes
  const PetscInt      *owner_ptr, *list_end;
  const std::uint32_t *triple;
  const PetscInt      *ptr, *col, *node, *place, *tile_ptr, *tile_element, *group_after;
  const unsigned char *slot;
};

/* What a block knows of its tile. */
struct Tile {
  PetscScalar *sums;                 // [pairs][bs * bs]
  int         *begin, *pairs, *node; // [nodes + 1] where a node's pairs begin; [nodes] how many it has; [nodes]
  int         *done;                 // elements whose rows were added, the -1 among them
  PetscInt     first;                // place of the first node
  int          count;                // nodes

  /* Where the rows of node i begin, or -1: another tile's. */
  __device__ int row_of(const MeshView &mesh, const View &view, PetscInt i) const
  {
    if (i >= mesh.owned) return -1;
    const PetscInt at = cached_load(view.place + i) - first;

    return at >= 0 && at < count ? begin[at] : -1;
  }
  __device__ void wait_for(int elements) const
  {
    while (*static_cast<volatile int *>(done) < elements) { }
    __threadfence_block();
  }
  __device__ void signal(int elements, int lane) const
  {
    __threadfence_block();
    __syncwarp();
    if (lane == 0) atomicAdd(done, elements);
  }
};

template <class Element> __device__ void load_corners(const MeshView &mesh, const PetscInt *c, PetscScalar (*X)[3])
{
  #pragma unroll
  for (int b = 0; b < Element::nodes; b++) {
    const PetscInt i = cached_load(c + b);

    for (int d = 0; d < 3; d++) X[b][d] = cached_load(&mesh.x[i][d]);
  }
}

/* --- any element and equation: a thread a row of an element matrix. Where there are several points, thread q makes the gradients of point q for its team. */

template <class Element, class Equation> struct Scalar {
  static constexpr int  n = Element::nodes, bs = Equation::bs, in_group = 32 / n, threads = 256;
  static constexpr bool shares = !Element::one_point && Equation::needs_gradients;
  static constexpr int point = 3 * n + 1, scratch = shares ? in_group * Element::points * point : 0; // words of a point (odd: no two in the same banks), of a warp

  __device__ static void rows(const MeshView &mesh, PetscInt e, int a, PetscScalar *mine, PetscScalar (*S)[Equation::sums])
  {
    const PetscInt *c = mesh.conn + static_cast<std::int64_t>(e < 0 ? 0 : e) * n;

    if constexpr (shares) {
      {
        PetscScalar X[n][3], g[n][3];

        load_corners<Element>(mesh, c, X);
        rooted_gradients<Element>(X, a, g);
  #pragma unroll
        for (int b = 0; b < n; b++) {
          for (int d = 0; d < 3; d++) mine[a * point + 3 * b + d] = g[b][d];
        }
      }
      __syncwarp();
  #pragma unroll 1
      for (int q = 0; q < Element::points; q++) {
        const PetscScalar *g = mine + q * point, ga[3] = {g[3 * a], g[3 * a + 1], g[3 * a + 2]};

  #pragma unroll
        for (int b = 0; b < n; b++) {
          const PetscScalar gb[3] = {g[3 * b], g[3 * b + 1], g[3 * b + 2]};

          Equation::add(ga, gb, PetscScalar(0), S[b]);
        }
      }
      __syncwarp();
    } else {
      PetscScalar X[n][3], g[n][3];

      load_corners<Element>(mesh, c, X);
      for (int q = 0; q < Element::points; q++) {
        const PetscScalar w     = rooted_gradients<Element>(X, q, g);
        PetscScalar       ga[3] = {g[0][0], g[0][1], g[0][2]};

  #pragma unroll
        for (int b = 1; b < n; b++) { // no indexing of registers by a
          for (int d = 0; d < 3; d++) ga[d] = a == b ? g[b][d] : ga[d];
        }
  #pragma unroll
        for (int b = 0; b < n; b++) Equation::add(ga, g[b], w * Element::template product<PetscScalar>(a, b, q), S[b]);
      }
    }
  }

  __device__ static void run(const MeshView &mesh, const View &view, const Tile &tile, PetscInt from, PetscInt to, PetscScalar *scratch_of_block)
  {
    const int          warp = threadIdx.x / 32, lane = threadIdx.x % 32, team = lane / n, a = lane % n;
    PetscScalar *const mine = scratch_of_block + warp * scratch + team * (scratch / in_group);

    for (PetscInt g = from + warp; g < to; g += threads / 32) {
      const PetscInt e                    = cached_load(view.tile_element + static_cast<std::int64_t>(g) * in_group + team);
      PetscScalar    S[n][Equation::sums] = {}, m0 = 0, m1 = 0;
      int            row = -1;
      unsigned char  slot[n];

      rows(mesh, e, a, mine, S);
      if (e >= 0) {
        row = tile.row_of(mesh, view, cached_load(mesh.conn + static_cast<std::int64_t>(e) * n + a));
        m0  = cached_load(&mesh.material[e][0]);
        m1  = cached_load(&mesh.material[e][1]);
  #pragma unroll
        for (int b = 0; b < n; b++) slot[b] = cached_load(view.slot + (static_cast<std::int64_t>(e) * n + a) * n + b);
      }
      tile.wait_for(cached_load(view.group_after + g) * in_group);
      if (row >= 0) {
  #pragma unroll
        for (int b = 0; b < n; b++) {
          PetscScalar *add = tile.sums + (row + slot[b]) * (bs * bs), K[bs * bs];

          Equation::block(S[b], m0, m1, K);
  #pragma unroll
          for (int k = 0; k < bs * bs; k++) add[k] += K[k];
        }
      }
      tile.signal(in_group, lane);
    }
  }
};

/* --- tetrahedra: first the gradients of all elements of the tile, then a thread a pair of nodes gathers from the elements that both touch. Many elements meet in
   the pair of a node with itself, so four threads share it. */

template <class Element, class Equation> struct Gather {
  static constexpr int n = Element::nodes, bs = Equation::bs, threads = 256, scratch = 0;
  static constexpr int words = 3 * n + 3; // of an element: gradients, weight, material (odd: elements begin in different banks)

  __device__ static void sum_list(const PetscScalar *elements, const std::uint32_t *triple, PetscInt from, PetscInt to, int step, PetscScalar *sum)
  {
    for (PetscInt l = from; l < to; l += step) {
      const std::uint32_t what = cached_load(triple + l);
      const int           a = what >> 2 & 3, b = what & 3;
      const PetscScalar  *own               = elements + (what >> 4) * words;
      PetscScalar         S[Equation::sums] = {}, K[bs * bs];

      Equation::add(own + 3 * a, own + 3 * b, own[3 * n] * Element::template product<PetscScalar>(a, b, 0), S);
      Equation::block(S, own[3 * n + 1], own[3 * n + 2], K);
  #pragma unroll
      for (int k = 0; k < bs * bs; k++) sum[k] += K[k];
    }
  }

  __device__ static void run(const MeshView &mesh, const View &view, const Tile &tile, PetscInt from, PetscInt to, PetscScalar *elements)
  {
    for (PetscInt k = from + static_cast<PetscInt>(threadIdx.x); k < to; k += threads) {
      const PetscInt e   = cached_load(view.tile_element + k);
      PetscScalar   *own = elements + static_cast<std::size_t>(k - from) * words, X[n][3], g[n][3];

      load_corners<Element>(mesh, mesh.conn + static_cast<std::int64_t>(e) * n, X);
      const PetscScalar w = rooted_gradients<Element>(X, 0, g);

  #pragma unroll
      for (int v = 0; v < 3 * n; v++) own[v] = g[v / 3][v % 3];
      own[3 * n]     = w;
      own[3 * n + 1] = cached_load(&mesh.material[e][0]);
      own[3 * n + 2] = cached_load(&mesh.material[e][1]);
    }
    __syncthreads();
    for (int t = threadIdx.x; t < tile.begin[tile.count]; t += threads) {
      int low = 0, high = tile.count - 1; // the node of pair t

      while (low < high) {
        const int middle = (low + high + 1) / 2;

        if (tile.begin[middle] <= t) low = middle;
        else high = middle - 1;
      }
      const PetscInt i = tile.node[low], pair = cached_load(view.ptr + i) + t - tile.begin[low];
      PetscScalar    sum[bs * bs] = {};

      if (cached_load(view.col + pair) == i) continue;
      sum_list(elements, view.triple, t == tile.begin[low] ? cached_load(view.owner_ptr + i) * n : cached_load(view.list_end + pair - 1), cached_load(view.list_end + pair), 1, sum);
  #pragma unroll
      for (int k = 0; k < bs * bs; k++) tile.sums[t * (bs * bs) + k] = sum[k];
    }
    for (int t = threadIdx.x; t < (tile.count + 7) / 8 * 32; t += threads) {
      const int      node = t / 4 < tile.count ? t / 4 : tile.count - 1;
      const PetscInt i = tile.node[node], first = cached_load(view.ptr + i);
      int            low = 0, high = tile.pairs[node] - 1;
      PetscScalar    sum[bs * bs] = {};

      while (low < high) { // the pair of node i with itself
        const int middle = (low + high) / 2;

        if (cached_load(view.col + first + middle) < i) low = middle + 1;
        else high = middle;
      }
      sum_list(elements, view.triple, (low ? cached_load(view.list_end + first + low - 1) : cached_load(view.owner_ptr + i) * n) + t % 4, cached_load(view.list_end + first + low), 4, sum);
  #pragma unroll
      for (int k = 0; k < bs * bs; k++) {
        sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], 1);
        sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], 2);
        if (t % 4 == 0 && t / 4 < tile.count) tile.sums[(tile.begin[node] + low) * (bs * bs) + k] = sum[k];
      }
    }
  }
};

  #if !PetscDefined(USE_REAL_SINGLE)
/* --- hexahedra in elasticity, on tensor cores. For four elements at a time, thread (element, q) makes the inverse Jacobian of point q. Then, one element after
   another, thread (b, k) has the gradients of corner b at the points k and k + 4: these are the fragments, of both factors, of the products
   S_ij = sum_q d_i N_a(q) d_j N_b(q). Of each it gets (a, b') and (a, b' + 1), b' = 2 k, that is the whole 3 x 3 sums of two pairs of corners. */

/* The upper 8 rows of the product into c, the lower ones into d: 16 x 8 times 8 x 8, the shape that this generation's tensor cores are built for. */
__device__ inline void multiply_add(double (&c)[2], double (&d)[2], const double (&upper)[2], const double (&lower)[2], const double (&right)[2])
{
    #if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(d[0]), "+d"(d[1])
      : "d"(upper[0]), "d"(lower[0]), "d"(upper[1]), "d"(lower[1]), "d"(right[0]), "d"(right[1]));
    #elif __CUDA_ARCH__ >= 800
  for (int k = 0; k < 2; k++) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(c[0]), "+d"(c[1]) : "d"(upper[k]), "d"(right[k]));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(d[0]), "+d"(d[1]) : "d"(lower[k]), "d"(right[k]));
  }
    #endif
}

struct HexElasticity {
  static constexpr int n = 8, bs = 3, in_group = 4, threads = 256, batch = 4;
  static constexpr int scratch = batch * 8 * 9; // words of a warp

  __device__ static void run(const MeshView &mesh, const View &view, const Tile &tile, PetscInt from, PetscInt to, PetscScalar *scratch_of_block)
  {
    constexpr int      warps = threads / 32;
    const int          warp = threadIdx.x / 32, lane = threadIdx.x % 32, a = lane / 4, k = lane % 4;
    PetscScalar *const mine   = scratch_of_block + warp * scratch;
    const int          length = (to - from) * in_group;
    const PetscInt    *list   = view.tile_element + static_cast<std::int64_t>(from) * in_group;
    PetscScalar        factor[2][3]; // of corner a's gradients at this thread's points, in the reference element

    for (int p = 0; p < 2; p++) {
      for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3, q = k + 4 * p;

        factor[p][i] = (a >> i & 1 ? 1. : -1.) * (Hex8::linear<double>(q >> j, a >> j) * Hex8::linear<double>(q >> l, a >> l));
      }
    }
    for (int base = warp; base < length; base += batch * warps) { // elements base, base + warps, ...: neighbouring warps are in the same phase
      PetscInt    element[batch];
      int         row[batch];
      unsigned    slots[batch];
      PetscScalar ratio = 0; // lambda / mu of this thread's element

    #pragma unroll
      for (int t = 0; t < batch; t++) element[t] = base + t * warps < length ? cached_load(list + base + t * warps) : -1;
      {
        const int      t = lane / 8, q = lane % 8;
        const PetscInt e = t == 0 ? element[0] : t == 1 ? element[1] : t == 2 ? element[2] : element[3];

        if (e >= 0) {
          PetscScalar X[n][3], J[3][3], C[3][3];

          load_corners<Hex8>(mesh, mesh.conn + static_cast<std::int64_t>(e) * n, X);
          Hex8::jacobian(X, q, J);
          cross(J[1], J[2], C[0]);
          cross(J[2], J[0], C[1]);
          cross(J[0], J[1], C[2]);
          /* gradients times the root of mu and of the weight det/8: the cofactors over det, so over the root of 8 det */
          const PetscScalar mu = cached_load(&mesh.material[e][1]), root = mu * rsqrt(8 * mu * (J[0][0] * C[0][0] + J[0][1] * C[0][1] + J[0][2] * C[0][2]));

          ratio = cached_load(&mesh.material[e][0]) / mu;

    #pragma unroll
          for (int i = 0; i < 9; i++) mine[lane * 9 + i] = root * C[i / 3][i % 3];
        }
      }
    #pragma unroll
      for (int t = 0; t < batch; t++) {
        const PetscInt e = element[t] < 0 ? 0 : element[t];

        row[t]   = element[t] < 0 ? -1 : tile.row_of(mesh, view, cached_load(mesh.conn + static_cast<std::int64_t>(e) * n + a));
        slots[t] = cached_load(reinterpret_cast<const unsigned short *>(view.slot) + static_cast<std::int64_t>(e) * 32 + lane);
      }
      __syncwarp();
    #pragma unroll
      for (int t = 0; t < batch; t++) {
        const int at = base + t * warps;

        if (at >= length) break;
        const int turn = static_cast<int>(cached_load(view.group_after + from + at / in_group)) * in_group;

        if (element[t] >= 0) {
          const PetscScalar kappa      = __shfl_sync(0xffffffffu, ratio, 8 * t);
          PetscScalar       S[3][3][2] = {}, none[2] = {}, g[3][2];
          const PetscScalar zero[2] = {};

    #pragma unroll
          for (int p = 0; p < 2; p++) {
            const PetscScalar *C = mine + (t * 8 + k + 4 * p) * 9;

    #pragma unroll
            for (int d = 0; d < 3; d++) g[d][p] = factor[p][0] * C[d] + factor[p][1] * C[3 + d] + factor[p][2] * C[6 + d];
          }
    #pragma unroll
          for (int j = 0; j < 3; j++) {
            multiply_add(S[0][j], S[1][j], g[0], g[1], g[j]);
            multiply_add(S[2][j], none, g[2], zero, g[j]);
          }
          tile.wait_for(turn);
          if (row[t] >= 0) {
    #pragma unroll
            for (int b = 0; b < 2; b++) {
              PetscScalar      *add   = tile.sums + (row[t] + (slots[t] >> (8 * b) & 255)) * 9;
              const PetscScalar trace = S[0][0][b] + S[1][1][b] + S[2][2][b];

    #pragma unroll
              for (int i = 0; i < 3; i++) {
    #pragma unroll
                for (int j = 0; j < 3; j++) {
                  const PetscScalar other = S[j][i][b] + (i == j ? trace : 0.);

                  add[3 * i + j] += kappa * S[i][j][b] + other;
                }
              }
            }
          }
        } else {
          tile.wait_for(turn); // counted early it would stand for one that is not done
        }
        tile.signal(1, lane);
      }
      __syncwarp();
    }
  }
};
  #endif

template <class Element, class Equation> struct Method {
  using type = Scalar<Element, Equation>;
};
template <class Equation> struct Method<Tet4, Equation> {
  using type = Gather<Tet4, Equation>;
};
  #if !PetscDefined(USE_REAL_SINGLE)
template <> struct Method<Hex8, Elasticity> {
  using type = HexElasticity;
};
  #endif

/* --- the tile's rows to memory */

template <int bs> __device__ bool is_given(const MeshView &mesh, PetscInt i, PetscInt j, int r, int c)
{
  return mesh.fixed && ((mesh.fixed[i] >> r | mesh.fixed[j] >> c) & 1) && !(i == j && r == c);
}

/* A warp takes a row: its values are consecutive. */
template <int bs> __device__ void write_csr(const MeshView &mesh, const View &view, const Target &target, const Tile &tile)
{
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  for (int t = warp; t < tile.count * bs; t += blockDim.x / 32) {
    const int          k = t / bs, r = t % bs, pairs = tile.pairs[k], length = pairs * bs;
    const PetscInt     i    = tile.node[k];
    const PetscScalar *sums = tile.sums + static_cast<std::size_t>(tile.begin[k]) * (bs * bs) + r * bs;

    if (!mesh.fixed && !target.from && !target.ptr_other) { // the usual case: nothing to look up
      PetscScalar *to = target.val + target.ptr[i * bs + r];

      for (int v = lane; v < length; v += 32) __stcs(to + v, sums[v / bs * (bs * bs) + v % bs]);
      continue;
    }
    const PetscInt first = view.ptr[i];
    PetscInt       nown  = pairs;

    if (target.ptr_other && !target.from) {
      while (nown > 0 && view.col[first + nown - 1] >= mesh.owned) nown--;
    }
    for (int v = lane; v < length; v += 32) {
      const int      s = v / bs, c = v % bs;
      const PetscInt j = view.col[first + s];

      target.csr(i, first + s, s, nown, j, r)[c] = is_given<bs>(mesh, i, j, r, c) ? PetscScalar(0) : sums[s * (bs * bs) + c];
    }
  }
}

/* Neighbouring threads take neighbouring nodes. */
template <int bs> __device__ void write_cds(const MeshView &mesh, const View &view, const Target &target, const Tile &tile)
{
  const int lanes = (tile.count + 31) / 32 * 32;

  for (int t = threadIdx.x; t < lanes * view.longest; t += blockDim.x) {
    const int k = t % lanes, s = t / lanes;

    if (k >= tile.count || s >= tile.pairs[k]) continue;
    const PetscInt i = tile.node[k], j = view.col[view.ptr[i] + s];
    const int      d = j < mesh.owned ? target.diagonal(j - i) : -1;

    if (d < 0) continue;
    for (int e = 0; e < bs * bs; e++)
      *target.cds(i, d, e / bs, e % bs) = is_given<bs>(mesh, i, j, e / bs, e % bs) ? PetscScalar(0) : tile.sums[(tile.begin[k] + s) * (bs * bs) + e];
  }
}

/* Neighbouring threads take neighbouring rows. */
template <int bs> __device__ void write_ell(const MeshView &mesh, const View &view, const Target &target, const Tile &tile)
{
  for (int t = threadIdx.x; t < tile.count * bs * view.longest; t += blockDim.x) {
    const int k = t % (tile.count * bs) / bs, r = t % bs, s = t / (tile.count * bs);

    if (s >= tile.pairs[k]) continue;
    const PetscInt i = tile.node[k], j = view.col[view.ptr[i] + s];

    for (int c = 0; c < bs; c++)
      *target.ell(i, s, r, c) = is_given<bs>(mesh, i, j, r, c) ? PetscScalar(0) : tile.sums[(tile.begin[k] + s) * (bs * bs) + r * bs + c];
  }
}

template <class Element, class Equation>
__global__ void __launch_bounds__((Method<Element, Equation>::type::threads)) TileKernel(MeshView mesh, View view, const __grid_constant__ Target target)
{
  using How = typename Method<Element, Equation>::type;
  extern __shared__ PetscScalar words[];
  __shared__ int                done;
  constexpr int                 bs = Equation::bs, threads = How::threads;
  PetscScalar *const            scratch = words + static_cast<std::size_t>(view.most_blocks) * bs * bs;
  int *const                    begin   = reinterpret_cast<int *>(scratch + view.scratch);
  const PetscInt                first   = static_cast<PetscInt>(blockIdx.x) * view.tile_nodes;
  const Tile                    tile{words,
                  begin,
                  begin + view.tile_nodes + 1,
                  begin + 2 * view.tile_nodes + 1,
                  &done,
                  first,
                  static_cast<int>(mesh.owned - first < view.tile_nodes ? mesh.owned - first : view.tile_nodes)};

  for (int k = threadIdx.x; k < tile.count; k += threads) {
    tile.node[k]      = view.node[first + k];
    tile.pairs[k]     = view.ptr[tile.node[k] + 1] - view.ptr[tile.node[k]];
    tile.begin[k + 1] = tile.pairs[k];
  }
  for (int v = threadIdx.x; v < view.most_blocks * bs * bs; v += threads) words[v] = 0;
  if (threadIdx.x == 0) done = tile.begin[0] = 0;
  __syncthreads();
  if (threadIdx.x < 32) { // lengths to places
    int before = 0;

    for (int k = threadIdx.x; k < (tile.count + 31) / 32 * 32; k += 32) {
      int sum = k < tile.count ? tile.begin[k + 1] : 0;

      for (int d = 1; d < 32; d <<= 1) {
        const int left = __shfl_up_sync(0xffffffffu, sum, d);

        if (static_cast<int>(threadIdx.x) >= d) sum += left;
      }
      if (k < tile.count) tile.begin[k + 1] = before + sum;
      before += __shfl_sync(0xffffffffu, sum, 31);
    }
  }
  __syncthreads();
  How::run(mesh, view, tile, view.tile_ptr[blockIdx.x], view.tile_ptr[blockIdx.x + 1], scratch);
  __syncthreads();
  if (target.layout == Layout::Csr) write_csr<bs>(mesh, view, target, tile);
  else if (target.layout == Layout::Cds) write_cds<bs>(mesh, view, target, tile);
  else write_ell<bs>(mesh, view, target, tile);
}

template <class Element, class Equation> PetscInt scratch_words(const AssemblyMap &m)
{
  using How = typename Method<Element, Equation>::type;

  if constexpr (Element::one_point) return m.most_elements * How::words;
  else return How::threads / 32 * How::scratch;
}

template <class Element, class Equation> void launch(const Mesh &mesh, const AssemblyMap &m, const Target &target)
{
  using How              = typename Method<Element, Equation>::type;
  const PetscInt scratch = scratch_words<Element, Equation>(m);
  const View view{m.tile_nodes, m.most_blocks, m.longest,      scratch,           m.owner_ptr.data(),    m.list_end.data(),    m.triple.data(), m.ptr.data(),
                  m.col.data(), m.node.data(), m.place.data(), m.tile_ptr.data(), m.tile_element.data(), m.group_after.data(), m.slot.data()};
  const std::size_t shared = (static_cast<std::size_t>(m.most_blocks) * Equation::bs * Equation::bs + scratch) * sizeof(PetscScalar) + (3 * m.tile_nodes + 1) * sizeof(int);

  launch_kernel_with(shared, TileKernel<Element, Equation>, dim3(static_cast<unsigned>(m.ntiles)), How::threads, mesh.view(), view, target);
}

#endif

} // namespace tile
} // namespace goza
