/* The only launcher of row kernels. A body is a function whose arguments behind the row are bound (bound.hpp), or a struct with an operator() of the row; a
   profiler shows it. Files that launch on the device are .cu; without nvcc the same files are compiled as C++ and only the host branch remains. */
#pragma once
#include "core/device/launch_kernel.hpp"
#include "bound.hpp"
#include "fused_sums.hpp"
#include "core/util/half.hpp"
#include "host_loop.hpp"
#include "row_out.hpp"
#include "tuning.hpp"

namespace goza {

template <class T> constexpr bool is_16_bits = std::is_same_v<T, Half>;
template <class T> constexpr bool is_pair    = !std::is_same_v<RealOf<T>, T>;

#if defined(__CUDA_ARCH__)
/* A pair comes in one load. */
template <class T> struct PairWord {
  using type = std::conditional_t<sizeof(T) == 16, double2, std::conditional_t<sizeof(T) == 8, float2, unsigned>>;
};

/* A value by load(), which knows the device's own types alone. */
template <class T, class Load> __device__ inline T load_by(const T *p, const Load &load)
{
  T value;

  if constexpr (is_16_bits<T>) value.bits = load(&p->bits);
  else if constexpr (is_pair<T>) {
    const auto word = load(reinterpret_cast<const typename PairWord<T>::type *>(p));

    memcpy(&value, &word, sizeof(T));
  } else value = load(p);
  return value;
}
#endif

/* Values of a matrix are read once: on the device they should not push x out of the caches. */
template <class T> HD inline T stream_load(const T *p)
{
#if defined(__CUDA_ARCH__)
  return load_by(p, [](const auto *q) { return __ldcs(q); });
#else
  return *p;
#endif
}

/* What neighbouring rows read again stays in the caches. */
template <class T> HD inline T cached_load(const T *p)
{
#if defined(__CUDA_ARCH__)
  return load_by(p, [](const auto *q) { return __ldg(q); });
#else
  return *p;
#endif
}

/* Bodies whose output also sums something up over all rows. */
template <class Out> struct is_sum : std::false_type {
};
template <class V> struct is_sum<WithDots<V>> : std::true_type {
};
template <class Body, class = void> constexpr bool sums_up                                          = false;
template <class Body> constexpr bool sums_up<Body, std::void_t<decltype(std::declval<Body>().out)>> = is_sum<decltype(std::declval<Body>().out)>::value;

/* loop() gives all sums to this output on the host. */
template <class Out, class Loop> void sum_up_on_host([[maybe_unused]] const Out &out, const Loop &loop)
{
  if constexpr (is_sum<Out>::value) {
    using V = std::remove_pointer_t<decltype(out.y)>;

    V &wy = thread_sum<V>(0), &yy = thread_sum<V>(1);

    wy = yy = 0;
    loop();
    PetscScalar *part = out.sums->leave(1);

    part[0] = wy;
    part[1] = yy;
  } else loop();
}

/* loop() calls the body on the host. */
template <class Body, class Loop> void sum_on_host(const Body &body, const Loop &loop)
{
  if constexpr (sums_up<Body>) sum_up_on_host(body.out, [&] { run_on_host(loop); });
  else run_on_host(loop);
}

/* Blocks that a multiprocessor is to hold at a time, which bounds the registers: what the body says, or what the kernel does (0: nothing). */
template <class Body, int otherwise, class = void> constexpr int resident_blocks                                                         = otherwise;
template <class Body, int otherwise> constexpr int               resident_blocks<Body, otherwise, std::void_t<decltype(Body::resident)>> = Body::resident;

#if defined(__CUDACC__)
/* Sum over the lanes that are equal modulo `stride`, a power of two: all of them get it. */
template <class V> __device__ inline V sum_lanes(V value, int stride)
{
  for (int offset = stride; offset < 32; offset <<= 1) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

/* Around the work of a block whose body sums up: threads begin at 0, and each warp leaves its sums in an array. The warps of a block do not wait for one
   another: the next block begins when all of them are through. */
template <class V> __device__ inline void begin_sums(const WithDots<V> &) { thread_sum<V>(0) = thread_sum<V>(1) = 0; }

/* Where the block is in its grid and the thread in its block are read anew for that: kept while the rows are worked on, they would take registers that the
   rows' loads need. */
template <class V> __device__ inline void end_sums(const WithDots<V> &out)
{
  unsigned thread, x, y, z;

  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x));
  asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(y));
  asm volatile("mov.u32 %0, %%ctaid.z;" : "=r"(z));
  const std::size_t block = (z * static_cast<std::size_t>(gridDim.y) + y) * gridDim.x + x, warp = block * (blockDim.x / 32) + thread / 32;

  for (int d = 0; d < 2; d++) {
    const V sum = sum_lanes(thread_sum<V>(d), 1);

    if (thread % 32 == 0) out.part[2 * warp + d] = sum;
  }
}

/* As launch_kernel_with<kernel, Start::Early>(), where the body may sum up. */
template <auto kernel, class Body, class... Arguments>
void launch_body_with(std::size_t shared, const Body &body, dim3 blocks, int threads, const Arguments &...arguments)
{
  if constexpr (sums_up<Body>) {
    Body with_part = body;

    with_part.out.part = body.out.sums->leave(static_cast<std::size_t>(blocks.x) * blocks.y * blocks.z * (threads / 32));
    launch_kernel_with<kernel, Start::Early>(shared, blocks, threads, arguments..., with_part);
  } else launch_kernel_with<kernel, Start::Early>(shared, blocks, threads, arguments..., body);
}

template <auto kernel, class Body, class... Arguments> void launch_body(const Body &body, dim3 blocks, int threads, const Arguments &...arguments)
{
  launch_body_with<kernel>(0, body, blocks, threads, arguments...);
}

template <class Body> __global__ void __launch_bounds__(rows_per_block) RowKernel(PetscInt n, Body body)
{
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

  wait_for_earlier();
  if constexpr (sums_up<Body>) begin_sums(body.out);
  if (row < n) body(static_cast<PetscInt>(row));
  if constexpr (sums_up<Body>) end_sums(body.out);
}
#endif

/* Files compiled without nvcc make a launcher that knows the host only. It must not be taken for the other where both launch the same body. */
#if defined(__CUDACC__)
inline namespace any_space
#else
inline namespace host_space
#endif
{

template <class Body> void for_each_row_on_host(Space space, PetscInt n, const Body &body)
{
  if (n <= 0) return;
  if (space == Space::Cuda) throw DeviceError("this libgoza was built without CUDA");
  sum_on_host(body, [&] {
    for (PetscInt row = 0; row < n; row++) body(row);
  });
}

#if defined(__CUDACC__)
template <class Body> void for_each_row_on_device(PetscInt n, const Body &body)
{
  if (n > 0) launch_body<RowKernel<Body>>(body, blocks_for(n, rows_per_block), rows_per_block, n);
}
#endif

template <class Body> void for_each_row(Space space, PetscInt n, const Body &body)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    for_each_row_on_device(n, body);
    return;
  }
#endif
  for_each_row_on_host(space, n, body);
}

} // namespace any_space

/* The rows of a grid's matrix, where row i has neighbours i +- 1, i +- line and i +- plane. No grid: line = plane = nrows; two dimensions: plane = nrows. */
struct Grid3 {
  PetscInt nrows, line, plane;
};

#if defined(__CUDACC__)
/* A block takes a brick of 2^bx x 2^by x 2^bz rows instead of a run of them: what its rows read in common is in its L1 cache. */
template <class Body>
__global__ void __launch_bounds__(Body::brick, resident_blocks<Body, 2>) BrickKernel(Grid3 grid, int bx, int by, const __grid_constant__ Body body)
{
  const int          t = threadIdx.x;
  const std::int64_t x = (static_cast<std::int64_t>(blockIdx.x) << bx) + (t & ((1 << bx) - 1)), y = (blockIdx.y << by) + (t >> bx & ((1 << by) - 1));
  const std::int64_t z = blockIdx.z * (Body::brick >> (bx + by)) + (t >> (bx + by)), in_plane = y * grid.line + x, row = z * grid.plane + in_plane;

  wait_for_earlier();
  if constexpr (sums_up<Body>) begin_sums(body.out);
  if (x < grid.line && in_plane < grid.plane && row < grid.nrows) body(static_cast<PetscInt>(row));
  if constexpr (sums_up<Body>) end_sums(body.out);
}

/* How a grid is cut into bricks of so many rows, a power of two. */
struct Bricks {
  Grid3 grid;
  int   bx, by;
  dim3  blocks;
};

inline Bricks bricks_of(Grid3 grid, int brick)
{
  Bricks all{grid};
  int    log_brick = 0;

  while (1 << log_brick < brick) log_brick++;
  all.bx = grid.line > 1 << brick_short_line ? brick_line : brick_short_line;
  all.by = grid.plane >= grid.nrows ? log_brick - all.bx : brick_lines;
  /* where bricks reach far beyond the ends of lines, as two of 64 for 65 nodes, a block takes a run of its plane instead: so many lines, but no thread is
     idle */
  if (grid.plane < grid.nrows && blocks_for(grid.line, 1 << all.bx) << all.bx > static_cast<unsigned>(grid.line + grid.line / 8)) {
    all.grid.line = grid.line = grid.plane;
    all.bx += all.by;
    all.by = 0;
  }
  all.blocks = dim3(blocks_for(grid.line, 1 << all.bx), blocks_for(blocks_for(grid.plane, grid.line), 1 << all.by),
                    blocks_for(blocks_for(grid.nrows, grid.plane), brick >> (all.bx + all.by)));
  if (grid.line < 16 || all.blocks.y > 65535 || all.blocks.z > 65535 || grid.line >= grid.nrows)
    all = {{grid.nrows, grid.nrows, grid.nrows}, log_brick, 0, dim3(blocks_for(grid.nrows, brick))};
  return all;
}

/* for_each_row() on the device in an order made for a grid. A body names its rows to a block, `brick`. */
template <class Body> void for_each_row_of_grid(Grid3 grid, const Body &body)
{
  if (grid.nrows <= 0) return;
  const Bricks all = bricks_of(grid, Body::brick);

  launch_body<BrickKernel<Body>>(body, all.blocks, Body::brick, all.grid, all.bx, all.by);
}
#endif

#if defined(__CUDACC__)
template <class Body> __global__ void __launch_bounds__(rows_per_block, resident_blocks<Body, 0>) WarpKernel(PetscInt n, Body body)
{
  const std::int64_t warp = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) >> 5;

  wait_for_earlier();
  if constexpr (sums_up<Body>) begin_sums(body.out);
  if (warp < n) body(static_cast<PetscInt>(warp), static_cast<int>(threadIdx.x & 31));
  if constexpr (sums_up<Body>) end_sums(body.out);
}

/* body(k, lane) for k < n with the 32 lanes of one warp: for matrices with too few rows to fill the device one thread a row. */
template <class Body> void for_each_warp(PetscInt n, const Body &body)
{
  if (n > 0) launch_body<WarpKernel<Body>>(body, blocks_for(n, rows_per_block / 32), rows_per_block, n);
}

template <class Body> __global__ void __launch_bounds__(range_threads, ranges_per_multiprocessor) RangeKernel(const PetscInt *range, Body body)
{
  wait_for_earlier();
  const PetscInt end = range[blockIdx.x + 1];

  if constexpr (sums_up<Body>) begin_sums(body.out);
  for (PetscInt k = range[blockIdx.x] + static_cast<PetscInt>(threadIdx.x >> 5); k < end; k += range_threads / 32) body(k, static_cast<int>(threadIdx.x & 31));
  if constexpr (sums_up<Body>) end_sums(body.out);
}

/* The same for range[b] <= k < range[b + 1] in block b, on the device: neighbours in k share an L1 cache. */
template <class Body> void for_each_warp_in_ranges(const PetscInt *range, PetscInt nranges, const Body &body)
{
  if (nranges > 0) launch_body<RangeKernel<Body>>(body, static_cast<unsigned>(nranges), range_threads, range);
}
#endif

} // namespace goza
