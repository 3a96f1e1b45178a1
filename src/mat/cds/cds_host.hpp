#pragma once
#include "cds_view.hpp"

namespace goza::mat {

/* out(i, (A x)_i) for every row, on the host; bs unknowns a node, full or half storage. sums: cds_host_sums() zeros, which they are again afterwards: a product
   asks for no memory, and cannot fail where other ranks wait for it. In a file of its own, which the host's compiler vectorises, not nvcc. */
template <class Store, class V, class Out> void cds_on_host(int bs, bool half, const CdsView<Store> &A, const V *x, const Out &out, V *sums);

std::size_t cds_host_sums(int bs, PetscInt reach); // reach: the largest offset that is stored in half storage, else 0

} // namespace goza::mat
