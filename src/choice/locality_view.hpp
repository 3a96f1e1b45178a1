/* -mat_view ::ascii_info_detail: the locality of the reads of x, and what paper P2's models make of it. */
#pragma once
#include "core/device/space.hpp"
#include <petscmat.h>

namespace goza
{

/* Collective. Of each rank's diagonal block: least and most over the ranks. From the pattern, which is always on the host; no value is read. */
PetscErrorCode MatViewLocality(Mat A, Space space, PetscViewer viewer);

} // namespace goza
