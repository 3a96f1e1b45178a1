/* Diagonals that a matrix owns. */
#pragma once
#include "mat/cds/cds.hpp"
#include "own_mat.hpp"

namespace goza::mat {

using PlainCds = Cds<PetscScalar, PetscScalar>;

PlainCds *OwnDiagonals(const OwnMat &own); // NULL where it has none: not laid out, or another format

bool           OwnsDiagonals(const OwnMat &own);
PetscErrorCode OwnAddOffsets(Mat A, OwnMat *own, const std::vector<PetscInt> &offset); // the diagonals that are not there, of a matrix of diagonals
PetscErrorCode OwnComposeCds(Mat A, bool attach);                                      // own_cds_ways_in.cxx

} // namespace goza::mat
