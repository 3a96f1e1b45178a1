#pragma once
#include "mat/common/format_kind.hpp"

namespace goza::mat {

const FormatKind &FoldKind();

} // namespace goza::mat
