#include "block_cluster.hpp"
#include "cuda_check.hpp"

#if defined(__CUDACC__)
namespace goza {

bool runs_as_90(const void *kernel)
{
  int                id = 0, major = 0;
  cudaFuncAttributes compiled;

  return cudaGetDevice(&id) == cudaSuccess && cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, id) == cudaSuccess && major >= 9 &&
         cudaFuncGetAttributes(&compiled, kernel) == cudaSuccess && compiled.ptxVersion >= 90;
}

void start_cluster(const void *kernel, int blocks, int threads, void **arguments)
{
  cudaLaunchConfig_t  how = {};
  cudaLaunchAttribute cluster;

  cluster.id               = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(blocks);
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  how.gridDim                                         = dim3(static_cast<unsigned>(blocks));
  how.blockDim                                        = dim3(threads);
  how.stream                                          = static_cast<cudaStream_t>(device::stream());
  how.attrs                                           = &cluster;
  how.numAttrs                                        = blocks > 1;
  check(cudaLaunchKernelExC(&how, kernel, arguments), "kernel launch");
}

} // namespace goza
#endif
