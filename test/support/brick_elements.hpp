/* Matrices on grids of bricks: finite elements of order 1 or 2, and finite volumes. */
#pragma once

#include "simplex_elements.hpp"

namespace goza_test {

/* n[d] cells along axis d; width(d, k): of the k-th of them. */
template <int D> struct Bricks {
  std::array<PetscInt, D>                  n;
  std::function<double(int d, PetscInt k)> width;
  std::array<std::vector<double>, D>       edges() const; /* where cells begin and end */
};

/* Equal cells over a box whose edges have these lengths. */
template <int D> Bricks<D> even_bricks(const std::array<PetscInt, D> &n, const Place<D> &length);

template <int D> using Tensor = std::array<std::array<double, D>, D>;

/* -div T grad u + reaction u; T is constant in a cell. */
template <int D>
Sparse brick_diffusion(const Bricks<D> &bricks, int order, const std::function<Tensor<D>(const Place<D> &)> &T, const Where<D> &fixed, double reaction = 0);

/* Linear elasticity, D unknowns a node. places: gets the nodes' coordinates. */
template <int D>
Sparse brick_elasticity(const Bricks<D> &bricks, int order, const Field<D> &E, double ratio, const Where<D> &fixed, std::vector<PetscReal> &places);

/* Products of functions, times k(place), constant in a cell. */
template <int D> Sparse brick_mass(const Bricks<D> &bricks, int order, const Field<D> &k);

/* Stokes' equations by Taylor and Hood's elements, viscosity eta(place): [A B^T; B 0], velocities of order 2, D a node, then pressures of order 1.
   places: gets the velocities' coordinates. */
template <int D> Sparse brick_stokes(const Bricks<D> &bricks, const Field<D> &eta, const Where<D> &fixed, std::vector<PetscReal> &places);

/* The same, both of order 1, D velocities and a pressure a node, and its block made definite: less h^2 / 12 eta grad p grad q (Brezzi and Pitkaranta 1984). */
template <int D> Sparse brick_stokes_equal(const Bricks<D> &bricks, const Field<D> &eta, const Where<D> &fixed);

/* Finite volumes: the flux between two cells is by the harmonic mean of k(d, place); through a wall beyond which u is given it is that of half a cell. */
template <int D>
Sparse brick_volumes(const Bricks<D> &bricks, const std::function<double(int d, const Place<D> &)> &k, const std::function<bool(int d, bool last)> &wall,
                     double reaction = 0);

} // namespace goza_test
