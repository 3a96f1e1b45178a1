/* The numeric phase on the device: a block owns the rows of one tile of nodes (symbolic.hpp). A team of threads, one for each corner, makes an element's matrix:
   thread q the gradients of point q, which go to the team through shared memory; then thread a row a of the element matrix in registers, which it adds to the
   tile's rows on chip. At the end the block writes its rows, each value once, where the format wants them. */
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

constexpr std::size_t rows_bytes = 128 * 1024; // on chip, of a tile's rows; a multiprocessor has 227 KiB

#if defined(__CUDACC__)

constexpr int threads = 256;

struct View {
  PetscInt             tile_nodes, phases, most_blocks, longest;
  const PetscInt      *ptr, *col, *node, *place, *tile_ptr, *tile_element, *phase_end;
  const unsigned char *slot;
};

/* What a block shares: the sums, then what the teams need. */
template <class Element, class Equation> struct Shared {
  static constexpr int gradients = Element::one_point || !Equation::needs_gradients ? 0 : Element::points * (3 * Element::nodes + 1); // of a team; one word more a point: no two points in the same banks

  static std::size_t bytes(const AssemblyMap &m)
  {
    const std::size_t sums = static_cast<std::size_t>(m.most_blocks) * Equation::bs * Equation::bs + threads / Element::nodes * gradients;

    return sums * sizeof(PetscScalar) + 2 * (m.tile_nodes + 1) * sizeof(int);
  }
};

template <class Element> __device__ void load_corners(const MeshView &mesh, const PetscInt *c, PetscScalar (*X)[3])
{
  #pragma unroll
  for (int b = 0; b < Element::nodes; b++) {
    for (int d = 0; d < 3; d++) X[b][d] = cached_load(&mesh.x[c[b]][d]);
  }
}

/* Row a of the element matrix, added to `rows` of the tile; row: where node a's begin, or -1 where another tile owns it. */
template <class Element, class Equation>
__device__ void add_row(const MeshView &mesh, const View &view, PetscInt e, int a, int row, PetscScalar *scratch, unsigned mask, PetscScalar *sums)
{
  constexpr int   n = Element::nodes, bs = Equation::bs;
  const PetscInt *c                    = mesh.conn + static_cast<std::int64_t>(e) * n;
  PetscScalar     S[n][Equation::sums] = {};

  if constexpr (Element::one_point || !Equation::needs_gradients) {
    PetscScalar X[n][3], g[n][3];

    load_corners<Element>(mesh, c, X);
    for (int q = 0; q < Element::points; q++) {
      const PetscScalar w     = Element::gradients(X, q, g);
      PetscScalar       ga[3] = {g[0][0], g[0][1], g[0][2]};

  #pragma unroll
      for (int b = 1; b < n; b++) { // no indexing of registers by a
        for (int d = 0; d < 3; d++) ga[d] = a == b ? g[b][d] : ga[d];
      }
  #pragma unroll
      for (int b = 0; b < n; b++) Equation::add(ga, g[b], w * Element::template product<PetscScalar>(a, b, q), S[b]);
    }
  } else {
    constexpr int point = 3 * n + 1;
    {
      PetscScalar X[n][3], g[n][3];

      load_corners<Element>(mesh, c, X);
      const PetscScalar w = Element::gradients(X, a, g);

  #pragma unroll
      for (int b = 0; b < n; b++) {
        for (int d = 0; d < 3; d++) scratch[a * point + 3 * b + d] = g[b][d];
      }
    }
    __syncwarp(mask);
  #pragma unroll 1
    for (int q = 0; q < Element::points; q++) {
      const PetscScalar *g = scratch + q * point, ga[3] = {g[3 * a], g[3 * a + 1], g[3 * a + 2]};

  #pragma unroll
      for (int b = 0; b < n; b++) {
        const PetscScalar gb[3] = {g[3 * b], g[3 * b + 1], g[3 * b + 2]};

        Equation::add(ga, gb, PetscScalar(0), S[b]);
      }
    }
    __syncwarp(mask);
  }
  if (row < 0) return;
  const PetscScalar    m0 = mesh.material[e][0], m1 = mesh.material[e][1];
  const unsigned char *slot = view.slot + (static_cast<std::int64_t>(e) * n + a) * n;

  #pragma unroll
  for (int b = 0; b < n; b++) {
    PetscScalar *to = sums + (row + slot[b]) * (bs * bs);
    PetscScalar  K[bs * bs];

    Equation::block(S[b], m0, m1, K);
  #pragma unroll
    for (int k = 0; k < bs * bs; k++) to[k] += K[k];
  }
}

/* --- the tile's rows to memory */

template <int bs> __device__ bool is_given(const MeshView &mesh, PetscInt i, PetscInt j, int r, int c)
{
  return mesh.fixed && ((mesh.fixed[i] >> r | mesh.fixed[j] >> c) & 1) && !(i == j && r == c);
}

/* A warp takes a row: its values are consecutive. */
template <int bs>
__device__ void write_csr(const MeshView &mesh, const View &view, const Target &target, int count, const int *node, const int *begin, const PetscScalar *sums)
{
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  for (int t = warp; t < count * bs; t += threads / 32) {
    const int      k = t / bs, r = t % bs, length = (begin[k + 1] - begin[k]) * bs;
    const PetscInt i = node[k], first = view.ptr[i];
    PetscInt       nown = begin[k + 1] - begin[k];

    if (target.ptr_other && !target.from) {
      while (nown > 0 && view.col[first + nown - 1] >= mesh.owned) nown--;
    }
    if (!mesh.fixed && !target.from && !target.ptr_other) { // the usual case: nothing to look up
      PetscScalar *to = target.val + target.ptr[i * bs + r];

      for (int v = lane; v < length; v += 32) __stcs(to + v, sums[(begin[k] + v / bs) * (bs * bs) + r * bs + v % bs]);
      continue;
    }
    for (int v = lane; v < length; v += 32) {
      const int      s = v / bs, c = v % bs;
      const PetscInt j = view.col[first + s];

      target.csr(i, first + s, s, nown, j, r)[c] = is_given<bs>(mesh, i, j, r, c) ? PetscScalar(0) : sums[(begin[k] + s) * (bs * bs) + r * bs + c];
    }
  }
}

/* Neighbouring threads take neighbouring nodes. */
template <int bs>
__device__ void write_cds(const MeshView &mesh, const View &view, const Target &target, int count, const int *node, const int *begin, const PetscScalar *sums)
{
  const int lanes = (count + 31) / 32 * 32;

  for (int t = threadIdx.x;; t += threads) {
    const int k = t % lanes, s = t / lanes;

    if (s >= view.longest) break;
    if (k < count && s < begin[k + 1] - begin[k]) {
      const PetscInt i = node[k], j = view.col[view.ptr[i] + s];
      const int      d = j < mesh.owned ? target.diagonal(j - i) : -1;

      if (d < 0) continue;
      for (int e = 0; e < bs * bs; e++)
        *target.cds(i, d, e / bs, e % bs) = is_given<bs>(mesh, i, j, e / bs, e % bs) ? PetscScalar(0) : sums[(begin[k] + s) * (bs * bs) + e];
    }
  }
}

/* Neighbouring threads take neighbouring rows. */
template <int bs>
__device__ void write_ell(const MeshView &mesh, const View &view, const Target &target, int count, const int *node, const int *begin, const PetscScalar *sums)
{
  for (int t = threadIdx.x; t < count * bs * view.longest; t += threads) {
    const int k = t % (count * bs) / bs, r = t % bs, s = t / (count * bs);

    if (s >= begin[k + 1] - begin[k]) continue;
    const PetscInt i = node[k], j = view.col[view.ptr[i] + s];

    for (int c = 0; c < bs; c++) *target.ell(i, s, r, c) = is_given<bs>(mesh, i, j, r, c) ? PetscScalar(0) : sums[(begin[k] + s) * (bs * bs) + r * bs + c];
  }
}

template <class Element, class Equation>
__global__ void __launch_bounds__(threads, 1) TileKernel(MeshView mesh, View view, const __grid_constant__ Target target)
{
  constexpr int                 n = Element::nodes, bs = Equation::bs, teams = threads / n;
  extern __shared__ PetscScalar sums[];
  PetscScalar *const            scratch = sums + static_cast<std::size_t>(view.most_blocks) * bs * bs;
  int *const                    begin = reinterpret_cast<int *>(scratch + teams * Shared<Element, Equation>::gradients), *node = begin + view.tile_nodes + 1;
  const PetscInt                tile = blockIdx.x, first = tile * view.tile_nodes;
  const int                     count = static_cast<int>(mesh.owned - first < view.tile_nodes ? mesh.owned - first : view.tile_nodes);
  const int                     team = threadIdx.x / n, a = threadIdx.x % n;
  const unsigned                mask = (n == 8 ? 0xffu : 0xfu) << (threadIdx.x % 32 / n * n);

  for (int k = threadIdx.x; k < count; k += threads) {
    node[k]      = view.node[first + k];
    begin[k + 1] = view.ptr[node[k] + 1] - view.ptr[node[k]];
  }
  for (int v = threadIdx.x; v < view.most_blocks * bs * bs; v += threads) sums[v] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    begin[0] = 0;
    for (int k = 0; k < count; k++) begin[k + 1] += begin[k];
  }
  __syncthreads();

  PetscInt from = view.tile_ptr[tile];
  for (PetscInt p = 0; p < view.phases; p++) {
    const PetscInt end = view.phase_end[static_cast<std::int64_t>(tile) * view.phases + p];

    for (PetscInt k = from + team; k < end; k += teams) {
      const PetscInt e = view.tile_element[k], i = mesh.conn[static_cast<std::int64_t>(e) * n + a];
      const PetscInt at = i < mesh.owned ? view.place[i] - first : -1;

      add_row<Element, Equation>(mesh, view, e, a, at >= 0 && at < count ? begin[at] : -1, scratch + team * Shared<Element, Equation>::gradients, mask, sums);
    }
    __syncthreads();
    from = end;
  }

  if (target.layout == Layout::Csr) write_csr<bs>(mesh, view, target, count, node, begin, sums);
  else if (target.layout == Layout::Cds) write_cds<bs>(mesh, view, target, count, node, begin, sums);
  else write_ell<bs>(mesh, view, target, count, node, begin, sums);
}

template <class Element, class Equation> void launch(const Mesh &mesh, const AssemblyMap &m, const Target &target)
{
  const View view{m.tile_nodes,   m.phases,          m.most_blocks,         m.ptr.data(),       m.col.data(), m.node.data(),
                  m.place.data(), m.tile_ptr.data(), m.tile_element.data(), m.phase_end.data(), m.slot.data()};

  launch_kernel_with(Shared<Element, Equation>::bytes(m), TileKernel<Element, Equation>, dim3(static_cast<unsigned>(m.ntiles)), threads, mesh.view(), view, target);
}

#endif

} // namespace tile
} // namespace goza
