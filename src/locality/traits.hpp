/* What a product in one format asks of the machine, from a sample of the pattern: bytes of the format's arrays, warps and their steps, sectors of x. What a
   block's cache lacks is asked of L2; reads far from the row's own place in x come from memory as often as x does not fit in L2 (cost.hpp). */
#pragma once
#include "sample.hpp"

namespace goza::locality {

struct Traits {
  bool   possible   = false;
  double stored     = 0; // values, with padding
  double matrix     = 0; // bytes of the format's arrays that a product reads
  double steps      = 0; // of warps: entries of up to 32 lanes
  double warps      = 0;
  double chain      = 0; // steps of the longest thread
  double rest       = 0; // the same in the second kernel, of what CDS has on no diagonal
  double rest_reads = 0; // sectors of x and of y that it asks for: its rows are sorted by length, and no two of a warp are neighbours
  double kernels    = 1;
  double blocks     = 0; // of threads
  // entries that PETSc multiplies for several rows of the same columns at once; of CDS, in blocks; of sliced ELL, in blocks of more than four rows, for whose
  // sums a processor may have too few registers
  double nodes  = 0;
  double once   = 1;     // reads of x, of one for each entry, where PETSc does so
  double turns  = 0;     // rows whose length a processor does not foresee
  double extra  = 0;     // bytes of y that are read and written again
  bool   shared = false; // columns of sliced ELL, by slices that are alike
  double narrow = 1;     // time of a step, of that with values of 8 bytes

  const SampledReads *reads = nullptr; // the sample's
};

/* choice: one that the sample was taken for. value_bytes: of the stored values. */
Traits traits_of(const Sample &sample, const FormatChoice &choice, int value_bytes = sizeof(PetscScalar));

} // namespace goza::locality
