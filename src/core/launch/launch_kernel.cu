#include "core/device/cuda_check.hpp"
#include "for_each_row.hpp"

#if defined(__CUDACC__)
namespace goza
{

void start_kernel(const void *kernel, std::size_t shared, dim3 blocks, int threads, void **arguments)
{
  if (shared > 48 * 1024) (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  check(cudaLaunchKernel(kernel, blocks, dim3(threads), arguments, shared, static_cast<cudaStream_t>(device::stream())), "kernel launch");
}

Bricks bricks_of(Grid3 grid, int brick)
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

} // namespace goza
#endif
