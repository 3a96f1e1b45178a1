/* A few numbers at a time, on their way from the device to the host. */
#pragma once
#include <cstddef>

namespace goza::device {

void prepare_numbers() noexcept; // what the first of them would take a millisecond to make; nothing in a build without CUDA

/* From the device's memory to the host's, when all that is on the current stream is done; false: they are many, or another thread's are on their way. */
bool copy_numbers(void *dst, const void *src, std::size_t bytes);

} // namespace goza::device
