#pragma once
#include "mat/common/format_kind.hpp"

namespace goza::choice {

const FormatKind &AutoFormatKind();

} // namespace goza::choice
