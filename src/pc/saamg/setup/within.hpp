/* A second smoothing of P within the pattern of the first. Where rows have few entries, those of 5 and 7 points and of filtered matrices, one smoothing reaches
   no aggregate across a corner, and smooth vectors along the edges of aggregates are badly interpolated. Smoothed once more P would reach all of these and the
   coarse operator be twice as dense; what falls outside its pattern is shared out instead: each row is scaled so that it interpolates the near-null vector as
   the whole product would. A node is a row, with one near-null vector. Where a smoother leaves
   alternating vectors to the coarse space this must see them, and P is smoothed once: Jacobi with relaxation 1 takes 24 iterations for 20 otherwise. */
#pragma once
#include "prolong.hpp"

namespace goza::saamg {

/* Entries a row up to which this pays: rows of nine points and of trilinear elements reach across corners, and take no fewer iterations by it. */
constexpr double most_entries_within = 8;

/* The same below a finest level where it is done, if no entry is weak there. Where entries are left out on the finest level alone, as where coefficients jump,
   cells of another coefficient take 12 iterations for 9 with it. */
constexpr double most_entries_within_below = 40;

/* P becomes (I - omega D^-1 A) P in P's pattern. columns: of A; reached: of P. Collective. */
void smooth_within(const Csr &A, const MapPtr &columns, const Array<PetscScalar> &dinv, PetscReal omega, const Array<PetscScalar> &coarse_B,
                   const MapPtr &reached, CsrMatrix &P);

/* The same on boxes. */
void smooth_within(const Boxes &boxes, const StoredRows &A, const Array<PetscScalar> &dinv, PetscReal omega, const Array<PetscScalar> &coarse_B, CsrMatrix &P);

} // namespace goza::saamg
