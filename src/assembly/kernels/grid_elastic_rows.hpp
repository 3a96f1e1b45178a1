/* From element matrices on chip to the rows of CSR: a warp has a node, and a lane one of its nine neighbours in a plane of nodes and one of their unknowns, so
   that 27 lanes write consecutive words. A neighbour at a corner shares one element of a plane with the node, one at a side two, the node itself four: a lane
   adds two entries, and three lanes more do the other half of the node itself. Where these entries lie, relative to the node's own element, is the same for all
   nodes: a table. */
#pragma once
#include "grid_elastic_matrices.hpp"

namespace goza::assembly::grid_elasticity {

#if defined(__CUDACC__)

/* From the elements above a plane of nodes: pairs to the plane above, and those inside the plane; of the nodes at their upper side: inside their plane, and to
   the plane below. */
constexpr int    parts = 4;
HD constexpr int low_of(int part) { return part > 1; }
HD constexpr int high_of(int part) { return part == 0 || part == 2; }

/* The two places, packed, for a lane, relative to the node's own element; where there is nothing to add, the word behind an element matrix, which is zero. */
HD inline int places_of(int part, int r, int lane, int width)
{
  const int neighbour = lane < 27 ? lane / 3 : 4, c = lane % 3, x = neighbour % 3 - 1, y = neighbour / 3 - 1;
  int       place[2] = {pitch - 1, pitch - 1}, found = 0;

  for (int a = 0; a < 4 && lane < 30; a++) {
    const int b0 = (a & 1) + x, b1 = (a >> 1) + y, i = a + 4 * low_of(part), j = b0 + 2 * b1 + 4 * high_of(part);

    if (b0 < 0 || b0 > 1 || b1 < 0 || b1 > 1) continue;
    if (neighbour == 4 && (a > 1) != (lane >= 27)) continue; // the other lanes'
    place[found++] = (r != c || i < j ? entry_at(i, j, r, c) : entry_at(j, i, r, c)) - (a & 1) * pitch - (a >> 1) * width * pitch;
  }
  return static_cast<int>(static_cast<unsigned>(place[0]) & 65535u) | static_cast<int>(static_cast<unsigned>(place[1]) << 16);
}

/* Where a matrix has columns beside those of the pattern. number: the node's in the rectangle; slot: of the lane's neighbour among all. */
__device__ __noinline__ static void put_special(const GridTarget &to, const GridBlocks &blocks, int number, PetscInt z, int slot, int r, PetscScalar value)
{
  const int      lane = threadIdx.x % 32, c = lane % 3;
  const PetscInt x = static_cast<PetscInt>(blockIdx.x) * (blocks.width - 1) + number % (blocks.width - 1),
                 y = static_cast<PetscInt>(blockIdx.y) * (blocks.height - 1) + number / (blocks.width - 1);
  const PetscInt i = to.grid.node(x, y, z);

  to.target.val[to.target.ptr[3 * i + r] + to.target.from[to.pair_ptr[i] + slot] + c] = value;
}

class Rows {
  static constexpr int warps = 6, most_nodes = 32, nodes = (most_nodes + warps - 1) / warps; // of a rectangle with so many elements, and of a warp

public:
  static constexpr int         threads = 32 * warps, blocks_at_once = 2, most = 45; // of a rectangle: elements, what fits on chip twice
  static constexpr std::size_t bytes = 3 * parts * 32 * sizeof(int);

  __device__ Rows(const GridTarget &to, const GridBlocks &blocks, const PetscScalar *matrices, void *table) :
    to_(to), blocks_(blocks), lane_(threadIdx.x % 32), warp_(threadIdx.x / 32), matrices_(matrices), table_(static_cast<int *>(table))
  {
    const GridCount count[2] = {{to.grid.n[0], 3}, {to.grid.n[1], 3}};
    const int       x = lane_ / 3 % 3 - 1, y = lane_ / 9 - 1;

    for (int k = threadIdx.x; k < 3 * parts * 32; k += 32 * warps) table_[k] = places_of(k / 32 / 3, k / 32 % 3, k % 32, blocks.width);
  #pragma unroll
    for (int k = 0; k < nodes; k++) {
      const PetscInt at[3] = {x_of(k), y_of(k), 0};

      has_[k]   = number(k) < (blocks.width - 1) * (blocks.height - 1) && at[0] < to.grid.n[0] && at[1] < to.grid.n[1];
      own_[k]   = (1 + number(k) % (blocks.width - 1)) * pitch + (1 + number(k) / (blocks.width - 1)) * blocks.width * pitch;
      slot_[k]  = lane_ < 27 && has_[k] && in_grid(to.grid, at, x, y, 0) ? (y + (at[1] > 0)) * count[0].of(at[0]) + x + (at[0] > 0) : -1;
      plane_[k] = count[0].of(at[0]) * count[1].of(at[1]);
      first_[k] = count[0].all() * count[1].before(at[1]) + count[1].of(at[1]) * count[0].before(at[0]);
    }
  }

  /* The matrices of the elements above plane z are there; early: this plane is another block's; last: the next one is. */
  __device__ void write(PetscInt z, bool early, bool last)
  {
    const GridCount count{to_.grid.n[2], 3};
    const PetscInt  plane = GridCount{to_.grid.n[0], 3}.all() * GridCount{to_.grid.n[1], 3}.all(), pairs = plane * count.before(z),
                   next_pairs = plane * count.before(z + 1);
    const int of = count.of(z), next_of = count.of(z + 1), below = z > 0;

  #pragma unroll
    for (int r = 0; r < 3; r++) {
      int place[parts][2];

  #pragma unroll
      for (int part = 0; part < parts; part++) {
        const int two = table_[(part * 3 + r) * 32 + lane_];

        place[part][0] = static_cast<std::int16_t>(two & 65535);
        place[part][1] = two >> 16;
      }
  #pragma unroll
      for (int k = 0; k < nodes; k++) {
        if (!has_[k]) continue;
        const PetscInt first = 9 * (pairs + of * first_[k]), next = 9 * (next_pairs + next_of * first_[k]);
        PetscScalar    value[parts];

  #pragma unroll
        for (int part = 0; part < parts; part++) {
          value[part]             = matrices_[own_[k] + place[part][0]] + matrices_[own_[k] + place[part][1]];
          const PetscScalar other = __shfl_down_sync(0xffffffffu, value[part], 15); // lanes 12 to 14 are the node itself, 27 to 29 the rest of it

          if (lane_ / 3 == 4) value[part] += other;
        }
        if (!early && below + 1 < of) put(k, z, r, first, of, below + 1, value[0]);
        if (!early) put(k, z, r, first, of, below, kept_[k][r] + value[1]);
        kept_[k][r] = value[2];
        if (!last) put(k, z + 1, r, next, next_of, 0, value[3]);
      }
    }
  }

private:
  __device__ int      number(int k) const { return warp_ + k * warps; } // of the warp's k-th node in the rectangle
  __device__ PetscInt x_of(int k) const { return static_cast<PetscInt>(blockIdx.x) * (blocks_.width - 1) + number(k) % (blocks_.width - 1); }
  __device__ PetscInt y_of(int k) const { return static_cast<PetscInt>(blockIdx.y) * (blocks_.height - 1) + number(k) / (blocks_.width - 1); }

  /* first: where the node's first row begins; planes: of how many it has neighbours, and how many of them come before this one */
  __device__ void put(int k, PetscInt z, int r, PetscInt first, int planes, int before, PetscScalar value) const
  {
    const int slot = before * plane_[k] + slot_[k];

    if (slot_[k] < 0) return;
    if (to_.target.from) put_special(to_, blocks_, number(k), z, slot, r, value);
    else __stcs(to_.target.val + first + 3 * (r * planes * plane_[k] + slot) + lane_ % 3, value);
  }

  const GridTarget  &to_;
  const GridBlocks  &blocks_;
  const int          lane_, warp_;
  const PetscScalar *matrices_;
  int               *table_;
  bool               has_[nodes];
  int         own_[nodes], slot_[nodes], plane_[nodes]; // the node's own element; the lane's place among its neighbours in a plane, or -1, and their number
  PetscInt    first_[nodes];        // a node's pairs begin at first times the planes of its neighbours, behind those of the planes before it
  PetscScalar kept_[nodes][3] = {}; // what the plane of elements below has left to the pairs inside the plane
};

static __global__ void __launch_bounds__(Rows::threads, Rows::blocks_at_once)
  RowsKernel(const __grid_constant__ View view, const __grid_constant__ GridTarget to)
{
  constexpr int threads = Rows::threads;

  extern __shared__ double memory[];

  const GridBlocks  &blocks  = view.blocks;
  const NodeGrid    &grid    = to.grid;
  const int          corners = view.corners(), elements = blocks.width * blocks.height, place = threadIdx.x % elements, q = threadIdx.x / elements;
  PetscScalar *const matrices = reinterpret_cast<PetscScalar *>(memory), *const own = matrices + place * pitch;
  PetscScalar *const ratios = matrices + elements * pitch, *coordinates = ratios + elements;
  PetscInt           at[3];
  bool               owner;
  const bool         inside = blocks.find(place, grid, at, &owner);
  const PetscInt     first = at[2], end = first + blocks.planes < grid.n[2] ? first + blocks.planes : grid.n[2];
  const int          corner = place % blocks.width + place / blocks.width * (blocks.width + 1);
  Rows               rows(to, blocks, matrices, coordinates + 6 * corners);

  at[2] = first > 0 ? first - 1 : 0;
  for (int e = threadIdx.x; e < elements; e += threads) matrices[(e + 1) * pitch - 1] = 0; // it is read where there is nothing to add
  for (int v = threadIdx.x; v < 3 * corners; v += threads) {
    coordinates[(at[2] & 1) * 3 * corners + v]       = view.coordinate(grid, v, at[2]);
    coordinates[((at[2] + 1) & 1) * 3 * corners + v] = view.coordinate(grid, v, at[2] + 1);
  }
  __syncthreads();
  for (; at[2] < end; at[2]++) {
    PetscScalar *const below = coordinates + (at[2] & 1) * 3 * corners, *const above = coordinates + ((at[2] + 1) & 1) * 3 * corners;
    PetscScalar next[2];

    if (q < 4) { // a thread for each element and two of its points
      if (inside && at[2] + 1 < grid.n[2]) {
        const PetscReal  *material = view.material[grid.element(at[0], at[1], at[2])];
        const PetscScalar mu       = cached_load(material + 1);

        if (q == 0) ratios[place] = cached_load(material) / mu;
        leave_gradients(below + corner, above + corner, corners, blocks.width, q, mu, own);
      } else {
        if (q == 0) ratios[place] = 0;
        for (int v = q; v < 192; v += 4) own[v] = 0;
      }
    }
  #pragma unroll
    for (int k = 0; k < 2; k++)
      next[k] = threadIdx.x + k * threads < 3 * corners ? view.coordinate(grid, threadIdx.x + k * threads, at[2] + 2) : PetscScalar(0);
    __syncthreads();
    for (int e = threadIdx.x / 32; e < elements; e += threads / 32) multiply_elements<1>(matrices + e * pitch, {ratios[e]}, threadIdx.x % 32);
  #pragma unroll
    for (int k = 0; k < 2; k++)
      if (threadIdx.x + k * threads < 3 * corners) below[threadIdx.x + k * threads] = next[k];
    __syncthreads();
    rows.write(at[2], at[2] < first, at[2] + 1 == end);
    __syncthreads();
  }
}

inline void launch_rows(const MeshView &mesh, const GridTarget &to)
{
  dim3              blocks;
  const View        view{mesh.x, mesh.material, GridBlocks::choose(to.grid, Rows::most, 2, Rows::blocks_at_once, blocks)};
  const std::size_t words = static_cast<std::size_t>(view.blocks.width * view.blocks.height) * (pitch + 1) + 6 * view.corners();

  launch_kernel_with<RowsKernel>(words * sizeof(PetscScalar) + Rows::bytes, blocks, Rows::threads, view, to);
}

#endif

} // namespace goza::assembly::grid_elasticity
