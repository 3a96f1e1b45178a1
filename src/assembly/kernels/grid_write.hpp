/* Where the pairs of a grid's nodes go: neighbours are known by their offsets, slots are counted. A pair at a time is for CDS and sliced ELL, in which values
   of neighbouring nodes lie together; rows of CSR must be written by lanes side by side (grid_elastic_rows.hpp). */
#pragma once
#include "assembly/mesh/grid.hpp"
#include "target.hpp"

namespace goza::assembly {

struct GridTarget {
  Target          target;
  NodeGrid        grid;
  const PetscInt *pair_ptr; // of the pattern
  int             diag[27]; // CDS: the diagonal of offset (x, y, z) at x + 1 + 3 (y + 1) + 9 (z + 1), or -1
  bool            whole;    // half of CDS, with the grid's diagonals, each of one offset, and no other: places beyond the grid are among those of its pairs

  GridTarget(const Target &to, const NodeGrid &nodes, const PetscInt *ptr) :
    target(to), grid(nodes), pair_ptr(ptr), whole(to.layout == Layout::Cds && to.half && to.ndiag == upper)
  {
    for (int k = 0; k < 27; k++) diag[k] = to.layout == Layout::Cds ? to.diagonal(grid.node(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)) : -1;
    for (int k = 0; k < upper; k++) whole = whole && diag[27 - upper + k] == k;
  }

private:
  static constexpr int upper = 14; // offsets of one sign, and none
};

#if defined(__CUDACC__)

/* Does the node's neighbour exist? */
__device__ inline bool in_grid(const NodeGrid &grid, const PetscInt *at, int x, int y, int z)
{
  return at[0] + x >= 0 && at[0] + x < grid.n[0] && at[1] + y >= 0 && at[1] + y < grid.n[1] && at[2] + z >= 0 && at[2] + z < grid.n[2];
}

/* Its place in the node's row. */
__device__ inline int grid_slot(const NodeGrid &grid, const PetscInt *at, int x, int y, int z)
{
  const int before[3] = {at[0] > 0, at[1] > 0, at[2] > 0}, in_line = 1 + before[0] + (at[0] + 1 < grid.n[0]),
            in_plane = 1 + before[1] + (at[1] + 1 < grid.n[1]);

  return ((z + before[2]) * in_plane + y + before[1]) * in_line + x + before[0];
}

/* Where the pair of a node with its neighbour at (x, y, z) goes. */
template <Layout layout> __device__ inline PairBlock grid_block(const GridTarget &to, const PetscInt *at, int x, int y, int z)
{
  const PetscInt i = to.grid.node(at[0], at[1], at[2]);

  if constexpr (layout == Layout::Cds) return to.target.cds(i, to.diag[x + 1 + 3 * (y + 1) + 9 * (z + 1)]);
  else return to.target.ell(i, grid_slot(to.grid, at, x, y, z));
}

/* A node's pair and its mirror image, where the layout has both; with a neighbour that is none it is 0, where there is a place for it. Slices are looked up in
   memory, which is far away, before the pair is summed up; where it stands on diagonals is found when it is written, since registers are scarce. */
template <Layout layout> class GridPair {
public:
  __device__ GridPair(const GridTarget &to, const PetscInt *at, int x, int y, int z) :
    to_(to), at_(at), x_(x), y_(y), z_(z), inside_(in_grid(to.grid, at, x, y, z))
  {
    if (layout == Layout::SlicedEll && inside_) find(here_, mirror_);
  }

  /* block(r, c): its values */
  template <int bs, class Block> __device__ void write(const Block &block) const
  {
    PairBlock here = here_, mirror = mirror_;

    if (!inside_ && !(layout == Layout::Cds && to_.whole)) return;
    if (layout == Layout::Cds) find(here, mirror);
  #pragma unroll
    for (int r = 0; r < bs; r++) {
  #pragma unroll
      for (int c = 0; c < bs; c++) {
        const PetscScalar value = inside_ ? block(r, c) : PetscScalar(0);

        if (here.first) __stcs(here.at(r * bs + c), value);
        if (mirror.first) __stcs(mirror.at(c * bs + r), value);
      }
    }
  }

private:
  __device__ void find(PairBlock &here, PairBlock &mirror) const
  {
    const PetscInt there[3] = {at_[0] + x_, at_[1] + y_, at_[2] + z_};

    here = grid_block<layout>(to_, at_, x_, y_, z_);
    if ((x_ || y_ || z_) && !(layout == Layout::Cds && to_.target.half)) mirror = grid_block<layout>(to_, there, -x_, -y_, -z_);
  }

  const GridTarget &to_;
  const PetscInt   *at_;
  int               x_, y_, z_;
  bool              inside_;
  PairBlock         here_, mirror_;
};

#endif

} // namespace goza::assembly
