/* Elasticity on a grid: kernels for CSR, whose rows lanes write side by side, for half CDS, and for full CDS and sliced ELL. */
#pragma once
#include "grid_elastic_full.hpp"
#include "grid_elastic_half.hpp"
#include "grid_elastic_rows.hpp"

namespace goza::assembly::grid_elasticity {

#if defined(__CUDACC__)

inline void launch(const MeshView &mesh, const GridTarget &to)
{
  if (to.target.layout == Layout::Csr) launch_rows(mesh, to);
  else if (to.target.layout == Layout::SlicedEll) launch_full<Layout::SlicedEll>(mesh, to);
  else if (to.target.half) launch_half(mesh, to);
  else launch_full<Layout::Cds>(mesh, to);
}

#endif

} // namespace goza::assembly::grid_elasticity
