/* Large host memory that a device cannot read by itself goes there by way of memory that it can. The driver does that too, with one thread, which takes six
   times as long as the device. */
#pragma once
#include <cstddef>

namespace goza::device {

/* To the device, after what was sent to the stream, which is waited for. False: it does not pay, and nothing was copied. */
bool upload(void *dst, const void *src, std::size_t bytes, void *stream);
void prepare_upload() noexcept; // the memory in between, which takes the first three milliseconds to make

} // namespace goza::device
