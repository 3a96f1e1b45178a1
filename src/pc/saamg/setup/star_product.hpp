/* P^T A P, or P^H A P, on boxes of stars on one rank's host, by place and without P^T. */
#pragma once
#include "boxes.hpp"

namespace goza::saamg
{

/* As galerkin_host() makes it, to rounding. boxes.coarse_stencil is found on the way. magnitude: of A's rows, becomes the diagonal of P^H diag(magnitude) P. */
CsrMatrix star_product(Boxes &boxes, const StoredRows &A, const CsrMatrix &P, bool conjugated, Array<PetscReal> &magnitude);

} // namespace goza::saamg
