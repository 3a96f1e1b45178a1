/* An order of the nodes in which neighbours in space are near one another. */
#pragma once
#include "mesh.hpp"

namespace goza
{

/* The owned nodes along a Morton curve. */
Array<PetscInt> along_curve(const Mesh &mesh);

} // namespace goza
