/* Between the warps that make element matrices and those that add them up: a few rows of a block's elements on chip, filled two by two and read one after the
   other. */
#pragma once
#include "grid_elastic_matrices.hpp"
#include "grid_region.hpp"

namespace goza::assembly::grid_elasticity {

#if defined(__CUDACC__)

class Ring {
  static constexpr int rows = 3, row_words = (GridRegion::most + 1) * pitch / 16 * 16 + 24; // two rows are written at a time: eight banks apart

public:
  static constexpr int         together = 2; // rows that are filled
  static constexpr std::size_t bytes    = rows * row_words * sizeof(PetscScalar);

  /* steps: rows that go through it; threads: of all warps that fill and read */
  __device__ Ring(double *memory, int steps, int threads) :
    matrices_(reinterpret_cast<PetscScalar *>(memory)), steps_(steps), filled_((steps + together - 1) / together * together), threads_(threads)
  {
  }
  __device__ PetscScalar *row(int step) const { return matrices_ + step % rows * row_words; }

  /* By all lanes of a warp: until the row may be written, or read; and when that is done. */
  __device__ void wait_empty(int step) const
  {
    if (step >= rows) wait(empty(step));
  }
  __device__ void wait_full(int step) const { wait(full(step)); }
  __device__ void is_full(int step) const
  {
    if (step < steps_) arrive(full(step));
  }
  __device__ void is_empty(int step) const
  {
    if (step + rows < filled_) arrive(empty(step));
  }

private:
  /* The block's barriers, but for that of __syncthreads(); warps that wait for them take no turns from others. */
  __device__ static int full(int step) { return 1 + step % rows; }
  __device__ static int empty(int step) { return 1 + rows + step % rows; }

  __device__ void wait(int barrier) const
  {
    __syncwarp();
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads_) : "memory");
  }
  __device__ void arrive(int barrier) const
  {
    __syncwarp();
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads_) : "memory");
  }

  PetscScalar *matrices_;
  int          steps_, filled_, threads_;
};

#endif

} // namespace goza::assembly::grid_elasticity
