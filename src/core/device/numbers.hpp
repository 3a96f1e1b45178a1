/* A few numbers at a time, on their way from the device to the host. */
#pragma once

namespace goza
{
namespace device
{

void prepare_numbers() noexcept; // what the first of them would take a millisecond to make; nothing in a build without CUDA

} // namespace device
} // namespace goza
