/* The few things asked of the CUDA runtime. In a build without CUDA, available() is false and every other call throws. */
#pragma once
#include "space.hpp"
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace goza {

/* An error of the device; the PETSc glue turns it into PETSC_ERR_GPU. */
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/* The device has not enough memory; the glue turns it into PETSC_ERR_MEM. */
struct DeviceMemoryError : DeviceError {
  using DeviceError::DeviceError;
};

namespace device {

bool                 available(std::string *why = nullptr); // a device that runs our kernels is there; else why not, in a sentence
std::string          description();                         // "NVIDIA H200, 139.8 GiB, compute capability 9.0"
int                  multiprocessors();
void                 select(int rank, int ranks); // this process's device, by its rank of so many on the host; before anything else is asked of it
std::array<char, 16> uuid();                      // of the device in use; zeros where there is none
bool                 is_device_pointer(const void *p);

void *allocate(std::size_t bytes);
void  deallocate(void *p) noexcept;
void *allocate_pinned(std::size_t bytes); // host memory that the device copies at full speed
void  deallocate_pinned(void *p) noexcept;
bool  pin(void *p, std::size_t bytes) noexcept; // the same of memory that is there; false where the system refuses it
void  unpin(void *p) noexcept;

/* Ordered on the stream. The host memory of a copy may be used again when the call returns. */
void copy(void *dst, const void *src, std::size_t bytes);
void copy_async(void *dst, const void *src, std::size_t bytes);
void fill_zero(void *dst, std::size_t bytes);
void synchronize();

/* Every kernel and copy goes to this stream (a cudaStream_t): PETSc's current one, set by the glue on entry. */
void  set_stream(void *stream);
void *stream();

/* A second stream, on which messages travel beside the kernels. fork(): it goes on when what is now on the current stream is done; join(): the
   current one goes on when the second is done. The host waits for neither. */
void *fork();
void  join();

/* Kernels and copies go to `stream` for as long as this lives. */
class OnStream {
public:
  explicit OnStream(void *other) : before_(stream()) { set_stream(other); }
  ~OnStream() { set_stream(before_); }
  OnStream(const OnStream &)            = delete;
  OnStream &operator=(const OnStream &) = delete;

private:
  void *before_;
};

std::size_t bytes_in_use();      // by Goza's own allocations
std::size_t most_bytes_in_use(); // the most since this was asked last

} // namespace device
} // namespace goza
