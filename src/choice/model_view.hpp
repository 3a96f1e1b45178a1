/* -mat_view ::ascii_info_detail: what Goza's model expects of every format, and with -mat_locality_measure what the product really takes. */
#pragma once
#include "core/sparse/format.hpp"
#include <petscmat.h>

namespace goza
{

/* Collective. held: the diagonal block's format; NULL where it is not built yet, and then nothing is measured. Of each rank's diagonal block, least to most. */
PetscErrorCode MatViewModel(Mat A, Space space, const Format<PetscScalar> *held, PetscViewer viewer);

} // namespace goza
