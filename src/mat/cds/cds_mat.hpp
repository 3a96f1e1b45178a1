#pragma once
#include "cds.hpp"
#include "mat/common/format_kind.hpp"

namespace goza::mat {

const FormatKind &CdsKind();

/* The options of a matrix that is nothing but its diagonals: how they are stored and how many. refused: what it is asked for that it cannot have; or NULL */
PetscErrorCode CdsAloneFromOptions(Mat A, GozaOptionItems items, CdsOptions *options, const char **refused);

} // namespace goza::mat
