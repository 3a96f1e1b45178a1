/* What the device in use is like, and how much of its memory Goza may have. In a build without CUDA there is none. */
#pragma once
#include <cstddef>
#include <string>

namespace goza::device {

std::string name();          // "NVIDIA H200"; "none" where there is none
int         shared_memory(); // bytes of a multiprocessor's; 0 where there is none
std::size_t waits();         // how often the host has waited for it, in copies too
void        note_wait();
std::size_t free_memory(); // or what is left under the limit where that is less; 0 without a device

/* What Goza's arrays may take together: where it would be passed, the allocation fails as it does on a full device. 0: all of it */
void set_memory_limit(std::size_t bytes);

} // namespace goza::device
