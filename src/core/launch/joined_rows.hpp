#pragma once
#include "row_sums.hpp"

namespace goza {

/* join_rows() for the host, which waits for the result. */
template <class Join, int K, class V, class Body> std::vector<V> joined_rows(Space space, PetscInt n, const Body &body)
{
  Array<V> result(space, K);

  join_rows<Join, K>(space, n, body, result.data());
  return result.to_host();
}

} // namespace goza
