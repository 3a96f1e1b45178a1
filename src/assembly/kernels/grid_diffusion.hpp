/* Diffusion on a grid into CDS and sliced ELL: every warp for itself (grid_sweep.hpp), a lane an element matrix in registers. */
#pragma once
#include "grid_sweep.hpp"
#include "hex_diffusion.hpp"
#if defined(__CUDACC__)
  #include <cuda_pipeline.h>
#endif

namespace goza::assembly::grid_diffusion {

#if defined(__CUDACC__)

constexpr int warps = 4, blocks_at_once = 3, most_rows = 9; // registers have room for so many blocks; rows of a strip: what they carry over lies on chip

struct View {
  const PetscReal (*x)[3];
  const PetscReal (*material)[2];
  const unsigned char *fixed; // bit 0: the node's unknown is given; or null
  GridSweep            sweep;
};

/* The coordinates of the nodes along a warp's lanes in three rows of a strip, those of the next row on their way while two are read. */
class NodeRows {
  static constexpr int nodes = GridSweep::lanes + 1, row = 2 * 3 * nodes; // [planes][nodes][3]

public:
  static constexpr int words = 3 * row + 2 * nodes; // and [planes][nodes] of bits

  __device__ NodeRows(PetscReal *memory, const View &view, const NodeGrid &grid, PetscInt segment, int lane) :
    memory_(memory), view_(view), grid_(grid), lane_(lane)
  {
    const SweepLane own(view.sweep, grid, segment, lane), last(view.sweep, grid, segment, GridSweep::lanes);

    x_[0] = own.x < 0 ? 0 : own.x;
    y_[0] = own.y;
    x_[1] = last.x;
    y_[1] = last.y;
    at_   = own.x >= 0 && own.x + 1 < grid.n[0] ? lane : lane > 0 ? lane - 1 : 1;
  }

  /* Row k of planes z and z + 1, unless the strip has none. Beyond the grid they are mirrored, and lanes without an element take their neighbour's: such
     elements are inverted or real, but never flat, so that with a coefficient of zero their matrices are zero. */
  __device__ void fetch(int k, PetscInt z) const
  {
  #pragma unroll
    for (int which = 0; which < 2; which++) { // one lane has the last node too
      if (k > view_.sweep.rows + 1 || (which && lane_)) break;
      const PetscInt y = y_[which] - 1 + k, mirrored = 2 * (grid_.n[1] - 1) - y, in = y < 0 ? 1 : y < grid_.n[1] ? y : mirrored < 0 ? 0 : mirrored;

  #pragma unroll
      for (int side = 0; side < 2; side++) {
        const PetscReal *from = view_.x[grid_.node(x_[which], in, z + side < grid_.n[2] ? z + side : z - 1)];
        PetscReal       *to   = memory_ + k % 3 * row + (side * nodes + (which ? GridSweep::lanes : lane_)) * 3;

  #pragma unroll
        for (int d = 0; d < 3; d++) __pipeline_memcpy_async(to + d, from + d, sizeof(PetscReal));
      }
    }
    __pipeline_commit();
  }

  /* All but the row asked for last are there. */
  __device__ void wait() const
  {
    __pipeline_wait_prior(1);
    __syncwarp();
  }

  /* Corners 0, 1 (row k) and 2, 3 (row k + 1) of the lane's element, or 4 .. 7. */
  __device__ void load(int k, int side, PetscScalar (*X)[3]) const
  {
  #pragma unroll
    for (int c = 0; c < 4; c++) {
      const PetscReal *from = memory_ + (k + c / 2) % 3 * row + (side * nodes + at_ + c % 2) * 3;

  #pragma unroll
      for (int d = 0; d < 3; d++) X[c][d] = from[d];
    }
  }

  /* Has a node in planes z and z + 1 a given unknown? Then given() is for those. Beyond the grid nodes at its end are looked at instead, without harm: the
     sums of pairs that end there are 0. */
  __device__ bool look_for_given(PetscInt z) const
  {
    if (!view_.fixed) return false;
    constexpr int  n       = most_rows + 2;
    const unsigned last    = __ballot_sync(0xffffffffu, lane_ < 2 * n && is_given(1, lane_ % n, z + lane_ / n)); // of a row in each lane
    unsigned       rows[2] = {};                                                                                 // a bit for each

    static_assert(2 * n <= 32);
  #pragma unroll
    for (int k = 0; k < 2 * n; k++) rows[k / n] |= is_given(0, k % n, z + k / n) << k % n;
  #pragma unroll
    for (int side = 0; side < 2; side++) {
      given_of(side)[lane_] = rows[side];
      if (lane_ == 0) given_of(side)[GridSweep::lanes] = last >> side * n & ((1u << n) - 1);
    }
    __syncwarp();
    return __any_sync(0xffffffffu, rows[0] | rows[1] | last);
  }

  /* The corners with a given unknown of the lane's element in row k: of corner (x, y, z) bit y + 2 x + 4 z. */
  __device__ unsigned given(int k) const
  {
    unsigned corners = 0;

  #pragma unroll
    for (int c = 0; c < 4; c++) corners |= (given_of(c / 2)[lane_ + c % 2] >> k & 3) << (2 * c);
    return corners;
  }

private:
  __device__ unsigned is_given(int which, int k, PetscInt z) const
  {
    const PetscInt y = y_[which] - 1 + k, top = grid_.n[1] - 1;

    return cached_load(&view_.fixed[grid_.node(x_[which], y < 0 ? 0 : y < top ? y : top, z < grid_.n[2] ? z : z - 1)]) & 1u;
  }
  __device__ unsigned *given_of(int side) const { return reinterpret_cast<unsigned *>(memory_ + 3 * row) + side * nodes; }

  PetscReal      *memory_;
  const View     &view_;
  const NodeGrid &grid_;
  int             lane_, at_;   // at_: whose element is loaded
  PetscInt        x_[2], y_[2]; // of the lane's node and of the last one, in the row after a strip's first
};

template <Layout layout, bool whole>
__global__ void __launch_bounds__(32 * warps, blocks_at_once) Kernel(const __grid_constant__ View view, const __grid_constant__ GridTarget to)
{
  extern __shared__ double memory[];
  const GridSweep         &sweep = view.sweep;
  const NodeGrid          &grid  = to.grid;
  const int                lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const PetscInt           segment = static_cast<PetscInt>(blockIdx.x) * warps + warp, first = static_cast<PetscInt>(blockIdx.y) * sweep.planes;
  const PetscInt           end = first + sweep.planes < grid.n[2] ? first + sweep.planes : grid.n[2];
  const SweepLane          place(sweep, grid, segment, lane);
  const bool               along = place.x >= 0 && place.x + 1 < grid.n[0];
  const NodeRows           nodes(reinterpret_cast<PetscReal *>(memory) + warp * NodeRows::words, view, grid, segment, lane);
  PetscScalar *const       carry = reinterpret_cast<PetscScalar *>(memory) + warps * NodeRows::words + warp * sweep.rows * SweepSums::flat * 32 + lane;

  if (segment >= sweep.segments) return;
  for (int k = 0; k < sweep.rows * SweepSums::flat; k++) carry[k * 32] = 0;
  for (PetscInt z = first > 0 ? first - 1 : 0; z < end; z++) {
    const bool some_given = nodes.look_for_given(z);
    SweepSums  sums;

    const auto factor_of = [&](int k) {
      const PetscInt y = place.y - 1 + k;

      return along && z + 1 < grid.n[2] && y >= 0 && y + 1 < grid.n[1] ? static_cast<PetscScalar>(cached_load(&view.material[grid.element(place.x, y, z)][0]))
                                                                       : PetscScalar(0);
    };
    PetscScalar factor = factor_of(0), factor_next;

    nodes.fetch(0, z);
    nodes.fetch(1, z);
  #pragma unroll 1
    for (int k = 0; k <= sweep.rows; k++, factor = factor_next) {
      const PetscInt y       = place.y - 1 + k;
      const bool     owns[2] = {k > 0, k < sweep.rows};
      PetscScalar    below[4][3], above[4][3];

      factor_next = factor_of(k + 1);
      nodes.fetch(k + 2, z);
      nodes.wait();
      nodes.load(k, 0, below);
      nodes.load(k, 1, above);
      sums.begin_row();
      hex_diffusion<PetscScalar>(below, above, factor, [&](int a, int b, PetscScalar value) { sums.add(a < b ? a : b, a < b ? b : a, value); });
      if (k > 0) sums.carry_over(carry + (k - 1) * SweepSums::flat * 32);
      if (z >= first) {
        if (some_given) sums.leave_out(nodes.given(k));
        if constexpr (whole) sums.write_whole(to, place.x, y, z, lane, owns);
        else sums.write<layout>(to, place.x, y, z, lane, owns);
      }
      __syncwarp();
    }
  }
}

inline void launch(const MeshView &mesh, const GridTarget &to)
{
  dim3              blocks;
  const View        view{mesh.x, mesh.material, mesh.fixed, GridSweep::choose(to.grid, most_rows, warps * blocks_at_once, warps, blocks)};
  const std::size_t words = NodeRows::words + static_cast<std::size_t>(view.sweep.rows) * SweepSums::flat * 32;

  const auto start = [&](auto layout, auto whole) {
    launch_kernel_with<Kernel<layout.value, whole.value>>(warps * words * sizeof(PetscScalar), blocks, 32 * warps, view, to);
  };
  const std::integral_constant<Layout, Layout::Cds> cds;

  if (to.whole) start(cds, std::true_type());
  else if (to.target.layout == Layout::Cds) start(cds, std::false_type());
  else start(std::integral_constant<Layout, Layout::SlicedEll>(), std::false_type());
}

#endif

} // namespace goza::assembly::grid_diffusion
