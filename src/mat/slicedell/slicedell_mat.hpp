#pragma once
#include "mat/common/format_kind.hpp"

namespace goza::mat {

const FormatKind &SlicedEllKind();

} // namespace goza::mat
