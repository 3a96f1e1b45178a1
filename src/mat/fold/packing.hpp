/* How Fold packs rows into groups of 32 lines: the layout is in fold_view.hpp. In either space, with the same result. */
#pragma once
#include "core/sparse/csr.hpp"
#include "fold_view.hpp"

namespace goza::mat {

/* What a width makes of a matrix. */
struct FoldShape {
  PetscInt     width  = 0;
  std::int64_t groups = 0, steps = 0; // steps: the sum over the groups of their longest line, what the warps have to do
  std::int64_t folded    = 0;         // rows of more than one line
  std::int64_t long_rows = 0, pieces = 0;
};

/* One width's packing: counted when it is made, written where there is room for it. Rows are packed chunk by chunk, in parallel. */
class FoldPacking {
public:
  FoldPacking(const Csr &A, PetscInt width, PetscInt chunk);

  void write(FoldHead *head, PetscInt *long_row, PetscInt *piece_ptr); // [groups], zero before; [long_rows]; [long_rows]

  FoldShape shape;

private:
  Csr                 A_; // its row pointer
  PetscInt            chunk_, nchunks_;
  Array<std::int64_t> counts_; // [5][nchunks + 1]
  Array<PetscInt>     order_;  // [nrows]
};

/* The width that is taken where none is given, from the row pointers. */
PetscInt fold_width_for(const Csr &A);

/* The rows that are packed together on a device; on a host it is always fold_chunk. */
PetscInt fold_chunk_for(const Csr &A);

} // namespace goza::mat
