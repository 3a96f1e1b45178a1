/* The columns that hold many of the entries (hubs of power-law graphs): few enough for their x to be kept on chip. In either space, with the same result. */
#pragma once
#include "core/device/array.hpp"
#include "core/sparse/csr.hpp"

namespace goza::mat
{

struct HotColumns {
  Array<PetscInt> list;  // ascending; empty where they hold too few of the entries
  Array<PetscInt> code;  // [ncols]: the column's place in the list or, of another, the list's length + column
  double          share; // of the entries
};

/* Of the `most` columns with most entries. */
HotColumns find_hot_columns(const Csr &A, PetscInt most, double least_share);

} // namespace goza::mat
