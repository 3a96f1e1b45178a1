/* How much device code the library holds: what a first solve may have to load. */
#pragma once
#include <cstddef>

namespace goza {

std::size_t device_code_bytes(); // 0 where the library's file cannot be read or holds none

} // namespace goza
