/* The interpolation on boxes of stars on one rank's host: both smoothings at once, by place. */
#pragma once
#include "boxes.hpp"

namespace goza::saamg {

/* P = (I - second D^-1 A) (I - first D^-1 A) T within the places of boxes, each row scaled to interpolate the near-null vector as the whole product would; as
   smoothed_prolongator() and smooth_within() make it, to rounding. boxes.reach is found on the way. coarse_B: the boxes' part of the near-null vector. */
CsrMatrix star_prolongator(Boxes &boxes, const StoredRows &A, const Array<PetscScalar> &T, const Array<PetscScalar> &coarse_B, const Array<PetscScalar> &dinv,
                           PetscReal first, PetscReal second);

} // namespace goza::saamg
