/* Row pointers from the lengths of rows. On a device one kernel makes them and tells the host how many entries there are. */
#include "algorithm.hpp"
#include "core/device/whole_grid.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/launch/scan_block.hpp"
#include "counted.hpp"
#include <limits>

#if defined(__CUDACC__)
  #include <cooperative_groups.h>
#endif

namespace goza {
namespace {

/* Numbers of entries: where one is negative, or there are more than a PetscInt counts, the most that it holds. */
struct PlusUpToMost {
  HD PetscInt operator()(PetscInt a, PetscInt b) const { return a < 0 || b < 0 || a > PETSC_MAX_INT - b ? PETSC_MAX_INT : a + b; }
};

#if defined(__CUDACC__)
constexpr int lengths_threads = 512, lengths_together = 4; // of a thread, in a row

/* Sums of 64 bits, of which a length that is negative takes more than PetscInt counts. */
using Sum = std::conditional_t<sizeof(PetscInt) == 8, double, std::int64_t>;

__device__ Sum length_at(const PetscInt *length, std::int64_t i, std::int64_t end)
{
  const PetscInt n = i < end ? length[i] : 0;

  return n < 0 ? static_cast<Sum>(PETSC_MAX_INT) : static_cast<Sum>(n);
}

__device__ PetscInt up_to_most(Sum n) { return n < static_cast<Sum>(PETSC_MAX_INT) ? static_cast<PetscInt>(n) : PETSC_MAX_INT; }

/* ptr[0 .. n], *nnz = ptr[n]. A block takes a run; part: [blocks] */
__global__ void __launch_bounds__(lengths_threads, 2)
  ScanLengthsKernel(std::int64_t n, const PetscInt *length, PetscInt *ptr, Sum *part, PetscInt *nnz, device::ToldAt told)
{
  constexpr int      tile = lengths_threads * lengths_together;
  const std::int64_t each = (n + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * each, end = begin + each < n ? begin + each : n;
  Sum                before = 0;

  if (gridDim.x > 1) {
    Sum mine = 0;

    for (std::int64_t i = begin + threadIdx.x; i < end; i += lengths_threads) mine += length_at(length, i, end);
    mine = scan_block<lengths_threads>(&mine);
    if (threadIdx.x == 0) part[blockIdx.x] = mine;
    cooperative_groups::this_grid().sync();
    for (unsigned block = threadIdx.x; block < blockIdx.x; block += lengths_threads) before += part[block];
    before = scan_block<lengths_threads>(&before);
  }
  for (std::int64_t from = begin; from < end; from += tile) {
    const std::int64_t first = from + threadIdx.x * lengths_together;
    Sum                here[lengths_together], mine = 0;

  #pragma unroll
    for (int k = 0; k < lengths_together; k++) {
      here[k] = mine;
      mine += length_at(length, first + k, end);
    }
    const Sum all = scan_block<lengths_threads>(&mine);

  #pragma unroll
    for (int k = 0; k < lengths_together; k++)
      if (first + k < end) ptr[first + k] = up_to_most(before + mine + here[k]);
    before += all;
  }
  if (blockIdx.x != gridDim.x - 1) return;
  if (threadIdx.x == 0) {
    ptr[n] = up_to_most(before);
    *nnz   = up_to_most(before);
  }
  device::tell(told);
}

/* In place, too: a block reads what it has written itself alone. */
void scan_on_device(const PetscInt *length, Array<PetscInt> &ptr, PetscInt *nnz, const device::ToldAt &told)
{
  constexpr unsigned most_blocks = 256;
  const std::int64_t n           = static_cast<std::int64_t>(ptr.size()) - 1;
  const unsigned     blocks      = PetscMin(PetscMax(blocks_for(n, 2 * lengths_threads * lengths_together), 1u), most_blocks);
  Array<Sum>         part(Space::Cuda, blocks, unset);

  launch_whole_grid<ScanLengthsKernel>(blocks, lengths_threads, n, length, ptr.data(), part.data(), nnz, told);
}
#endif

} // namespace

void scan_lengths([[maybe_unused]] Space space, const PetscInt *length, Array<PetscInt> &ptr)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    Array<PetscInt> nnz(space, 1, unset);

    if (ptr.size()) scan_on_device(length, ptr, nnz.data(), {});
    return;
  }
#endif
  PetscInt before = 0;

  for (std::size_t i = 0; i < ptr.size(); i++) {
    const PetscInt next = i + 1 < ptr.size() ? PlusUpToMost{}(before, length[i]) : before; // length may be ptr

    ptr.data()[i] = before;
    before        = next;
  }
}

bool scan_lengths(Space space, const PetscInt *length, Array<PetscInt> &ptr, PetscInt *nnz)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    *nnz = told_values<PetscInt>(space, 1, [&](PetscInt *n, const device::ToldAt &told) { scan_on_device(length, ptr, n, told); })[0];
    return *nnz < PETSC_MAX_INT;
  }
#endif
  scan_lengths(space, length, ptr);
  *nnz = read_value(space, ptr.data() + ptr.size() - 1);
  return *nnz < PETSC_MAX_INT;
}

PetscInt lengths_to_pointer(Space space, const PetscInt *length, Array<PetscInt> &ptr)
{
  PetscInt nnz;

  const bool countable = scan_lengths(space, length, ptr, &nnz);

  return counted(countable ? nnz : std::numeric_limits<std::int64_t>::max());
}

PetscInt lengths_to_pointer(Space space, Array<PetscInt> &ptr) { return lengths_to_pointer(space, ptr.data(), ptr); }

} // namespace goza
