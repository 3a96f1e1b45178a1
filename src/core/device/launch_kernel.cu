#include "launch_kernel.hpp"
#include "cuda_check.hpp"

#if defined(__CUDACC__)
  #include <algorithm>
  #include <map>
  #include <mutex>
  #include <utility>

namespace goza {

unsigned blocks_held(const void *kernel, int threads)
{
  static std::mutex                                       guard;
  static std::map<std::pair<const void *, int>, unsigned> known; // by kernels and devices
  const std::lock_guard<std::mutex>                       lock(guard);
  int                                                     id = 0, each = 0;

  check(cudaGetDevice(&id), "cudaGetDevice");
  unsigned &blocks = known[{kernel, id}];
  if (!blocks) {
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0), "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    blocks = static_cast<unsigned>(std::max(1, each * device::multiprocessors() / 2));
  }
  return blocks;
}

bool runs_as_90(const void *kernel)
{
  int                id = 0, major = 0;
  cudaFuncAttributes compiled;

  return cudaGetDevice(&id) == cudaSuccess && cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, id) == cudaSuccess && major >= 9 &&
         cudaFuncGetAttributes(&compiled, kernel) == cudaSuccess && compiled.ptxVersion >= 90;
}

/* Whether the device can place a kernel early, and what it runs was compiled for one that can: else wait_for_earlier() is nothing. */
static bool placed_early(const void *kernel)
{
  static const bool yes = runs_as_90(kernel);

  return yes;
}

void start_kernel(const void *kernel, std::size_t shared, dim3 blocks, int threads, void **arguments, Start how)
{
  cudaLaunchConfig_t  launch = {};
  cudaLaunchAttribute way    = {};

  if (shared > 48 * 1024) (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  if (how == Start::WholeGrid) {
    blocks              = dim3(std::min(blocks.x, blocks_held(kernel, threads)));
    way.id              = cudaLaunchAttributeCooperative;
    way.val.cooperative = 1;
  } else if (how == Start::Cluster) {
    way.id             = cudaLaunchAttributeClusterDimension;
    way.val.clusterDim = {blocks.x, 1, 1};
  } else {
    way.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
    way.val.programmaticStreamSerializationAllowed = 1;
  }
  launch.gridDim          = blocks;
  launch.blockDim         = dim3(threads);
  launch.dynamicSmemBytes = shared;
  launch.stream           = static_cast<cudaStream_t>(device::stream());
  launch.attrs            = &way;
  launch.numAttrs         = how == Start::WholeGrid || (how == Start::Cluster && blocks.x > 1) || (how == Start::Early && placed_early(kernel));
  check(cudaLaunchKernelExC(&launch, kernel, arguments), "kernel launch");
}

} // namespace goza
#endif
