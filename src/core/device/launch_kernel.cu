#include "block_cluster.hpp"
#include "cuda_check.hpp"

#if defined(__CUDACC__)
namespace goza {

/* Whether the device can place a kernel early, and what it runs was compiled for one that can: else wait_for_earlier() is nothing. */
static bool placed_early(const void *kernel)
{
  static const bool yes = runs_as_90(kernel);

  return yes;
}

void start_kernel(const void *kernel, std::size_t shared, dim3 blocks, int threads, void **arguments, bool waits)
{
  cudaLaunchConfig_t  how = {};
  cudaLaunchAttribute early;

  if (shared > 48 * 1024) (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  early.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  how.gridDim                                      = blocks;
  how.blockDim                                     = dim3(threads);
  how.dynamicSmemBytes                             = shared;
  how.stream                                       = static_cast<cudaStream_t>(device::stream());
  how.attrs                                        = &early;
  how.numAttrs                                     = waits && placed_early(kernel);
  check(cudaLaunchKernelExC(&how, kernel, arguments), "kernel launch");
}

} // namespace goza
#endif
