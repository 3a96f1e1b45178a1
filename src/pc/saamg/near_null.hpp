#pragma once
#include <petscmat.h>
#include <vector>

namespace goza
{

/* The near-null vectors of A, B[local rows][k], and the block size that goes with them: MatSetNearNullSpace()'s, else rigid-body modes from
   coordinates [nodes][dim] where they are given, else the constant of each of the bs components. */
PetscErrorCode NearNullVectors(Mat A, const std::vector<PetscReal> &coordinates, PetscInt dim, PetscInt *bs, PetscInt *k, std::vector<PetscScalar> &B);

} // namespace goza
