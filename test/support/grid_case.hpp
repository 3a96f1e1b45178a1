/* The matrix of a DMDA, whose points are numbered rank by rank. */
#pragma once

#include "check.hpp"
#include "entry.hpp"

#include <petscdmda.h>

namespace goza_test {

using DMHandle = Handle<DM, DMDestroy>;

struct GridMatrix {
  DMHandle  da;
  MatHandle A;
};

/* 7 points of varying coefficients, `dof` components each. */
GridMatrix grid_matrix(MPI_Comm comm, PetscInt dof);

/* This matrix of nodes on a grid, its points numbered rank by rank. */
GridMatrix on_grid(const Entry &entry, const PetscInt points[3], DMDAStencilType stencil, PetscInt width);

} // namespace goza_test
