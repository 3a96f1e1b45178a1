/* What a set-up remembers of a matrix's values, to see later whether they are nearly the same: D^-1 A times a vector of hashed signs, a number a row. Where no
   row's number changes much, neither do D^-1 A, what is strong in it, and an interpolation smoothed with it. A factor of the whole matrix changes nothing. */
#pragma once
#include "core/device/array.hpp"
#include "core/sparse/csr.hpp"
#include "parallel/column_map.hpp"

namespace goza::saamg {

using ValueSketch = Array<float>; // [rows]

/* Whether no more than a thousandth of all ranks' rows differ by more than a tenth; not where there was nothing before. dinv [rows]: inverse diagonal. now is
   written. Collective. */
bool nearly_same(const Csr &A, const LocalColumns &columns, const Array<PetscScalar> &dinv, const ValueSketch &before, ValueSketch &now);

} // namespace goza::saamg
