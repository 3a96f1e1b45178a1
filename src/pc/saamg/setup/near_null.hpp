#pragma once
#include "core/device/array.hpp"
#include <petscmat.h>

namespace goza::saamg
{

/* The near-null vectors of A, B[local rows][k] in the space, and the block size that goes with them: MatSetNearNullSpace()'s, else rigid-body modes from
   coordinates [nodes][dim] where they are given, else the constant of each of the bs components. */
PetscErrorCode NearNullVectors(Mat A, const std::vector<PetscReal> &coordinates, PetscInt dim, Space space, PetscInt *bs, PetscInt *k, Array<PetscScalar> &B);

/* What one rank can find wrong with them. */
PetscErrorCode CheckNearNull(Mat A, const std::vector<PetscReal> &coordinates, PetscInt dim);

} // namespace goza::saamg
