#pragma once
#include "mat/common/format_kind.hpp"

namespace goza
{

const FormatKind &AutoFormatKind();

} // namespace goza
