/* -mat_view ::ascii_info_detail: what the models say of a matrix. All are collective and speak of each rank's diagonal block, least to most over the ranks. */
#pragma once
#include "core/sparse/format.hpp"
#include "locality/machine.hpp"
#include <petscmat.h>

namespace goza::choice {

/* What a view is about: where its pattern is, the block's format, and the machine that it is asked for. */
struct DetailOf {
  Mat                        pattern; // AIJ
  const Format<PetscScalar> *held;    // NULL where it cannot be built: then nothing is said of it, and nothing is measured
  Machine                    machine; // of -goza_platform, else the first rank's own
  bool                       is_this; // the machine at hand
};

/* The locality of the reads of x, and what paper P2's models make of it: from the pattern, which is always on the host; no value is read. The format in use has
   its own row, with its own settings; -mat_locality_what_if adds P2's what-if study. */
PetscErrorCode MatViewLocality(Mat A, const DetailOf &of, PetscViewer viewer);

/* What Goza's model expects of every format, and with -mat_locality_measure what the product really takes. */
PetscErrorCode MatViewModel(Mat A, const DetailOf &of, PetscViewer viewer);

/* Both: a MatDetailView (mat/common/format_kind.hpp). */
PetscErrorCode MatViewDetail(Mat A, Mat pattern, Space space, const Format<PetscScalar> *held, PetscViewer viewer);

} // namespace goza::choice
