/* Rows by their lengths. */
#include "algorithm.hpp"
#include "core/launch/for_each_row.hpp"
#include <algorithm>
#include <type_traits>
#include <vector>

#if defined(__CUDACC__)
  #include <cub/block/block_radix_sort.cuh>
#endif

namespace goza {
namespace {

/* The longer a row, the less. */
HD void shortness(PetscInt place, const PetscInt *ptr, const PetscInt *rows, PetscInt *key)
{
  key[place] = PETSC_MAX_INT - (ptr[rows[place] + 1] - ptr[rows[place]]);
}

HD void window_of(PetscInt k, const PetscInt *place, PetscInt window, PetscInt *key) { key[k] = place[k] / window; }

} // namespace

#if defined(__CUDACC__)
constexpr int sort_threads = 512, rows_of_thread = 8, largest_window = sort_threads * rows_of_thread;

/* A block a window, whose rows it sorts by as many bits as the longest has. */
static __global__ void __launch_bounds__(sort_threads) SortWindowKernel(PetscInt n, PetscInt window, const PetscInt *ptr, PetscInt *rows)
{
  using Key  = std::conditional_t<sizeof(PetscInt) == sizeof(int), unsigned, unsigned long long>; // of atomicMax()
  using Sort = cub::BlockRadixSort<Key, sort_threads, rows_of_thread, PetscInt>;
  __shared__ typename Sort::TempStorage memory;
  __shared__ Key                        longest;
  const std::int64_t                    first = static_cast<std::int64_t>(blockIdx.x) * window, end = n - first < window ? n : first + window;
  const std::int64_t                    mine = first + static_cast<int>(threadIdx.x) * rows_of_thread;
  Key                                   length[rows_of_thread], most = 0;
  PetscInt                              row[rows_of_thread];
  int                                   bits = 1;

  if (threadIdx.x == 0) longest = 0;
  __syncthreads();
  UNROLL()
  for (int k = 0; k < rows_of_thread; k++) {
    row[k]    = mine + k < end ? rows[mine + k] : 0;
    length[k] = mine + k < end ? static_cast<Key>(ptr[row[k] + 1] - ptr[row[k]]) : 0; // behind the last there is nothing shorter
    most      = length[k] > most ? length[k] : most;
  }
  for (int d = 16; d > 0; d /= 2) {
    const Key other = __shfl_xor_sync(0xffffffffu, most, d);

    most = other > most ? other : most;
  }
  if (threadIdx.x % 32 == 0) atomicMax(&longest, most);
  __syncthreads();
  while (longest >> bits) bits++;
  Sort(memory).SortDescending(length, row, 0, bits);
  UNROLL()
  for (int k = 0; k < rows_of_thread; k++)
    if (mine + k < end) rows[mine + k] = row[k];
}
#endif

/* On a host one window after the other, which stays in the cache: by how many rows there are of each length, where lengths are not many more than rows. */
static void sort_windows_on_host(const PetscInt *ptr, PetscInt *rows, PetscInt n, PetscInt window)
{
  const PetscInt        most = PetscMin(window, n);
  Array<PetscInt>       length(Space::Host, most, unset), sorted(Space::Host, most, unset);
  std::vector<PetscInt> next;

  for (PetscInt first = 0, count; first < n; first += count) {
    PetscInt *const mine    = rows + first;
    PetscInt        longest = 0, shortest = PETSC_MAX_INT;

    count = PetscMin(most, n - first);
    for (PetscInt k = 0; k < count; k++) {
      length.data()[k] = ptr[mine[k] + 1] - ptr[mine[k]];
      longest          = PetscMax(longest, length.data()[k]);
      shortest         = PetscMin(shortest, length.data()[k]);
    }
    if (longest == shortest) continue;
    if (longest - shortest > 4 * static_cast<std::int64_t>(count)) {
      std::stable_sort(mine, mine + count, [ptr](PetscInt a, PetscInt b) { return ptr[a + 1] - ptr[a] > ptr[b + 1] - ptr[b]; });
      continue;
    }
    next.assign(longest - shortest + 2, 0);
    for (PetscInt k = 0; k < count; k++) next[longest - length.data()[k] + 1]++;
    for (PetscInt l = 0; l < longest - shortest; l++) next[l + 1] += next[l];
    for (PetscInt k = 0; k < count; k++) sorted.data()[next[longest - length.data()[k]]++] = mine[k];
    std::copy_n(sorted.data(), count, mine);
  }
}

/* On a device by length and then by window, since sorts are stable, but for windows that a block of threads holds at once. */
void sort_by_length(Space space, const PetscInt *ptr, PetscInt *rows, std::size_t count, PetscInt window)
{
  const PetscInt n = static_cast<PetscInt>(count);

#if defined(__CUDACC__)
  if (space == Space::Cuda && PetscMin(window, n) <= largest_window) {
    if (n) launch_kernel<SortWindowKernel>(blocks_for(n, window), sort_threads, n, PetscMin(window, n), ptr, rows);
    return;
  }
#endif
  if (space == Space::Host) {
    sort_windows_on_host(ptr, rows, n, window);
    return;
  }
  Array<PetscInt> key(space, n), by_length(space, n);

  for_each_row(space, n, bound<shortness>(ptr, rows, key.data()));
  Array<PetscInt> order = order_by(space, key.data(), n);
  gather(space, n, order.data(), static_cast<const PetscInt *>(rows), by_length.data());
  for_each_row(space, n, bound<window_of>(order.data(), window, key.data()));
  order = order_by(space, key.data(), n);
  gather(space, n, order.data(), static_cast<const PetscInt *>(by_length.data()), rows);
}

} // namespace goza
