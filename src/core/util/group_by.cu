/* Places by their keys. On a device, where there are few, each takes the next number of its group by an atomic addition, and each group is sorted by itself
   then: with half as many launches as a radix sort of all of them. */
#include "algorithm.hpp"
#include "core/launch/for_each_row.hpp"
#include "core/launch/scan_block.hpp"
#include "search.hpp"
#include "sort_keys.hpp"
#include <algorithm>

namespace goza {
namespace {

#if defined(__CUDACC__)
/* Keys that count nowhere sort behind the others. */
HD void clean_key(PetscInt i, PetscInt nkeys, const PetscInt *key, PetscInt *clean) { clean[i] = key[i] >= 0 && key[i] < nkeys ? key[i] : nkeys; }

/* Where each key begins among sorted ones. */
HD void first_of_key(PetscInt g, PetscInt n, const PetscInt *sorted, PetscInt *ptr) { ptr[g] = lower_bound(sorted, 0, n, g); }

void group_by_sorting(const PetscInt *key, PetscInt n, PetscInt nkeys, Array<PetscInt> &ptr, Array<PetscInt> &order)
{
  constexpr int   most_bits = static_cast<int>(8 * sizeof(PetscInt)) - 1;
  Array<PetscInt> keys(Space::Cuda, n);
  int             bits = 1;

  while (bits < most_bits && (nkeys >> bits)) bits++;
  for_each_row(Space::Cuda, n, bound<clean_key>(nkeys, key, keys.data()));
  sort_keys(keys, order, n, bits);
  for_each_row(Space::Cuda, nkeys + 1, bound<first_of_key>(n, keys.data(), ptr.data()));
}

constexpr PetscInt few_places = 1 << 18; // of which a block sorts a group of all of them in milliseconds

constexpr int      group_threads = 256, held_places = 4; // of a lane, in registers
constexpr PetscInt long_group = 1024;                    // a warp compares each place with all others, a block sorts longer ones
constexpr int      digit_bits = 4, digits = 1 << digit_bits;

using Counter = std::conditional_t<sizeof(PetscInt) == sizeof(unsigned), unsigned, unsigned long long>;

/* How many of its key came before; of keys that count nowhere, of any of these. length: [nkeys + 1] zero before */
struct TakeNumber {
  PetscInt        nkeys;
  const PetscInt *key;
  PetscInt       *length, *number;

  __device__ void operator()(PetscInt i) const
  {
    const PetscInt k = key[i] >= 0 && key[i] < nkeys ? key[i] : nkeys;

    number[i] = static_cast<PetscInt>(atomicAdd(reinterpret_cast<Counter *>(length + k), Counter(1)));
  }
};

/* Those that count nowhere stand behind all groups, in any order. */
HD void put_in_group(PetscInt i, PetscInt nkeys, const PetscInt *key, const PetscInt *number, const PetscInt *ptr, PetscInt *placed, PetscInt *order)
{
  if (key[i] >= 0 && key[i] < nkeys) placed[ptr[key[i]] + number[i]] = i;
  else order[ptr[nkeys] + number[i]] = i;
}

/* By the number of those that are less. */
__device__ void sort_group(const PetscInt *placed, PetscInt n, int lane, PetscInt *order)
{
  for (PetscInt begin = 0; begin < n; begin += 32 * held_places) {
    PetscInt mine[held_places], rank[held_places];

  #pragma unroll
    for (int u = 0; u < held_places; u++) {
      const PetscInt k = begin + 32 * u + lane;

      mine[u] = k < n ? placed[k] : PETSC_MAX_INT;
      rank[u] = 0;
    }
  #pragma unroll 4
    for (PetscInt k = 0; k < n; k++) {
      const PetscInt other = placed[k];

  #pragma unroll
      for (int u = 0; u < held_places; u++) rank[u] += other < mine[u];
    }
  #pragma unroll
    for (int u = 0; u < held_places; u++)
      if (begin + 32 * u + lane < n) order[rank[u]] = mine[u];
  }
}

/* By digits, the lowest first; each thread takes a run of the places. On return they are in `order`. */
__device__ void sort_long_group(PetscInt *placed, PetscInt n, int bits, PetscInt *order)
{
  __shared__ unsigned counts[digits * group_threads];
  const PetscInt      each = (n + group_threads - 1) / group_threads, first = min(n, each * static_cast<PetscInt>(threadIdx.x)), last = min(n, first + each);
  PetscInt           *from = placed, *to = order;

  for (int shift = 0; shift < bits || from == placed; shift += digit_bits) { // digits above the last are all 0, and change nothing
    const auto digit = [=](PetscInt place) { return shift < bits ? static_cast<int>(place >> shift) & (digits - 1) : 0; };
    unsigned   mine  = 0;

    for (int d = 0; d < digits; d++) counts[d * group_threads + threadIdx.x] = 0;
    for (PetscInt i = first; i < last; i++) counts[digit(from[i]) * group_threads + threadIdx.x]++;
    __syncthreads();
    for (int c = 0; c < digits; c++) mine += counts[threadIdx.x * digits + c];
    (void)scan_block<group_threads>(&mine); // now those before
    for (int c = 0; c < digits; c++) {
      const unsigned here = counts[threadIdx.x * digits + c];

      counts[threadIdx.x * digits + c] = mine;
      mine += here;
    }
    __syncthreads();
    for (PetscInt i = first; i < last; i++) to[counts[digit(from[i]) * group_threads + threadIdx.x]++] = from[i];
    __syncthreads();
    PetscInt *const other = from;

    from = to;
    to   = other;
  }
}

/* A warp a group; those that are long the block then sorts. */
__global__ void __launch_bounds__(group_threads) SortGroupsKernel(PetscInt nkeys, int bits, const PetscInt *ptr, PetscInt *placed, PetscInt *order)
{
  constexpr int      warps = group_threads / 32;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * warps, mine = first + threadIdx.x / 32;

  if (mine < nkeys && ptr[mine + 1] - ptr[mine] <= long_group)
    sort_group(placed + ptr[mine], ptr[mine + 1] - ptr[mine], static_cast<int>(threadIdx.x % 32), order + ptr[mine]);
  for (std::int64_t g = first; g < first + warps && g < nkeys; g++) {
    const PetscInt begin = ptr[g], n = ptr[g + 1] - begin;

    if (n > long_group) sort_long_group(placed + begin, n, bits, order + begin);
  }
}

void group_by_counting(const PetscInt *key, PetscInt n, PetscInt nkeys, Array<PetscInt> &ptr, Array<PetscInt> &order)
{
  Array<PetscInt> length(Space::Cuda, nkeys + 1, unset), number(Space::Cuda, n, unset), placed(Space::Cuda, n, unset);
  int             bits = 1;

  while (n >> bits) bits++;
  length.zero();
  for_each_row_on_device(n, TakeNumber{nkeys, key, length.data(), number.data()});
  scan_lengths(Space::Cuda, length.data(), ptr);
  for_each_row(Space::Cuda, n, bound<put_in_group>(nkeys, key, number.data(), ptr.data(), placed.data(), order.data()));
  launch_kernel<SortGroupsKernel>(blocks_for(nkeys, group_threads / 32), group_threads, nkeys, bits, ptr.data(), placed.data(), order.data());
}
#endif

} // namespace

void group_by(Space space, const PetscInt *key, PetscInt n, PetscInt nkeys, Array<PetscInt> &ptr, Array<PetscInt> &order)
{
  ptr   = Array<PetscInt>(space, nkeys + 1, unset);
  order = Array<PetscInt>(space, n, unset);
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    if (n && nkeys && n <= few_places) group_by_counting(key, n, nkeys, ptr, order);
    else group_by_sorting(key, n, nkeys, ptr, order);
    return;
  }
#endif
  std::vector<PetscInt> next(nkeys + 2, 0);
  const auto            clean = [&](PetscInt i) { return key[i] >= 0 && key[i] < nkeys ? key[i] : nkeys; };

  for (PetscInt i = 0; i < n; i++) next[clean(i) + 1]++;
  for (PetscInt g = 0; g <= nkeys; g++) next[g + 1] += next[g];
  std::copy_n(next.begin(), nkeys + 1, ptr.data());
  for (PetscInt i = 0; i < n; i++) order.data()[next[clean(i)]++] = i;
}

} // namespace goza
