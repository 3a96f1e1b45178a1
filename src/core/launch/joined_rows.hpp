#pragma once
#include "row_sums.hpp"

namespace goza {

/* What call(result, told) leaves in result[0 .. n - 1], in the space, for the host, which waits for it: a kernel tells it, or a copy brings it. */
template <class V, class Call> std::vector<V> told_values(Space space, std::size_t n, const Call &call)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    if (const device::Told told(n * sizeof(V)); told.there()) {
      std::vector<V> values(n);

      call(static_cast<V *>(told.at().words), told.at());
      told.wait(values.data());
      return values;
    }
  }
#endif
  Array<V> result(space, n);

  call(result.data(), device::ToldAt());
  return result.to_host();
}

/* join_rows() for the host, which waits for the result. */
template <class Join, int K, class V, class Body> std::vector<V> joined_rows(Space space, PetscInt n, const Body &body)
{
  return told_values<V>(space, K, [&](V *result, const device::ToldAt &told) { join_rows<Join, K>(space, n, body, result, told); });
}

} // namespace goza
