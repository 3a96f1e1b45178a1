#pragma once
#include "block_ell_view.hpp"
#include "host_lanes.hpp"

namespace goza::mat {

/* The sums of n places from `first` on, of br rows each, on the host; first: a multiple of the host's slice height. What becomes of them is the caller's. In a
   file of its own, which the host's compiler vectorises, not nvcc, and once for all outputs. */
template <class Store, class V> void ell_sums_on_host(const EllView<Store> &A, PetscInt br, PetscInt bc, const V *x, PetscInt first, PetscInt n, V *sums);

} // namespace goza::mat
