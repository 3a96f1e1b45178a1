/* Finite elements on the meshes of delaunay.hpp: matrices as their textbooks have them, which share nothing with the library. */
#pragma once

#include "delaunay.hpp"

namespace goza_test {

/* Cells of n unknowns each: those of cell c are dof[c * n + k]. */
struct CellUnknowns {
  PetscInt              rows = 0, n = 0;
  std::vector<PetscInt> dof;

  PetscInt cells() const { return static_cast<PetscInt>(dof.size()) / n; }
};

/* Row k of cell c's matrix, added to `row`. */
using ElementRow = std::function<void(PetscInt c, PetscInt k, double *row)>;

/* The sum of the cells' matrices. Of fixed rows and their columns only the diagonal stays. */
Sparse sum_of_elements(const CellUnknowns &unknowns, const ElementRow &element, const std::function<bool(PetscInt row)> &fixed);

template <int D> using Field = std::function<double(const Place<D> &)>;
template <int D> using Where = std::function<bool(const Place<D> &)>;

/* -div k grad u + reaction u, linear elements; `fixed`: where u is given. */
template <int D> Sparse p1_diffusion(const Simplices<D> &mesh, const Field<D> &k, const Where<D> &fixed, double reaction = 0);

/* The same of quadratic elements, whose unknowns are at corners and middles of edges; k constant in a cell. */
template <int D> Sparse p2_diffusion(const Simplices<D> &mesh, const Field<D> &k, const Where<D> &fixed);

/* Linear elasticity of modulus E(place) and this Poisson ratio, D unknowns a point. */
template <int D> Sparse p1_elasticity(const Simplices<D> &mesh, const Field<D> &E, double ratio, const Where<D> &fixed);

} // namespace goza_test
