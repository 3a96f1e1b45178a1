/* Stokes' equations on staggered grids (marker and cell; Harlow and Welch 1965): velocities at the middles of faces, pressures at those of cells. */
#pragma once

#include "simplex_elements.hpp"

namespace goza_test {

/* n cells along each axis of the unit square or cube, no flow through its walls and none along them. */
template <int D> struct MacGrid {
  PetscInt n;

  double   width() const { return 1 / static_cast<double>(n); }
  PetscInt cells() const;
  PetscInt faces() const { return cells() / n * (n - 1); } /* inside, across one axis */
  PetscInt velocities() const { return D * faces(); }
  Place<D> centre(PetscInt cell) const;
  /* Rigid-body modes of the velocities, translations first. */
  std::vector<std::vector<PetscReal>> modes() const;
};

struct Flow {
  bool   stress  = false; /* div of 2 eta eps(u), which couples the components; else of eta grad u, each by itself */
  double inertia = 0;     /* of a time step: times u */
};

/* [A B^T; B 0] times the volume of a cell, velocities by components, then pressures. eta: viscosity, constant in a cell. */
template <int D> Sparse mac_stokes(const MacGrid<D> &grid, const Field<D> &eta, const Flow &flow);

} // namespace goza_test
