/* device.hpp, properties.hpp and recording.hpp in a build without CUDA. */
#include "properties.hpp"
#include "recording.hpp"

#if !defined(GOZA_HAVE_CUDA)

namespace goza::device {

[[noreturn]] static void no_cuda() { throw DeviceError("this libgoza was built without CUDA"); }

bool available(std::string *why)
{
  if (why) *why = "this libgoza was built without CUDA";
  return false;
}

std::string description() { return "none"; }

int multiprocessors() { no_cuda(); }

void select(int, int) { }

std::array<char, 16> uuid() { return {}; }

bool is_device_pointer(const void *) { return false; }

void *allocate(std::size_t) { no_cuda(); }

void deallocate(void *) noexcept { }

void *allocate_pinned(std::size_t) { no_cuda(); }

void deallocate_pinned(void *) noexcept { }

bool pin(void *, std::size_t) noexcept { return false; }

void unpin(void *) noexcept { }

void copy(void *, const void *, std::size_t) { no_cuda(); }

void copy_async(void *, const void *, std::size_t) { no_cuda(); }

void fill_zero(void *, std::size_t) { no_cuda(); }

void synchronize() { no_cuda(); }

bool busy() { no_cuda(); }

void set_stream(void *) { }

void *stream() { return nullptr; }

bool begin_recording() { return false; }

bool begin_recording_loop(LoopSwitch *) { return false; }

bool recording() { return false; }

void *end_recording() noexcept { return nullptr; }

void *fork() { no_cuda(); }

void launch_recording(void *) { no_cuda(); }

void join() { no_cuda(); }

void drop_recording(void *) noexcept { }

std::string name() { return "none"; }

int shared_memory() { return 0; }

std::size_t waits() { return 0; }

std::size_t bytes_in_use() { return 0; }

std::size_t most_bytes_in_use() { return 0; }

void set_memory_limit(std::size_t) { }

std::size_t free_memory() { return 0; }

} // namespace goza::device

#endif
