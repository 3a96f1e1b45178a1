/* Where kernels start. For .cu files. */
#pragma once
#if defined(__CUDACC__)
  #include "kernel_loader.hpp"
  #include <cuda_runtime.h>
  #include <cstddef>
  #include <cstdint>
  #include <type_traits>

namespace goza {

enum class Start {
  InTurn,
  Early,     // the device may place it while the kernel before it ends: it begins with wait_for_earlier()
  WholeGrid, // its blocks wait for one another, and all are on the device at the same time: no more than blocks_held()
  Cluster    // its blocks are one cluster and wait for one another: no more than most_in_cluster()
};

/* The one place: on the current stream, and with an exception where it does not. shared: bytes of `extern __shared__` memory. */
void start_kernel(const void *kernel, std::size_t shared, dim3 blocks, int threads, void **arguments, Start how);

/* Names a kernel to the loader as soon as the library is there, before it is launched for the first time. */
template <auto kernel> struct Known {
  static inline const bool yes = kernel_loader::add(reinterpret_cast<const void *>(kernel));
};

/* There are a thousand kernels: what each of them takes to start is little code. */
template <class... Parameters>
void start_with(void (*kernel)(Parameters...), std::size_t shared, Start how, dim3 blocks, int threads, std::common_type_t<Parameters>... arguments)
{
  void *all[] = {&arguments..., nullptr};

  start_kernel(reinterpret_cast<const void *>(kernel), shared, blocks, threads, all, how);
}

template <auto kernel, Start how = Start::InTurn, class... Arguments>
void launch_kernel_with(std::size_t shared, dim3 blocks, int threads, const Arguments &...arguments)
{
  (void)Known<kernel>::yes;
  start_with(kernel, shared, how, blocks, threads, arguments...);
}

template <auto kernel, Start how = Start::InTurn, class... Arguments> void launch_kernel(dim3 blocks, int threads, const Arguments &...arguments)
{
  launch_kernel_with<kernel, how>(0, blocks, threads, arguments...);
}

/* Blocks of so many for n of them. */
inline unsigned blocks_for(std::int64_t n, std::int64_t each) { return static_cast<unsigned>((n + each - 1) / each); }

/* Nothing is read or written before it by a kernel that starts early. */
__device__ inline void wait_for_earlier()
{
  #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  #endif
}

/* Blocks of so many threads, half of what the device in use holds of a kernel: they must find room beside kernels of this process and of others which wait for
   messages that come only when these blocks are through. */
unsigned blocks_held(const void *kernel, int threads);

/* Whether what runs of a kernel here was compiled for compute capability 9.0 or a higher one. */
bool runs_as_90(const void *kernel);

/* Blocks that a cluster of the kernel may have: one where the device has no clusters. */
template <auto kernel> int most_in_cluster() { return runs_as_90(reinterpret_cast<const void *>(kernel)) ? 8 : 1; }

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
