/* Kernels whose blocks wait for one another: all of them are on the device at the same time. For .cu files. */
#pragma once
#include "launch_kernel.hpp"

#if defined(__CUDACC__)

namespace goza {

/* Blocks of so many threads, half of what the device in use holds of a kernel: they must find room beside kernels of this process and of others which wait for
   messages that come only when these blocks are through. */
unsigned blocks_held(const void *kernel, int threads);

/* On the current stream, with as many blocks as are wanted and held. */
void start_whole_grid(const void *kernel, unsigned blocks, int threads, void **arguments);

template <class... Parameters>
void start_whole_grid_with(void (*kernel)(Parameters...), unsigned blocks, int threads, std::common_type_t<Parameters>... arguments)
{
  void *all[] = {&arguments..., nullptr};

  start_whole_grid(reinterpret_cast<const void *>(kernel), blocks, threads, all);
}

template <auto kernel, class... Arguments> void launch_whole_grid(unsigned blocks, int threads, const Arguments &...arguments)
{
  (void)Known<kernel>::yes;
  start_whole_grid_with(kernel, blocks, threads, arguments...);
}

} // namespace goza
#endif
