/* Where kernels start. For .cu files. */
#pragma once
#if defined(__CUDACC__)
  #include "kernel_loader.hpp"
  #include <cuda_runtime.h>
  #include <cstddef>
  #include <cstdint>
  #include <type_traits>

namespace goza {

/* The one place: on the current stream, and with an exception where it does not. shared: bytes of `extern __shared__` memory. waits: the kernel begins with
   wait_for_earlier(). */
void start_kernel(const void *kernel, std::size_t shared, dim3 blocks, int threads, void **arguments, bool waits = false);

/* What a kernel begins with that the device may place while the one before it ends: nothing is read or written before it. */
__device__ inline void wait_for_earlier()
{
  #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  #endif
}

/* Names a kernel to the loader as soon as the library is there, before it is launched for the first time. */
template <auto kernel> struct Known {
  static inline const bool yes = kernel_loader::add(reinterpret_cast<const void *>(kernel));
};

/* There are a thousand kernels: what each of them takes to start is little code. */
template <class... Parameters>
void start_with(void (*kernel)(Parameters...), std::size_t shared, bool waits, dim3 blocks, int threads, std::common_type_t<Parameters>... arguments)
{
  void *all[] = {&arguments..., nullptr};

  start_kernel(reinterpret_cast<const void *>(kernel), shared, blocks, threads, all, waits);
}

template <auto kernel, class... Arguments> void launch_kernel_with(std::size_t shared, dim3 blocks, int threads, const Arguments &...arguments)
{
  (void)Known<kernel>::yes;
  start_with(kernel, shared, false, blocks, threads, arguments...);
}

/* The same for a kernel that begins with wait_for_earlier(). */
template <auto kernel, class... Arguments> void launch_waiting_kernel(std::size_t shared, dim3 blocks, int threads, const Arguments &...arguments)
{
  (void)Known<kernel>::yes;
  start_with(kernel, shared, true, blocks, threads, arguments...);
}

template <auto kernel, class... Arguments> void launch_kernel(dim3 blocks, int threads, const Arguments &...arguments)
{
  launch_kernel_with<kernel>(0, blocks, threads, arguments...);
}

/* Blocks of so many for n of them. */
inline unsigned blocks_for(std::int64_t n, std::int64_t each) { return static_cast<unsigned>((n + each - 1) / each); }

} // namespace goza
#endif
