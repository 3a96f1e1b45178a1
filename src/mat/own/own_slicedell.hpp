/* Slices that a matrix owns. */
#pragma once
#include "mat/slicedell/slicedell.hpp"
#include "own_mat.hpp"

namespace goza::mat
{

using PlainEll = SlicedEll<PetscScalar, PetscScalar>;

PlainEll *OwnSlices(const OwnMat &own); // NULL where it has none: not laid out, or another format

} // namespace goza::mat
