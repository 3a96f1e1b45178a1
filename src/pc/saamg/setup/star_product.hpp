/* P^T A P, or P^H A P, on boxes of stars on one rank's host, by place and without P^T. */
#pragma once
#include "boxes.hpp"

namespace goza::saamg
{

/* As galerkin_host() makes it, to rounding. boxes.coarse_stencil is found on the way. */
CsrMatrix star_product(Boxes &boxes, const StoredRows &A, const CsrMatrix &P, bool conjugated);

} // namespace goza::saamg
