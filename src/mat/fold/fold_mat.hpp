#pragma once
#include "mat/common/format_kind.hpp"

namespace goza
{

const FormatKind &FoldKind();

} // namespace goza
