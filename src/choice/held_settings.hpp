/* What a diagonal block is held as, in the words of the models. */
#pragma once
#include "core/sparse/format.hpp"
#include "locality/cost.hpp"
#include "locality/models.hpp"

namespace goza::choice {

struct HeldSettings {
  bool            known      = false; // the models know it; else it is held by none of our formats, or not at all
  bool            renumbered = false; // its unknowns are in another order than the pattern's: nothing is predicted
  FormatChoice    choice;
  AnalysisOptions analysis;      // slice height, fold width, block size and diagonals are its own
  Bytes           bytes;         // of a stored value; of the indices and pointers, for a stored value
  std::int64_t    remainder = 0; // of CDS: entries on no diagonal

  SampledDiagonals diagonals(std::int64_t nnz) const; // of CDS, for the model: its own
  std::string      name() const;                      // "slicedell, slices of 4, values of 4 bytes"
};

HeldSettings settings_of(const Format<PetscScalar> *held);

} // namespace goza::choice
