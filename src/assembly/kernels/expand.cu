#include "expand.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::assembly {
namespace {

/* The block of a node's slot s: its entry (r, c) for put(place among the values of the node's rows, value). */
template <int bs> struct NodeRowsOf {
  const PetscInt *ptr, *col;
  Target          diagonals;

  template <class Put> HD void operator()(PetscInt i, PetscInt s, const Put &put) const
  {
    const PetscInt j = col[ptr[i] + s], length = (ptr[i + 1] - ptr[i]) * bs;
    const bool     mirrored = diagonals.half && j < i;
    const PetscInt node     = mirrored ? j : i;
    const int      d        = diagonals.diagonal(mirrored ? i - j : j - i);
    PetscScalar    block[bs * bs]; // all of it is asked for before the first is put anywhere

    for (int k = 0; k < bs * bs; k++) block[k] = d < 0 ? PetscScalar(0) : *diagonals.cds(node, d).at(mirrored ? k % bs * bs + k / bs : k);
    for (int k = 0; k < bs * bs; k++) put(static_cast<std::int64_t>(k / bs) * length + s * bs + k % bs, block[k]);
  }
};

template <int bs> HD void expand_node(PetscInt i, const NodeRowsOf<bs> &rows, PetscScalar *val)
{
  PetscScalar *to = val + static_cast<std::int64_t>(rows.ptr[i]) * bs * bs;

  for (PetscInt s = 0; s < rows.ptr[i + 1] - rows.ptr[i]; s++) rows(i, s, [&](std::int64_t at, PetscScalar value) { to[at] = value; });
}

#if defined(__CUDACC__) && !PetscDefined(USE_COMPLEX)

/* Lanes have nodes side by side, whose values on a diagonal are words side by side; the rows of all of them, which follow one another in CSR, meet on chip and
   leave it word after word. */
constexpr int tile = 32, expand_threads = 256;

template <int bs> __global__ void __launch_bounds__(expand_threads) ExpandKernel(PetscInt nodes, const __grid_constant__ NodeRowsOf<bs> rows, PetscScalar *val)
{
  extern __shared__ double memory[];

  PetscScalar *const chip  = reinterpret_cast<PetscScalar *>(memory);
  const PetscInt     first = static_cast<PetscInt>(blockIdx.x) * tile, end = first + tile < nodes ? first + tile : nodes,
                 i     = first + static_cast<PetscInt>(threadIdx.x) % tile;
  const PetscInt begin = rows.ptr[first];

  if (i < end) {
    PetscScalar *const to = chip + (rows.ptr[i] - begin) * (bs * bs);

    for (PetscInt s = static_cast<PetscInt>(threadIdx.x) / tile; s < rows.ptr[i + 1] - rows.ptr[i]; s += expand_threads / tile)
      rows(i, s, [&](std::int64_t at, PetscScalar value) { to[at] = value; });
  }
  __syncthreads();
  const int          n   = static_cast<int>(rows.ptr[end] - begin) * (bs * bs);
  PetscScalar *const out = val + static_cast<std::int64_t>(begin) * (bs * bs);

  for (int k = threadIdx.x; k < n; k += expand_threads) __stcs(out + k, chip[k]);
}

#endif

template <int bs> void expand(Space space, const AssemblyMap &map, const Target &diagonals, PetscScalar *val)
{
  const NodeRowsOf<bs> rows{map.ptr.data(), map.col.data(), diagonals};

#if defined(__CUDACC__) && !PetscDefined(USE_COMPLEX)
  const std::size_t shared = static_cast<std::size_t>(tile) * map.longest * bs * bs * sizeof(PetscScalar);

  if (space == Space::Cuda && shared <= 96 * 1024) {
    launch_kernel_with<ExpandKernel<bs>>(shared, dim3(blocks_for(diagonals.owned, tile)), expand_threads, diagonals.owned, rows, val);
    return;
  }
#endif
  for_each_row(space, diagonals.owned, bound<expand_node<bs>>(rows, val));
}

} // namespace

void expand_diagonals(Space space, const AssemblyMap &map, const Target &diagonals, PetscScalar *val)
{
  if (!diagonals.owned) return;
  if (diagonals.bs == 3) expand<3>(space, map, diagonals, val);
  else expand<1>(space, map, diagonals, val);
}

} // namespace goza::assembly
