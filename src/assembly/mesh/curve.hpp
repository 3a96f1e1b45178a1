/* A grid of cells, an element's mean extent wide, and the order of the nodes along a Morton curve through it: neighbours in space are near one another. */
#pragma once
#include "mesh.hpp"

namespace goza::assembly {

struct Cells {
  PetscReal low[3], scale[3];

  HD PetscInt at(PetscReal x, int c) const { return within(x, c, PetscReal(0.25)); }     // of a node: those of a grid do not lie on the borders
  HD PetscInt at_center(PetscReal x, int c) const { return within(x, c, PetscReal(0)); } // of an element, nor do their centers

private:
  HD PetscInt within(PetscReal x, int c, PetscReal further) const // 0 .. 1023
  {
    const PetscReal v = (x - low[c]) * scale[c] + further;

    return v < 0 ? 0 : v > 1023 ? 1023 : static_cast<PetscInt>(v);
  }
};

Cells find_cells(const Mesh &mesh);

/* The owned nodes. */
Array<PetscInt> along_curve(const Mesh &mesh, const Cells &cells);

} // namespace goza::assembly
