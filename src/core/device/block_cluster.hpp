/* Kernels of one cluster: blocks that wait for one another without a launch, where the device has clusters; else one block. For .cu files. */
#pragma once
#include "launch_kernel.hpp"

#if defined(__CUDACC__)

namespace goza {

/* Whether what runs of a kernel here was compiled for compute capability 9.0 or a higher one. */
bool runs_as_90(const void *kernel);

/* Blocks that a cluster of the kernel may have. */
template <auto kernel> int most_in_cluster() { return runs_as_90(reinterpret_cast<const void *>(kernel)) ? 8 : 1; }

/* On the current stream. */
void start_cluster(const void *kernel, int blocks, int threads, void **arguments);

template <class... Parameters> void start_cluster_with(void (*kernel)(Parameters...), int blocks, int threads, std::common_type_t<Parameters>... arguments)
{
  void *all[] = {&arguments..., nullptr};

  start_cluster(reinterpret_cast<const void *>(kernel), blocks, threads, all);
}

template <auto kernel, class... Arguments> void launch_cluster(int blocks, int threads, const Arguments &...arguments)
{
  (void)Known<kernel>::yes;
  start_cluster_with(kernel, blocks, threads, arguments...);
}

/* What all threads of the cluster have written is there for each of them. */
__device__ inline void sync_cluster()
{
  #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  #else
  __syncthreads();
  #endif
}

} // namespace goza
#endif
