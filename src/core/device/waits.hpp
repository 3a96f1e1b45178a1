#pragma once
#include <cstddef>

namespace goza::device
{

std::size_t waits(); // how often the host has waited for the device, in copies too

} // namespace goza::device
