/* Large host memory that a device cannot read by itself: the driver copies it to memory that it can, and a thread of the host takes longer for that than the device. Several do it in parts. */
#pragma once
#include <cstddef>

namespace goza
{
namespace device
{

/* To the device, after what was sent to the stream. False: it does not pay, and nothing was copied. */
bool copy_in_parts(void *dst, const void *src, std::size_t bytes, void *stream);

} // namespace device
} // namespace goza
