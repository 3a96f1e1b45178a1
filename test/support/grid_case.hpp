/* The matrix of a DMDA, whose points are numbered rank by rank. */
#pragma once

#include "check.hpp"

#include <petscdmda.h>

namespace goza_test {

using DMHandle = Handle<DM, DMDestroy>;

struct GridMatrix {
  DMHandle  da;
  MatHandle A;
};

/* 7 points of varying coefficients, `dof` components each. */
GridMatrix grid_matrix(MPI_Comm comm, PetscInt dof);

} // namespace goza_test
