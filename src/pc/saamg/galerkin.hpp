/* The coarse operator. */
#pragma once
#include "graph.hpp"

namespace goza
{

/* Ac = P^T A P, a host AIJ matrix with P's column blocks. MAT_REUSE_MATRIX: A and P have the patterns they had when Ac was made, only the values moved.
   Rows of zeros, from zero columns of P, get a diagonal entry: the mean of the others' size, so that smoothers and factorisations find nothing special. */
PetscErrorCode GalerkinProduct(Mat A, Mat P, MatReuse reuse, Mat *Ac);

} // namespace goza
