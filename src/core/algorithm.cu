#include "algorithm.hpp"
#include "for_each_row.hpp"
#include <algorithm>
#include <numeric>

#if defined(__CUDACC__)
  #include <thrust/copy.h>
  #include <thrust/execution_policy.h>
  #include <thrust/iterator/counting_iterator.h>
  #include <thrust/reduce.h>
  #include <thrust/scan.h>
  #include <thrust/sort.h>
#endif

namespace goza
{

namespace
{

struct IsNonempty {
  const PetscInt *ptr;

  HD bool operator()(PetscInt row) const { return ptr[row + 1] > ptr[row]; }
};

/* Orders places by (window, longest row first); 64 bits hold both. */
struct WindowKey {
  const PetscInt *ptr, *rows;
  PetscInt        window;
  std::int64_t   *key;

  HD void operator()(PetscInt place) const
  {
    const PetscInt row = rows[place], length = ptr[row + 1] - ptr[row];

    key[place] = (static_cast<std::int64_t>(place / window) << 32) + (static_cast<std::int64_t>(0x7fffffff) - length);
  }
};

#if defined(__CUDACC__)
auto policy()
{
  return thrust::cuda::par.on(static_cast<cudaStream_t>(device::stream()));
}
#endif

} // namespace

void exclusive_scan(Space space, std::int64_t *values, std::size_t n)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    thrust::exclusive_scan(policy(), values, values + n, values);
    return;
  }
#endif
  (void)space;
  std::exclusive_scan(values, values + n, values, std::int64_t(0));
}

std::int64_t sum(Space space, const std::int64_t *values, std::size_t n)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) return thrust::reduce(policy(), values, values + n);
#endif
  (void)space;
  return std::accumulate(values, values + n, std::int64_t(0));
}

Array<PetscInt> nonempty_rows(Space space, const PetscInt *ptr, PetscInt nrows)
{
  Array<PetscInt>  all(space, nrows);
  PetscInt        *end = all.data();
  const IsNonempty nonempty{ptr};

#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    const thrust::counting_iterator<PetscInt> first(0);

    end = thrust::copy_if(policy(), first, first + nrows, all.data(), nonempty);
    return Array<PetscInt>(space, all.data(), end - all.data());
  }
#endif
  for (PetscInt row = 0; row < nrows; row++) {
    if (nonempty(row)) *end++ = row;
  }
  return Array<PetscInt>(space, all.data(), end - all.data());
}

void sort_by_length(Space space, const PetscInt *ptr, PetscInt *rows, std::size_t n, PetscInt window)
{
  Array<std::int64_t> key(space, n);

  for_each_row(space, static_cast<PetscInt>(n), WindowKey{ptr, rows, window, key.data()});
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    thrust::stable_sort_by_key(policy(), key.data(), key.data() + n, rows);
    return;
  }
#endif
  std::vector<PetscInt>       place(n);
  const std::vector<PetscInt> old(rows, rows + n);

  std::iota(place.begin(), place.end(), 0);
  std::stable_sort(place.begin(), place.end(), [&](PetscInt a, PetscInt b) { return key.data()[a] < key.data()[b]; });
  for (std::size_t k = 0; k < n; k++) rows[k] = old[place[k]];
}

} // namespace goza
