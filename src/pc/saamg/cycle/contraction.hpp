/* How fast a cycle reduces the errors that a smoother leaves: what tells a cycle in low precision from one in double. */
#pragma once
#include "cycle.hpp"

namespace goza::saamg
{

void noise(const Grid &grid, PetscScalar *r); // [rows] the same on any number of ranks

/* |M A e_1| / |M A e_0| with e_0 = M of noise that is the same on any number of ranks, e_1 = (I - M A) e_0: an error is smooth where M has been applied, and M
   A leaves out what a singular matrix does not see. finest: with the matrix's values. exact: a product with it that is faster than by its rows, or nullptr.
   Costs three cycles and two products, and spares what Hierarchy::restore() makes again. Collective. */
PetscErrorCode FindContraction(Cycle &cycle, const Grid &finest, ParOperator<PetscScalar> *exact, PetscReal *contraction);

} // namespace goza::saamg
