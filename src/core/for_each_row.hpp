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

/* What neighbouring rows read again stays in the caches. */
template <class T> HD inline T cached_load(const T *p)
{
#if defined(__CUDA_ARCH__)
  return __ldg(p);
#else
  return *p;
#endif
}

constexpr int range_threads = 1024, ranges_per_multiprocessor = 2; // of for_each_warp_in_ranges(): as many blocks as are resident

#if defined(__CUDACC__)
constexpr int rows_per_block = 256;

/* The one place where a kernel starts: on the current stream, and with an exception where it does not. shared: bytes of `extern __shared__` memory. */
template <class... Parameters, class... Arguments>
void launch_kernel_with(std::size_t shared, void (*kernel)(Parameters...), dim3 blocks, int threads, const Arguments &...arguments)
{
  if (shared > 48 * 1024) (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  kernel<<<blocks, threads, shared, static_cast<cudaStream_t>(device::stream())>>>(arguments...);
  if (const cudaError_t err = cudaGetLastError(); err != cudaSuccess) throw DeviceError(std::string("kernel launch: ") + cudaGetErrorString(err));
}

template <class... Parameters, class... Arguments> void launch_kernel(void (*kernel)(Parameters...), dim3 blocks, int threads, const Arguments &...arguments)
{
  launch_kernel_with(0, kernel, blocks, threads, arguments...);
}

/* Blocks of so many for n of them. */
inline unsigned blocks_for(std::int64_t n, std::int64_t each)
{
  return static_cast<unsigned>((n + each - 1) / each);
}

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
    launch_kernel(RowKernel<Body>, blocks_for(n, rows_per_block), rows_per_block, n, body);
    return;
  }
#endif
  if (space == Space::Cuda) throw DeviceError("this libgoza was built without CUDA");
  for (PetscInt row = 0; row < n; row++) body(row);
}

} // namespace

/* The rows of a grid's matrix, where row i has neighbours i +- 1, i +- line and i +- plane. No grid: line = plane = nrows; two dimensions: plane = nrows. */
struct Grid3 {
  PetscInt nrows, line, plane;
};

#if defined(__CUDACC__)
/* A block takes a brick of 2^bx x 2^by x 2^bz rows instead of a run of them: what its rows read in common is in its L1 cache. */
template <class Body> __global__ void __launch_bounds__(Body::brick, 2) BrickKernel(Grid3 grid, int bx, int by, const __grid_constant__ Body body)
{
  const int          t = threadIdx.x;
  const std::int64_t x = (static_cast<std::int64_t>(blockIdx.x) << bx) + (t & ((1 << bx) - 1)), y = (blockIdx.y << by) + (t >> bx & ((1 << by) - 1));
  const std::int64_t z = blockIdx.z * (Body::brick >> (bx + by)) + (t >> (bx + by)), in_plane = y * grid.line + x, row = z * grid.plane + in_plane;

  if (x < grid.line && in_plane < grid.plane && row < grid.nrows) body(static_cast<PetscInt>(row));
}

/* for_each_row() on the device in an order made for a grid. A body names its rows to a block, `brick`, a power of two: 64 x 4 x 2 of them measured best on an H200. */
template <class Body> void for_each_row_of_grid(Grid3 grid, const Body &body)
{
  int  log_brick = 0, bx, by;
  dim3 blocks;

  if (grid.nrows <= 0) return;
  while (1 << log_brick < Body::brick) log_brick++;
  bx     = grid.line > 32 ? 6 : 5;
  by     = grid.plane >= grid.nrows ? log_brick - bx : 2;
  blocks = dim3(blocks_for(grid.line, 1 << bx), blocks_for(blocks_for(grid.plane, grid.line), 1 << by), blocks_for(blocks_for(grid.nrows, grid.plane), Body::brick >> (bx + by)));
  if (grid.line < 16 || blocks.y > 65535 || blocks.z > 65535 || grid.line >= grid.nrows) {
    grid.line = grid.plane = grid.nrows;
    bx                     = log_brick;
    by                     = 0;
    blocks                 = dim3(blocks_for(grid.nrows, Body::brick));
  }
  launch_kernel(BrickKernel<Body>, blocks, Body::brick, grid, bx, by, body);
}
#endif

#if defined(__CUDACC__)
template <class Body> __global__ void __launch_bounds__(rows_per_block) WarpKernel(PetscInt n, Body body)
{
  const std::int64_t warp = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) >> 5;

  if (warp < n) body(static_cast<PetscInt>(warp), static_cast<int>(threadIdx.x & 31));
}

/* body(k, lane) for k < n with the 32 lanes of one warp: for matrices with too few rows to fill the device one thread a row. */
template <class Body> void for_each_warp(PetscInt n, const Body &body)
{
  if (n > 0) launch_kernel(WarpKernel<Body>, blocks_for(n, rows_per_block / 32), rows_per_block, n, body);
}

template <class Body> __global__ void __launch_bounds__(range_threads, ranges_per_multiprocessor) RangeKernel(const PetscInt *range, Body body)
{
  const PetscInt end = range[blockIdx.x + 1];

  for (PetscInt k = range[blockIdx.x] + static_cast<PetscInt>(threadIdx.x >> 5); k < end; k += range_threads / 32) body(k, static_cast<int>(threadIdx.x & 31));
}

/* The same for range[b] <= k < range[b + 1] in block b, on the device: neighbours in k meet in one L1 cache. */
template <class Body> void for_each_warp_in_ranges(const PetscInt *range, PetscInt nranges, const Body &body)
{
  if (nranges > 0) launch_kernel(RangeKernel<Body>, static_cast<unsigned>(nranges), range_threads, range, body);
}

/* Sum over the lanes that are equal modulo `stride`, a power of two: all of them get it. */
template <class V> __device__ inline V sum_lanes(V value, int stride)
{
  for (int offset = stride; offset < 32; offset <<= 1) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}
#endif

} // namespace goza
