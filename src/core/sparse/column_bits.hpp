/* The columns of a row that a block of threads finds, in shared memory. */
#pragma once
#include "core/launch/for_each_row.hpp"

#if defined(__CUDACC__)
namespace goza {

/* A bit for each column. */
class ColumnBits {
public:
  static std::size_t bytes(PetscInt ncols) { return 2 * (ncols / 32 + 1) * sizeof(unsigned); } // of its memory

  __device__ ColumnBits(PetscInt ncols, unsigned *memory) : words_(static_cast<int>(ncols / 32 + 1)), has_(memory), before_(memory + words_) { }

  __device__ void clear() const { copy(nullptr, nullptr); }
  /* From there, or none, and to there, if that is not null. */
  __device__ void copy(const unsigned *from, unsigned *to) const
  {
    for (int w = threadIdx.x; w < words_; w += blockDim.x) {
      if (to) to[w] = has_[w];
      else has_[w] = from ? from[w] : 0;
    }
  }
  __device__ void add(PetscInt c) const
  {
    if (!has(c)) atomicOr(has_ + c / 32, 1u << c % 32);
  }
  __device__ bool has(PetscInt c) const { return *const_cast<volatile unsigned *>(has_ + c / 32) >> c % 32 & 1; }

  /* How many there are, from the first warp, which counts those in earlier words than each, too. */
  __device__ int count(int lane) const
  {
    int all = 0;

    for (int begin = 0; begin < words_; begin += 32) {
      const int w = begin + lane, mine = w < words_ ? __popc(has_[w]) : 0;
      int       before = mine;

      for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, before, d);

        if (lane >= d) before += other;
      }
      if (w < words_) before_[w] = static_cast<unsigned>(all + before - mine);
      all += __shfl_sync(0xffffffffu, before, 31);
    }
    return all;
  }
  __device__ PetscInt rank(PetscInt c) const { return before_[c / 32] + __popc(has_[c / 32] & ((1u << c % 32) - 1)); } // after count()

private:
  int       words_;
  unsigned *has_, *before_;
};

} // namespace goza
#endif
