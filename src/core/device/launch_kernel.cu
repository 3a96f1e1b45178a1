#include "launch_kernel.hpp"
#include "cuda_check.hpp"

#if defined(__CUDACC__)
namespace goza
{

void start_kernel(const void *kernel, std::size_t shared, dim3 blocks, int threads, void **arguments)
{
  if (shared > 48 * 1024) (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  check(cudaLaunchKernel(kernel, blocks, dim3(threads), arguments, shared, static_cast<cudaStream_t>(device::stream())), "kernel launch");
}

} // namespace goza
#endif
