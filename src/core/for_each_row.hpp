/* The only launcher of row kernels. A body is a small struct with `HD void operator()(PetscInt row) const`; a profiler shows it as
   RowKernel<Body>. Files that launch on the device are .cu; without nvcc the same files are compiled as C++ and only the host branch remains. */
#pragma once
#include "device.hpp"
#include <cstdint>

namespace goza
{

/* Values of a matrix are read once: on the device they should not push x out of the caches. */
template <class T> HD inline T stream_load(const T *p)
{
#if defined(__CUDA_ARCH__)
  return __ldcs(p);
#else
  return *p;
#endif
}

#if defined(__CUDACC__)
constexpr int rows_per_block = 256;

template <class Body> __global__ void __launch_bounds__(rows_per_block) RowKernel(PetscInt n, Body body)
{
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

  if (row < n) body(static_cast<PetscInt>(row));
}
#endif

/* Files compiled without nvcc make a launcher that knows the host only. It must not be taken for the other where both launch the same body. */
#if defined(__CUDACC__)
inline namespace any_space
#else
inline namespace host_space
#endif
{

template <class Body> void for_each_row(Space space, PetscInt n, const Body &body)
{
  if (n <= 0) return;
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    const std::int64_t blocks = (static_cast<std::int64_t>(n) + rows_per_block - 1) / rows_per_block;

    RowKernel<<<static_cast<unsigned>(blocks), rows_per_block, 0, static_cast<cudaStream_t>(device::stream())>>>(n, body);
    if (const cudaError_t err = cudaGetLastError(); err != cudaSuccess) throw DeviceError(std::string("kernel launch: ") + cudaGetErrorString(err));
    return;
  }
#endif
  if (space == Space::Cuda) throw DeviceError("this libgoza was built without CUDA");
  for (PetscInt row = 0; row < n; row++) body(row);
}

} // namespace

#if defined(__CUDACC__)
template <class Body> __global__ void __launch_bounds__(rows_per_block) WarpKernel(PetscInt n, Body body)
{
  const std::int64_t warp = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) >> 5;

  if (warp < n) body(static_cast<PetscInt>(warp), static_cast<int>(threadIdx.x & 31));
}

/* body(k, lane) for k < n with the 32 lanes of one warp: for matrices with too few rows to fill the device one thread a row. */
template <class Body> void for_each_warp(PetscInt n, const Body &body)
{
  const std::int64_t blocks = (static_cast<std::int64_t>(n) * 32 + rows_per_block - 1) / rows_per_block;

  if (n <= 0) return;
  WarpKernel<<<static_cast<unsigned>(blocks), rows_per_block, 0, static_cast<cudaStream_t>(device::stream())>>>(n, body);
  if (const cudaError_t err = cudaGetLastError(); err != cudaSuccess) throw DeviceError(std::string("kernel launch: ") + cudaGetErrorString(err));
}

/* Sum over the lanes that are equal modulo `stride`, a power of two: all of them get it. */
template <class V> __device__ inline V sum_lanes(V value, int stride)
{
  for (int offset = stride; offset < 32; offset <<= 1) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}
#endif

} // namespace goza
