/* The smoothed prolongator, and the filtered matrix that it may be smoothed with. */
#pragma once
#include "graph.hpp"

namespace goza
{

/* A with the blocks left out that are not edges of G, and their entries added to the diagonal block, so that constant vectors are treated as before
   (per component). Rows whose diagonal would change its sign or shrink to less than a tenth keep all their entries. */
PetscErrorCode FilterWeak(Mat A, const Graph &G, Mat *filtered);

/* P = (I - omega_over_lambda D^-1 A) T for a T from TentativeProlongator(). Rows without an entry in T (isolated nodes) stay empty. */
PetscErrorCode SmoothProlongator(Mat A, Mat T, Vec dinv, PetscReal omega_over_lambda, Mat *P);

} // namespace goza
