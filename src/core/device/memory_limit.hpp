/* A bound on the device memory that Goza's arrays may take together: where it would be passed, the allocation fails as it does on a full device. */
#pragma once
#include <cstddef>

namespace goza
{
namespace device
{

void        set_memory_limit(std::size_t bytes); // 0: none
std::size_t free_memory();                       // of the device in use, or what is left under the limit where that is less; 0 without a device

} // namespace device
} // namespace goza
