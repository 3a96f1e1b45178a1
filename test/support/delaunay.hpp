/* Delaunay meshes of points in the plane or in space, by insertion one at a time (Bowyer 1981, Watson 1981). In space such a mesh of random points is full of
   slivers: tetrahedra of well-placed corners and nearly no volume. */
#pragma once

#include "sparse.hpp"

#include <array>

namespace goza_test {

template <int D> using Place = std::array<double, D>;

template <int D> struct Simplices {
  std::vector<Place<D>>                    points;
  std::vector<std::array<PetscInt, D + 1>> cells; /* the corners of each; their order is of positive volume */
};

/* The mesh of these points, which are numbered anew along a curve that fills space. */
template <int D> Simplices<D> delaunay(std::vector<Place<D>> points);

/* n points of the unit square or cube, uniform. */
template <int D> std::vector<Place<D>> random_points(PetscInt n, std::uint64_t seed);

/* Points of a grid of `side` points along each edge, each moved by up to a quarter of the spacing: their mesh has few bad simplices. */
template <int D> std::vector<Place<D>> spread_points(PetscInt side, std::uint64_t seed);

} // namespace goza_test
