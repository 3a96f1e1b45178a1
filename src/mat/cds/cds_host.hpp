#pragma once
#include "cds_view.hpp"

namespace goza
{

/* out(i, (A x)_i) for every row, on the host; bs unknowns a node, full or half storage. In a file of its own, which the host's compiler vectorises, not nvcc. */
template <class Store, class V, class Out> void cds_on_host(int bs, bool half, const CdsView<Store> &A, const V *x, const Out &out);

} // namespace goza
