/* Operators on which defaults fail that were chosen for diffusion on boxes: convection, graphs with hubs, stretched grids. */
#pragma once

#include "entry.hpp"

namespace goza_test {

enum class Wind {
  constant, /* the same everywhere, in at one side and out at the other */
  rotating  /* round the centre: no streamline leaves the box */
};

enum class Scheme {
  upwind, /* an M-matrix, whatever the wind */
  central /* of second order, with positive off-diagonals where a cell's Peclet number is more than 2 */
};

/* -eps Laplace u + wind . grad u on the unit square (nz = 1) or cube, zero on its boundary; finite differences at nx x ny x nz inner points, times the square
   of the spacing along x. */
Entry convection(PetscInt nx, PetscInt ny, PetscInt nz, PetscReal eps, Wind wind, Scheme scheme = Scheme::upwind);

/* Preferential attachment (Barabasi, Albert 1999): each new node links to m of those that are there, in proportion to their links. A graph Laplacian, and a
   little on the diagonal. */
Entry hubs(PetscInt n, PetscInt m);

/* Finite volumes of 7 points on a grid whose spacing along each axis grows by `ratio` from cell to cell. */
Entry stretched7(PetscInt nx, PetscInt ny, PetscInt nz, PetscReal ratio);

} // namespace goza_test
