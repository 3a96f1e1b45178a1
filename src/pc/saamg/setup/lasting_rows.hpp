/* Rows whose errors outlast smoothing, as few do where elements are nearly flat: a constraint among some nodes makes their diagonals large, and what obeys it
   is left as it is by all that is scaled by these. With S = D^(-1/2) A D^(-1/2) and a smoother p(S), of an error of one row, of size 1 in D's norm,
   [p(S)^2]_ii is left in that row, which vectors of hashed signs estimate (Hutchinson 1989). Aggregates that hold such rows together with others lose the
   error on all coarser levels: each is an aggregate of its own (compatible relaxation: Brandt 2000). A node is a row. */
#pragma once
#include "graph.hpp"

namespace goza::saamg {

/* Marks G's lasting nodes as aggregates of their own, and returns how many they are on all ranks; none, where there are too many to be outstanding. dinv: what
   smoothers relax by; lambda: no eigenvalue of D^-1 A is larger. Collective. */
std::int64_t leave_lasting_rows_alone(const Csr &A, const ColumnMap &columns, const Array<PetscScalar> &dinv, PetscReal lambda, CsrGraph &G);

} // namespace goza::saamg
