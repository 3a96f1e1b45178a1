/* Strength of connection: which neighbours of a node the smoother leaves an equal error with. */
#pragma once
#include "graph.hpp"

namespace goza
{

/* Edge i-j when |a_ij|^2 > threshold^2 |a_ii a_jj| (Vanek, Mandel, Brezina 1996), from either side; |.| is the Frobenius norm of a bs x bs block.
   Threshold 0 keeps all but zeros; a value that is rounding beside both diagonals counts as a zero, because which rounding a coarse operator's
   entries carry depends on the number of ranks. A node whose own row has no strong entry (Dirichlet) is isolated, whoever points at it. */
PetscErrorCode StrengthGraph(Mat A, PetscInt bs, PetscReal threshold, Graph &G);

} // namespace goza
