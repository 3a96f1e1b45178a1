#include "algorithm.hpp"
#include "core/device/cuda_check.hpp"
#include "core/launch/joined_rows.hpp"
#include "counted.hpp"
#include "search.hpp"
#include <limits>
#include <numeric>

#if defined(__CUDACC__)
  #include <cub/device/device_radix_sort.cuh>
  #include <cub/device/device_scan.cuh>
  #include <cub/device/device_select.cuh>
#endif

namespace goza {
namespace {

HD void is_nonempty(PetscInt row, const PetscInt *ptr, char *flag) { flag[row] = ptr[row + 1] > ptr[row]; }

template <class V, class Index> HD void gather_at(PetscInt k, const Index *index, const V *x, V *packed) { packed[k] = x[index[k]]; }

HD void is_first(PetscInt i, const PetscInt *sorted, char *flag) { flag[i] = i == 0 || sorted[i] != sorted[i - 1]; }

HD void fill_at(PetscInt i, PetscInt value, PetscInt *to) { to[i] = value; }

HD void own_number(PetscInt i, PetscInt *p) { p[i] = i; }

#if defined(__CUDACC__)
cudaStream_t stream() { return static_cast<cudaStream_t>(device::stream()); }

/* call(work, bytes, stream), one of CUB's, which says first how much memory it wants. */
template <class Call> void with_work(const char *name, const Call &call)
{
  std::size_t bytes = 0;

  check(call(nullptr, bytes, stream()), name);
  Array<char> work(Space::Cuda, bytes);
  check(call(work.data(), bytes, stream()), name);
}

/* keys[n] become sorted, and order[n], 0 .. n - 1 at first, the places that they had; `bits` of a key count. */
void sort_keys(Array<PetscInt> &keys, Array<PetscInt> &order, PetscInt n, int bits)
{
  Array<PetscInt>             other_keys(Space::Cuda, n), other_order(Space::Cuda, n);
  cub::DoubleBuffer<PetscInt> key_buffer(keys.data(), other_keys.data()), order_buffer(order.data(), other_order.data());

  with_work("DeviceRadixSort", [&](void *work, std::size_t &bytes, cudaStream_t on) {
    return cub::DeviceRadixSort::SortPairs(work, bytes, key_buffer, order_buffer, n, 0, bits, on);
  });
  if (order_buffer.Current() != order.data()) order.swap(other_order);
  if (key_buffer.Current() != keys.data()) keys.swap(other_keys);
}

/* Keys that count nowhere sort behind the others. */
HD void clean_key(PetscInt i, PetscInt nkeys, const PetscInt *key, PetscInt *clean, PetscInt *place)
{
  clean[i] = key[i] >= 0 && key[i] < nkeys ? key[i] : nkeys;
  place[i] = i;
}

/* Where each key begins among sorted ones. */
HD void first_of_key(PetscInt g, PetscInt n, const PetscInt *sorted, PetscInt *ptr) { ptr[g] = lower_bound(sorted, 0, n, g); }

void group_by_sorting(const PetscInt *key, PetscInt n, PetscInt nkeys, Array<PetscInt> &ptr, Array<PetscInt> &order)
{
  constexpr int   most_bits = static_cast<int>(8 * sizeof(PetscInt)) - 1;
  Array<PetscInt> keys(Space::Cuda, n);
  int             bits = 1;

  while (bits < most_bits && (nkeys >> bits)) bits++;
  for_each_row(Space::Cuda, n, bound<clean_key>(nkeys, key, keys.data(), order.data()));
  sort_keys(keys, order, n, bits);
  for_each_row(Space::Cuda, nkeys + 1, bound<first_of_key>(n, keys.data(), ptr.data()));
}
#endif

/* Numbers of entries: where one is negative, or there are more than a PetscInt counts, the most that it holds. */
struct PlusUpToMost {
  HD PetscInt operator()(PetscInt a, PetscInt b) const { return a < 0 || b < 0 || a > PETSC_MAX_INT - b ? PETSC_MAX_INT : a + b; }
};

HD void join_magnitude(PetscInt i, PetscReal *largest, const PetscScalar *x, PetscInt step)
{
  const PetscReal magnitude = PetscAbsScalar(x[i * step]);

  if (magnitude > *largest) *largest = magnitude;
}

template <class Join, class T> HD void join_values(PetscInt i, T *all, const T *values) { *all = Join::join(*all, values[i]); }

} // namespace

template <class T> T largest(Space space, const T *values, std::size_t n)
{
  return joined_rows<Most, 1, T>(space, static_cast<PetscInt>(n), bound<join_values<Most, T>>(values))[0];
}
template std::int64_t largest(Space, const std::int64_t *, std::size_t);
#if !PetscDefined(USE_64BIT_INDICES)
template PetscInt largest(Space, const PetscInt *, std::size_t);
#endif

PetscReal largest_magnitude(Space space, const PetscScalar *x, PetscInt n, PetscInt step)
{
  return joined_rows<Most, 1, PetscReal>(space, (n + step - 1) / step, bound<join_magnitude>(x, step))[0];
}

void fill(Space space, std::size_t n, PetscInt value, PetscInt *to) { for_each_row(space, static_cast<PetscInt>(n), bound<fill_at>(value, to)); }

Array<PetscInt> places(Space space, PetscInt n)
{
  Array<PetscInt> all(space, n, unset);

  for_each_row(space, n, bound<own_number>(all.data()));
  return all;
}

Array<PetscInt> flagged(Space space, const char *flag, PetscInt n)
{
  Array<PetscInt> some(space, n);
  const PetscInt  m = keep_flagged(space, places(space, n).data(), flag, n, some.data());

  return Array<PetscInt>(space, some.data(), m);
}

PetscInt keep_flagged(Space space, const PetscInt *list, const char *flag, PetscInt n, PetscInt *kept)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    Array<PetscInt> nkept(space, 1);

    with_work("DeviceSelect",
              [&](void *work, std::size_t &bytes, cudaStream_t on) { return cub::DeviceSelect::Flagged(work, bytes, list, flag, kept, nkept.data(), n, on); });
    return read_value(space, nkept.data());
  }
#endif
  (void)space;
  PetscInt m = 0;

  for (PetscInt i = 0; i < n; i++)
    if (flag[i]) kept[m++] = list[i];
  return m;
}

/* On the host, by some bits of the keys at a time, the lowest first; bits that all keys have in common are left out. */
static void sort_places(const PetscInt *key, PetscInt n, Array<PetscInt> &order)
{
  constexpr int   bits = 11, digits = 1 << bits;
  Array<PetscInt> sorted(Space::Host, n);

  std::iota(order.data(), order.data() + n, 0);
  for (int shift = 0; n && shift < static_cast<int>(8 * sizeof(PetscInt)) - 1; shift += bits) {
    const auto            digit = [=](PetscInt place) { return key[place] >> shift & (digits - 1); };
    std::vector<PetscInt> next(digits + 1, 0);

    for (PetscInt i = 0; i < n; i++) next[digit(i) + 1]++;
    if (next[digit(0) + 1] == n) continue;
    for (int d = 0; d < digits; d++) next[d + 1] += next[d];
    for (PetscInt i = 0; i < n; i++) {
      const PetscInt place = order.data()[i];

      sorted.data()[next[digit(place)]++] = place;
    }
    order.swap(sorted);
  }
}

Array<PetscInt> order_by(Space space, const PetscInt *key, PetscInt n)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    Array<PetscInt> keys(space, n), order = places(space, n);

    keys.copy_from(key, n);
    sort_keys(keys, order, n, static_cast<int>(8 * sizeof(PetscInt)) - 1);
    return order;
  }
#endif
  Array<PetscInt> order(space, n);

  sort_places(key, n, order);
  return order;
}

void group_by(Space space, const PetscInt *key, PetscInt n, PetscInt nkeys, Array<PetscInt> &ptr, Array<PetscInt> &order)
{
  ptr   = Array<PetscInt>(space, nkeys + 1, unset);
  order = Array<PetscInt>(space, n, unset);
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    group_by_sorting(key, n, nkeys, ptr, order);
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

void exclusive_scan(Space space, std::int64_t *values, std::size_t n)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    with_work("DeviceScan", [=](void *work, std::size_t &bytes, cudaStream_t on) { return cub::DeviceScan::ExclusiveSum(work, bytes, values, n, on); });
    return;
  }
#endif
  (void)space;
  std::exclusive_scan(values, values + n, values, std::int64_t(0));
}

/* In place, or from elsewhere; what stands in ptr's last place does not count. */
void scan_lengths([[maybe_unused]] Space space, const PetscInt *length, Array<PetscInt> &ptr)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    PetscInt *const   to = ptr.data();
    const std::size_t n  = ptr.size();

    if (n > 1 && length != to) copy_values(space, length, n - 1, to);
    with_work("DeviceScan", [=](void *work, std::size_t &bytes, cudaStream_t on) {
      return cub::DeviceScan::ExclusiveScan(work, bytes, to, to, PlusUpToMost(), PetscInt(0), n, on);
    });
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

std::int64_t sum(Space space, const std::int64_t *values, std::size_t n)
{
  return joined_rows<Plus, 1, std::int64_t>(space, static_cast<PetscInt>(n), bound<join_values<Plus, std::int64_t>>(values))[0];
}

template <class V, class Index> void gather(Space space, PetscInt n, const Index *index, const V *x, V *packed)
{
  for_each_row(space, n, bound<gather_at<V, Index>>(index, x, packed));
}

template void gather(Space, PetscInt, const PetscInt *, const PetscInt *, PetscInt *);
template void gather(Space, PetscInt, const PetscInt *, const PetscScalar *, PetscScalar *);
#if !PetscDefined(USE_64BIT_INDICES)
template void gather(Space, PetscInt, const std::int64_t *, const PetscScalar *, PetscScalar *);
#endif
#if !PetscDefined(USE_REAL_SINGLE)
template void gather(Space, PetscInt, const PetscInt *, const SingleScalar *, SingleScalar *);
#endif

PetscInt sort_unique(Space space, PetscInt *values, PetscInt n)
{
  if (space == Space::Host) {
    std::sort(values, values + n);
    return static_cast<PetscInt>(std::unique(values, values + n) - values);
  }
  const Array<PetscInt> order = order_by(space, values, n);
  Array<PetscInt>       sorted(space, n);
  Array<char>           first(space, n);

  gather(space, n, order.data(), static_cast<const PetscInt *>(values), sorted.data());
  for_each_row(space, n, bound<is_first>(sorted.data(), first.data()));
  return keep_flagged(space, sorted.data(), first.data(), n, values);
}

Array<PetscInt> nonempty_rows(Space space, const PetscInt *ptr, PetscInt nrows)
{
  Array<char> flag(space, nrows);

  for_each_row(space, nrows, bound<is_nonempty>(ptr, flag.data()));
  return flagged(space, flag.data(), nrows);
}

} // namespace goza
