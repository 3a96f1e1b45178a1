/* Hexahedra in a box: nodes numbered line after line and plane after plane, and elements too. There an assembly needs no maps. */
#pragma once
#include "mesh.hpp"

namespace goza::assembly {

struct NodeGrid {
  PetscInt n[3] = {0, 0, 0}; // nodes in each direction; zero: the mesh is no grid

  bool is() const { return n[0] > 0; }

  HD PetscInt node(PetscInt x, PetscInt y, PetscInt z) const { return x + n[0] * (y + n[1] * z); }
  HD PetscInt element(PetscInt x, PetscInt y, PetscInt z) const { return x + (n[0] - 1) * (y + (n[1] - 1) * z); }
};

/* In one direction a node has `most` things, but one less at either end. */
struct GridCount {
  PetscInt n, most;

  HD PetscInt of(PetscInt i) const { return most - (i == 0) - (i + 1 == n); }
  HD PetscInt before(PetscInt i) const { return i == 0 ? 0 : most * i - 1; }
  HD PetscInt all() const { return most * n - 2; }
};

/* What the symbolic phase finds for any mesh (symbolic.hpp): here it is counted. */
struct GridPattern {
  Array<PetscInt> owner_ptr, owner, ptr, col;
};
GridPattern grid_pattern(Space space, const NodeGrid &grid);

/* Every element is looked at. A mesh with nodes of other ranks is none. */
NodeGrid find_grid(const Mesh &mesh);

} // namespace goza::assembly
