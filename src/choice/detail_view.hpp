/* -mat_view ::ascii_info_detail: what the models say of a matrix. All are collective and speak of each rank's diagonal block, least to most over the ranks. */
#pragma once
#include "core/sparse/format.hpp"
#include <petscmat.h>

namespace goza::choice
{

/* The locality of the reads of x, and what paper P2's models make of it: from the pattern, which is always on the host; no value is read. */
PetscErrorCode MatViewLocality(Mat A, Space space, PetscViewer viewer);

/* What Goza's model expects of every format, and with -mat_locality_measure what the product really takes.
   held: the diagonal block's format; NULL where it is not built yet, and then nothing is measured. */
PetscErrorCode MatViewModel(Mat A, Space space, const Format<PetscScalar> *held, PetscViewer viewer);

/* Both: a MatDetailView (mat/common/format_kind.hpp). */
PetscErrorCode MatViewDetail(Mat A, Space space, const Format<PetscScalar> *held, PetscViewer viewer);

} // namespace goza::choice
